"""The callable: its face, its choice of a specialization, threads."""

import copy
import gc
import inspect
import pickle
import sys
import threading
import weakref

import numpy as np
import pytest
from binding_support import array, function, no_match, sym
from quernel._runtime import Function, HandOver

# Arguments by name


def test_names(make):
    specialization = make(
        "nothing", [("value", k) for k in range(3)], nargs=1, kwnames=("first", "second")
    )
    compiled = function(specialization)
    assert compiled(0, first=1, second=2) is None
    assert compiled(0, **{"".join(["fir", "st"]): 1, "".join(["sec", "ond"]): 2}) is None
    assert compiled(0, second=2, first=1)[0] == "miss"
    assert compiled(0, 1, second=2)[0] == "miss"
    assert compiled(0, 1, 2)[0] == "miss"
    assert compiled(0, first=1)[0] == "miss"
    assert compiled(0, first=1, third=2) == ("miss", (0,), {"first": 1, "third": 2})
    assert compiled.retry((0,), {"first": 1, "second": 2}) is None
    assert compiled.retry((0,), {"".join(["fir", "st"]): 1, "second": 2}) is None


# What answers in place of an answer


def test_a_function_that_an_answer_names_gets_the_arguments():
    def told(*args, **kwargs):
        return args, kwargs, sys._getframe(1).f_code.co_name

    def caller(*args, **kwargs):
        return compiled(*args, **kwargs)

    compiled = Function(told, lambda args, kwargs: HandOver(told))
    assert caller() == ((), {}, "caller")
    assert caller(1, [2], key=3) == ((1, [2]), {"key": 3}, "caller")
    assert HandOver(told).function is told


def test_what_such_a_function_raises_has_its_frames_alone():
    def raises(x):
        raise ValueError(x)

    compiled = Function(raises, lambda args, kwargs: HandOver(raises))
    with pytest.raises(ValueError, match="7") as caught:
        compiled(7)
    assert [entry.name for entry in caught.traceback][1:] == ["raises"]
    with pytest.raises(TypeError, match="not callable"):
        Function(raises, lambda args, kwargs: HandOver(None))(7)


# The callable


def test_face():
    def plain(x: float, *, y=2) -> float:
        """What it does."""

    plain.attribute = 7
    compiled = Function(plain, no_match)
    for name in ("__name__", "__qualname__", "__module__", "__doc__", "__annotations__"):
        assert getattr(compiled, name) == getattr(plain, name)
    assert compiled.__wrapped__ is plain
    assert compiled.attribute == 7
    assert inspect.signature(compiled) == inspect.signature(plain)
    compiled.stats = 5
    assert compiled.__dict__["stats"] == 5
    assert "test_face.<locals>.plain" in repr(compiled)
    assert weakref.ref(compiled)() is compiled
    assert copy.deepcopy(compiled) is compiled


def test_methods(make):
    class Owner:
        method = Function(lambda self, x: None, lambda args, kwargs: (args, kwargs))

    owner = Owner()
    assert owner.method(1, y=2) == ((owner, 1), {"y": 2})
    assert Owner.method(owner, 1) == ((owner, 1), {})
    bound = owner.method
    assert inspect.ismethod(bound)
    assert bound(3) == ((owner, 3), {})
    assert Owner.method is Owner.__dict__["method"]


def test_subclass(make):
    class Named(Function):
        def __init__(self, wrapped):
            super().__init__(wrapped, self.answer)

        def answer(self, args, kwargs):
            return len(args)

    compiled = Named(lambda: None)
    assert compiled(1, 2) == 2
    compiled.add(make("nothing", []))
    assert compiled() is None
    assert list(map(compiled, [1, 2])) == [1, 1]


def test_subclass_that_forgets_to_initialise():
    class Careless(Function):
        def __init__(self):
            pass

    with pytest.raises(RuntimeError, match="__init__"):
        Careless()()


pickled = Function(lambda: None, no_match)
pickled.__module__, pickled.__qualname__ = __name__, "pickled"


def test_pickled_by_name():
    assert pickle.loads(pickle.dumps(pickled)) is pickled


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda f: Function(len), "miss"),
        (lambda f: Function(len, 3), "miss must be callable"),
        (lambda f: f.add(3), "a Specialization or a Detour, not int"),
        (lambda f: f.retry(()), "retry takes"),
        (lambda f: f.retry([], {}), "retry takes"),
        (lambda f: f.retry((), []), "retry takes"),
        (lambda f: f.retry((), {1: 2}), "keywords must be strings"),
    ],
)
def test_wrong_uses(call, text):
    with pytest.raises(TypeError, match=text):
        call(function())


