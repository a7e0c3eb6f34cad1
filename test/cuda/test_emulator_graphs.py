"""Graphs of the emulated driver: what is done wrong with them shows."""

import ctypes
from ctypes import byref, c_char, c_int, c_size_t, c_uint, c_uint64, c_void_p

import numpy as np
import pytest
from emulated_device import DeviceError

KERNEL, CONDITIONAL, WHILE = 0, 13, 1

TEXTS = """
extern "C" __global__ void add(double *x, double value) { x[0] += value; }
extern "C" __global__ void triple(double *x) { x[0] *= 3; }
"""

SET = """.version 6.3
.target sm_75
.address_size 64
.extern .func cudaGraphSetConditional(.param .b64 condition, .param .b32 value);
.visible .entry set(.param .u64 condition, .param .u64 left)
{
.reg .pred %more;
.reg .b32 %value;
.reg .b64 %handle, %address, %count;
ld.param.u64 %address, [left];
cvta.to.global.u64 %address, %address;
ld.global.u64 %count, [%address];
sub.s64 %count, %count, 1;
st.global.u64 [%address], %count;
setp.gt.s64 %more, %count, 0;
selp.b32 %value, 1, 0, %more;
ld.param.u64 %handle, [condition];
{
.param .b64 first;
.param .b32 second;
st.param.b64 [first], %handle;
st.param.b32 [second], %value;
call.uni cudaGraphSetConditional, (first, second);
}
ret;
}
"""


class Kernel(ctypes.Structure):
    _fields_ = [
        ("function", c_void_p),
        ("shape", c_uint * 7),
        ("arguments", c_void_p),
        ("extra", c_void_p),
        ("kernel", c_void_p),
        ("context", c_void_p),
    ]


class Conditional(ctypes.Structure):
    _fields_ = [
        ("condition", c_uint64),
        ("type", c_int),
        ("count", c_uint),
        ("bodies", ctypes.POINTER(c_void_p)),
        ("context", c_void_p),
    ]


class Either(ctypes.Union):
    _fields_ = [("kernel", Kernel), ("conditional", Conditional), ("padding", c_char * 232)]


class Node(ctypes.Structure):
    _fields_ = [("type", c_int), ("reserved", c_int * 3), ("of", Either), ("more", c_uint64)]


class Graph:
    """A graph of the driver, whose nodes come one after the other unless a test wants it so."""

    def __init__(self, driver, handle=None):
        self.driver, self.handle, self.last = driver, handle, []
        if handle is None:
            self.handle = c_void_p()
            driver("cuGraphCreate", byref(self.handle), 0)

    def add(self, node, after=None):
        """Add a node, and give its handle."""
        after = self.last if after is None else after
        handles, made = (c_void_p * len(after))(*after), c_void_p()
        count = c_size_t(len(after))
        self.driver("cuGraphAddNode", byref(made), self.handle, handles, count, byref(node))
        self.last = [made.value]
        return made.value

    def kernel(self, function, *arguments, **how):
        node = Node(KERNEL)
        node.of.kernel.function, node.of.kernel.shape = function, (c_uint * 7)(1, 1, 1, 1, 1, 1, 0)
        values = (c_void_p * len(arguments))(*[ctypes.addressof(value) for value in arguments])
        node.of.kernel.arguments = ctypes.addressof(values)
        return self.add(node, **how)

    def condition(self):
        context, condition = c_void_p(), c_uint64()
        self.driver("cuCtxGetCurrent", byref(context))
        self.driver("cuGraphConditionalHandleCreate", byref(condition), self.handle, context, 1, 1)
        return condition

    def loop(self, condition):
        """The body of a loop."""
        node, context = Node(CONDITIONAL), c_void_p()
        self.driver("cuCtxGetCurrent", byref(context))
        node.of.conditional = Conditional(condition, WHILE, 1, None, context)
        self.add(node)
        return Graph(self.driver, c_void_p(node.of.conditional.bodies[0]))

    def instantiated(self):
        runnable = c_void_p()
        self.driver("cuGraphInstantiateWithFlags", byref(runnable), self.handle, c_uint64(0))
        return runnable

    def run(self):
        runnable = self.instantiated()
        self.driver("cuGraphLaunch", runnable, None)
        self.driver("cuGraphExecDestroy", runnable)


@pytest.fixture
def functions(nvrtc, driver):
    module, text = driver.load(nvrtc.compile(TEXTS)), driver.load(SET.encode())
    yield {name: driver.function(module, name) for name in ("add", "triple")} | {
        "set": driver.function(text, "set")
    }
    driver("cuModuleUnload", module)
    driver("cuModuleUnload", text)


def value_of(driver, pointer):
    return driver.download(pointer, 1, np.float64)[0]