def test_miss_answers_or_raises():
    def miss(args, kwargs):
        if args:
            raise KeyError("from miss")
        return args, kwargs

    compiled = Function(len, miss)
    assert compiled(a=1) == ((), {"a": 1})
    with pytest.raises(KeyError, match="from miss"):
        compiled(1)
    assert compiled.counters() == {"calls": 2, "memory_hits": 0, "detoured": 0}


def test_miss_that_adds_and_retries(make):
    made = make("tell1", [array(0, (3,))], outputs=[("int64", ())], result=("scalar", 0))
    missed = []

    def miss(args, kwargs):
        missed.append(args)
        assert compiled.retry(args, kwargs) is NotImplemented
        compiled.add(made)
        return compiled.retry(args, kwargs)

    compiled = Function(len, miss)
    assert compiled(np.zeros(3)) == 1
    assert compiled(np.zeros(3)) == 1
    assert len(missed) == 1
    assert compiled.counters() == {"calls": 2, "memory_hits": 1, "detoured": 0}


def test_the_latest_hit_is_tried_first(make):
    answer = {"outputs": [("int64", ())], "result": ("scalar", 0)}
    general = make("tell1", [array(0, (sym(0),))], symbols=1, **answer)
    other = make("nothing", [("value", 1)])
    exact = make("tell2", [array(0, (4,))], **answer)
    compiled = function(general, other, exact)
    assert compiled.specializations() == [exact, other, general]
    assert compiled(np.zeros(4)) == 2
    assert compiled(np.zeros(5)) == 1
    assert compiled.specializations() == [general, exact, other]
    assert compiled(np.zeros(4)) == 1
    compiled.clear()
    assert compiled.specializations() == []
    assert compiled(np.zeros(4))[0] == "miss"


def test_guard_that_clears_the_function(make):
    class Clearing:
        __hash__ = None

        def __eq__(self, other):
            compiled.clear()
            gc.collect()
            return True

    compiled = function(make("nothing", [("value", 3)]))
    compiled.add(make("nothing", [("value", Clearing())], result=("const", "done")))
    assert compiled(Clearing()) == "done"
    assert compiled.specializations() == []


def test_cycles_are_collected(make):
    class Marker:
        pass

    marker = Marker()
    namespace = {"marker": marker}
    compiled = Function(lambda: None, namespace.get)
    namespace["compiled"] = compiled
    specialization = make(
        "nothing",
        [("tuple", [("is", marker)]), ("dict", ["k"], [("value", (marker,))])],
        extras=[(namespace, "marker", ("list", [("is", marker)]))],
        result=("list", [("const", marker), ("dict", ["k"], [("const", compiled)])]),
        keep=[compiled],
    )
    compiled.add(specialization)
    watched = weakref.ref(marker)
    marker = namespace = compiled = specialization = None
    gc.collect()
    assert watched() is None


# Threads


def test_large_calls_let_other_threads_run(make):
    compiled = function(make("wait_for_flag", [array(0, (1 << 14,))]))
    flag = np.zeros(1 << 14)
    started = threading.Timer(0.05, lambda: flag.__setitem__(0, 1))
    started.start()
    compiled(flag)  # raises MemoryError where the flag is never set
    started.join()


def test_arrays_live_as_long_as_the_call(make):
    compiled = function(make("wait_for_flag", [("list", [array(0, (1 << 18,))])]))
    items = [np.zeros(1 << 18)]
    memory = memoryview(items[0]).obj
    watched = weakref.ref(memory)
    keep = items[0].data

    def let_go():
        items.clear()
        np.frombuffer(keep)[0] = 1

    del memory
    timer = threading.Timer(0.05, let_go)
    timer.start()
    compiled(items)
    timer.join()
    keep = None
    gc.collect()
    assert watched() is None


def test_changes_while_calls_run(make, fused):
    compiled = function(fused)
    wrong, stop = [], threading.Event()

    def call(n):
        a, b, c = np.random.default_rng(n).random((3, n))
        expected = a * b + c
        for _ in range(300):
            answer = compiled(a, b, c)
            if type(answer) is np.ndarray and not np.array_equal(answer, expected):
                wrong.append(n)

    def change():
        while not stop.is_set():
            compiled.clear()
            compiled.add(make("nothing", [("value", 1)]))
            compiled.add(fused)

    changer = threading.Thread(target=change)
    callers = [threading.Thread(target=call, args=(n,)) for n in (16, 20000, 40000)]
    changer.start()
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join()
    stop.set()
    changer.join()
    assert not wrong
    assert compiled.counters()["calls"] == 900