def test_a_loop_runs_until_its_condition_is_set_to_0(driver, functions):
    graph, x, left = Graph(driver), driver.upload(np.ones(1)), driver.upload(np.array([5]))
    condition = graph.condition()
    body = graph.loop(condition)
    body.kernel(functions["add"], x, ctypes.c_double(2))
    body.kernel(functions["triple"], x)
    body.kernel(functions["set"], condition, left)
    graph.run()
    expected = 1.0
    for _ in range(5):
        expected = (expected + 2) * 3
    assert value_of(driver, x) == expected
    driver("cuGraphDestroy", graph.handle)


def test_a_missing_dependency_shows(driver, functions):
    x = driver.upload(np.ones(1))
    graph = Graph(driver)
    graph.kernel(functions["add"], x, ctypes.c_double(2))
    graph.kernel(functions["triple"], x, after=[])
    graph.run()
    assert value_of(driver, x) == 1 * 3 + 2


def test_what_is_launched_late_is_kept(driver, functions, monkeypatch):
    monkeypatch.setenv("EMULATOR_STREAMS", "late")
    x = driver.upload(np.ones(1))
    graph = Graph(driver)
    graph.kernel(functions["triple"], x)
    graph.run()
    driver("cuGraphDestroy", graph.handle)
    assert value_of(driver, x) == 3


def test_a_condition_that_nobody_sets(driver, functions):
    graph, x = Graph(driver), driver.upload(np.ones(1))
    graph.loop(graph.condition()).kernel(functions["triple"], x)
    with pytest.raises(DeviceError, match="a loop of a graph has not ended after 100000 turns"):
        graph.run()


def test_what_a_graph_refers_to_has_to_stay(driver, functions, nvrtc):
    graph, x = Graph(driver), driver.upload(np.ones(1))
    graph.kernel(functions["triple"], x)
    runnable = graph.instantiated()
    driver.free(x)
    with pytest.raises(DeviceError, match="that has been freed"):
        driver("cuGraphLaunch", runnable, None)
    driver("cuGraphExecDestroy", runnable)
    with pytest.raises(DeviceError, match="cuGraphLaunch: the graph or the stream doesn't exist"):
        driver("cuGraphLaunch", runnable, None)

    module = driver.load(nvrtc.compile(TEXTS))
    other, y = Graph(driver), driver.upload(np.ones(1))
    other.kernel(driver.function(module, "triple"), y)
    runnable = other.instantiated()
    driver("cuModuleUnload", module)
    with pytest.raises(
        DeviceError, match="a kernel of a graph belongs to a module that is unloaded"
    ):
        driver("cuGraphLaunch", runnable, None)


def test_graphs_that_cannot_be(driver, functions):
    graph, x = Graph(driver), driver.upload(np.ones(1))
    condition = graph.condition()
    with pytest.raises(DeviceError, match="no node has a condition of the graph"):
        graph.instantiated()
    with pytest.raises(DeviceError, match="a node that is to come before isn't one of"):
        graph.kernel(functions["triple"], x, after=[1])
    node = Node(KERNEL)
    node.reserved[1] = 1
    with pytest.raises(DeviceError, match="reserved bytes aren't 0"):
        graph.add(node)
    with pytest.raises(DeviceError, match="the emulator has no such nodes"):
        graph.add(Node(7))
    graph.loop(condition)
    with pytest.raises(DeviceError, match="the condition is another graph's, or another node's"):
        graph.loop(condition)
    driver("cuGraphDestroy", graph.handle)
    with pytest.raises(DeviceError, match="there is no such graph"):
        graph.kernel(functions["triple"], x)


def test_a_condition_is_set_by_graphs_that_run(driver, functions):
    left = driver.upload(np.array([5]))
    with pytest.raises(DeviceError, match="set: sets the condition of a graph that doesn't run"):
        driver.launch(functions["set"], 1, 1, Graph(driver).condition(), left)
    with pytest.raises(DeviceError, match="set: reads 8 bytes"):
        driver.launch(functions["set"], 1, 1, 0, 8)


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ("sub.s64", "mul.lo.s64", "the emulator has no PTX like: mul.lo.s64"),
        ("ret;", "", "the kernel doesn't return"),
        (".func cudaGraphSet", ".func vprintf", "the driver has no function for"),
        (".param .u64 left", ".param .u32 left", "a parameter isn't one of 64 bits"),
        (".visible", ".weak", "the text has no kernel"),
    ],
)
def test_ptx_that_it_does_not_know(driver, old, new, why):
    with pytest.raises(DeviceError, match=why):
        driver.load(SET.replace(old, new).encode())


def test_a_function_can_be_refused(driver, monkeypatch):
    monkeypatch.setenv("EMULATOR_REFUSE", "cuGraphCreate")
    with pytest.raises(DeviceError, match="cuGraphCreate is refused"):
        Graph(driver)


def test_the_version_can_be_an_older_one(driver, monkeypatch):
    version = c_int()
    monkeypatch.setenv("EMULATOR_VERSION", "12030")
    driver("cuDriverGetVersion", byref(version))
    assert version.value == 12030
