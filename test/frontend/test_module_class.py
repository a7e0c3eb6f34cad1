"""`quernel.Module`: its buffers, where they are, what is saved of them, and compiled methods."""

from __future__ import annotations

import copy
import dataclasses
import functools
import pickle
from collections import namedtuple

import numpy as np
import pytest
from fake_devices import NO_DRIVER, Devices, on_host

import quernel as qn
from quernel.devices import dispatch, driver
from quernel.errors import DeviceError

X = np.arange(12.0).reshape(4, 3)
Y = np.linspace(0, 1, 4)


@pytest.fixture
def devices(monkeypatch):
    made = Devices(2)
    monkeypatch.setattr(driver, "_source", made)
    monkeypatch.setattr(dispatch, "_run", on_host)
    return made


class Linear(qn.Module):
    def __init__(self, n, m):
        self.weights, self.bias, self.name = np.full((n, m), 0.5), np.zeros(m), "linear"

    def __call__(self, x):
        return np.tanh(x @ self.weights + self.bias)


Pair = namedtuple("Pair", "first second")


class Net(qn.Module):
    scale = np.ones(3)  # of the class

    def __init__(self):
        self.first = Linear(3, 2)
        self.layers = [Linear(2, 2), Linear(2, 2)]
        self.table = {"a": np.arange(3), 7: [np.ones(2), "text"]}
        self.pair = Pair(np.zeros(1), None)
        self.labels, self.count = np.array(["a", "b"]), 3
        self.again = self.first.bias


class Projection(qn.Module):
    """Onto the space of some columns; the matrix is made at the first call."""

    def __init__(self, columns):
        self.columns, self.inverse = columns, None

    def __call__(self, y):
        if self.inverse is None:
            self.inverse = np.linalg.pinv(self.columns)
        return self.columns @ (self.inverse @ y)


class Compiled(Projection):
    @qn.compile(fullgraph=True)
    def project(self, y):
        if self.inverse is None:
            self.inverse = np.linalg.pinv(self.columns)
        return self.columns @ (self.inverse @ y)


NAMES = [
    "first.weights", "first.bias", "layers.0.weights", "layers.0.bias", "layers.1.weights",
    "layers.1.bias", "table.a", "table.7.0", "pair.0",
]  # fmt: skip


def columns():
    return np.random.default_rng(1).random((4, 2))


def projected(y):
    a = columns()
    return a @ np.linalg.lstsq(a, y)[0]


def test_buffers():
    net = Net()
    assert [name for name, _ in net.named_buffers()] == NAMES
    assert [name for name, _ in net.named_buffers("net")] == [f"net.{name}" for name in NAMES]
    buffers = list(net.buffers())
    assert buffers[0] is net.first.weights
    assert len(buffers) == len(NAMES)
    assert list(net.modules()) == [net, net.first, *net.layers]
    assert list(qn.Module().buffers()) == []
    net.first.weights = X
    assert next(net.buffers()) is X
    del net.first
    assert next(iter(dict(net.named_buffers()))) == "layers.0.weights"


def test_modules_that_lead_to_themselves(devices):
    net = Linear(1, 1)
    net.parent, net.parts = net, [X]
    net.parts.append(net.parts)
    assert [name for name, _ in net.named_buffers()] == ["weights", "bias", "parts.0"]
    assert list(net.modules()) == [net]
    assert net.to("cuda").parent is net
    assert net.parts[0].device == "cuda:0"


def test_modules_that_several_ways_lead_to(devices):
    """However many there are: here each of twenty leads to all."""
    nets = [Linear(1, 1) for _ in range(20)]
    for net in nets:
        net.nets = nets
    assert len(list(nets[0].modules())) == 20
    assert len(nets[0].state_dict()) == 40
    assert list(nets[0].state_dict())[2:4] == ["nets.1.weights", "nets.1.bias"]
    nets[3].to("cuda")
    assert {net.device for net in nets} == {"cuda:0"}


def test_moving(devices):
    net = Net()
    assert net.device == "cpu"
    before = net.state_dict()
    assert net.to("cpu") is net
    assert all(now is then for now, then in zip(net.buffers(), before.values(), strict=False))
    assert net.to("cuda:1") is net
    assert net.device == net.layers[1].device == "cuda:1"
    assert all(type(buffer) is qn.DeviceArray for buffer in net.buffers())
    assert {buffer.device for buffer in net.buffers()} == {"cuda:1"}
    assert net.again is net.first.bias
    assert type(net.pair) is Pair
    assert net.table[7][1] == "text"
    assert type(net.labels) is type(net.scale) is np.ndarray
    x = qn.to_device(X, "cuda:1")
    assert np.allclose(net.first(x).to_host(), np.tanh(X @ before["first.weights"]))
    buffers = list(net.buffers())
    assert all(now is then for now, then in zip(net.to("cuda:1").buffers(), buffers, strict=True))
    assert net.to(None).device == "cuda:1"
    assert {buffer.device for buffer in net.to(qn.cuda.devices()[0]).buffers()} == {"cuda:0"}
    for name, buffer in net.to("cpu").state_dict().items():
        assert type(buffer) is np.ndarray
        assert (buffer == before[name]).all()


def test_a_module_without_to(devices):
    net = Linear(2, 2)
    net.bias = qn.to_device(net.bias)
    net.weights = qn.to_device(net.weights)
    assert net.device == "cuda:0"
    net.bias = Y
    assert net.bias is Y


def test_later_buffers_move(devices):
    projection = Projection(columns()).to("cuda")
    y = qn.to_device(Y)
    result = projection(y)
    assert projection.inverse.device == "cuda:0"
    assert np.allclose(result.to_host(), projected(Y))
    projection.more, projection.inner, projection.name = {"a": [X]}, [Linear(1, 1)], "text"
    assert projection.more["a"][0].device == "cuda:0"
    assert projection.inner[0].weights.device == projection.inner[0].device == "cuda:0"
    projection.to("cpu")
    projection.more = qn.to_device(X)
    assert type(projection.more) is np.ndarray
    assert type(projection.inverse) is np.ndarray


class Ways(qn.Module):
    """Other ways by which attributes are made."""

    def __init__(self):
        self.base = X

    @property
    def doubled(self):
        return self._doubled

    @doubled.setter
    def doubled(self, value):
        assert type(value) is np.ndarray
        self._doubled = 2 * value

    @functools.cached_property
    def total(self):
        return np.asarray(self.base.sum(axis=0))

    @functools.cached_property
    def constant(self):
        """Of the host, wherever the module is."""
        return np.ones(3)


class Slots(qn.Module):
    __slots__ = ("inner", "late")

    def __init__(self):
        self.inner = X


@dataclasses.dataclass(frozen=True)
class Frozen(qn.Module):
    weights: np.ndarray
    others: tuple = ()

    @functools.cached_property
    def mean(self):
        return np.ones(3)


def test_properties_and_slots(devices):
    ways = Ways().to("cuda")
    ways.doubled = X
    assert ways.doubled.device == "cuda:0"
    assert ways.constant.device == "cuda:0"
    assert ways.constant is ways.constant
    assert [name for name, _ in ways.named_buffers()] == ["base", "_doubled", "constant"]
    assert Ways.constant.__doc__.startswith("Of the host")
    slots = Slots().to("cuda")
    slots.late = Y
    assert [(name, b.device) for name, b in slots.named_buffers()] == [
        ("inner", "cuda:0"), ("late", "cuda:0"),
    ]  # fmt: skip
    frozen = Frozen(X, (Y, 3)).to("cuda")
    assert frozen.weights.device == frozen.others[0].device == frozen.mean.device == "cuda:0"
    with pytest.raises(dataclasses.FrozenInstanceError):
        frozen.weights = X


def test_devices_that_are_not_there(devices):
    net = Net()
    for wrong, text in (("cuda:2", "there is no device 'cuda:2'"), ("gpu", "device must be None")):
        with pytest.raises(DeviceError, match=text):
            net.to(wrong)
    devices.count = 0
    with pytest.raises(DeviceError) as raised:
        qn.Module().to("cuda")
    assert str(raised.value) == NO_DRIVER
    assert net.device == "cpu"


def test_a_device_whose_memory_ends(devices, monkeypatch):
    class Small(devices.DeviceBuffer):
        def __init__(self, device, nbytes):
            if nbytes == Y.nbytes:
                raise DeviceError("no memory is left on cuda:0")
            super().__init__(device, nbytes)

    net = Net()
    net.last = Linear(1, 1)
    net.last.weights = Y
    monkeypatch.setattr(Devices, "DeviceBuffer", Small)
    with pytest.raises(DeviceError, match="no memory is left on cuda:0"):
        net.to("cuda")
    assert all(type(buffer) is np.ndarray for buffer in net.buffers())
    assert net.first.device == "cpu"


# Saving


def test_states():
    net, other = Net(), Net()
    state = net.state_dict()
    assert list(state) == [*NAMES, "again"]
    assert state["first.weights"] is net.first.weights
    for buffer in net.buffers():
        np.add(buffer, 1, out=buffer)
    kept = other.first.bias
    other.load_state_dict(state)
    assert other.first.bias is kept is other.again
    assert (kept == 1).all()
    assert (other.table["a"] == np.arange(3) + 1).all()
    other.load_state_dict({"first.bias": [5, 6], "nothing": 1}, strict=False)
    assert kept.tolist() == [5, 6]
    assert kept.dtype == np.float64


def test_states_of_lazy_buffers(tmp_path):
    first, second = Projection(columns()), Projection(np.zeros((4, 2)))
    first(Y)
    np.savez(tmp_path / "state.npz", **first.state_dict())
    with np.load(tmp_path / "state.npz") as state:
        second.load_state_dict(state)
    assert np.allclose(second(Y), projected(Y))
    outer = qn.Module()
    outer.inner = Projection(columns())
    outer.load_state_dict({"inner.columns": columns(), "inner.inverse": first.inverse})
    outer.parts = [None]
    with pytest.raises(ValueError, match=r"unexpected: parts.0$"):
        outer.load_state_dict({**outer.state_dict(), "parts.0": X})
    assert outer.inner.inverse is not first.inverse
    assert (outer.inner.inverse == first.inverse).all()


def test_states_on_devices(devices):
    net, other = Linear(3, 2), Linear(3, 2).to("cuda")
    net.weights[:] = 7
    weights = other.weights
    other.load_state_dict(net.state_dict())
    assert other.weights is weights
    assert (weights.to_host() == 7).all()
    net.weights[:] = 0
    net.load_state_dict(other.state_dict())
    assert (net.weights == 7).all()
    lazy = Projection(columns()).to("cuda:1")
    lazy.load_state_dict({"inverse": X}, strict=False)
    assert lazy.inverse.device == "cuda:1"


def test_states_that_do_not_fit():
    net = Linear(3, 2)
    net.fixed = np.broadcast_to(Y, (2, 4))
    state = {
        "weights": np.ones((2, 3)), "bias": np.ones(2) * 1j, "fixed": np.ones((2, 4)), "a": X,
        "b.c": X,
    }  # fmt: skip
    with pytest.raises(ValueError, match="the arrays don't fit Linear") as raised:
        net.load_state_dict(state)
    assert str(raised.value).splitlines() == [
        "the arrays don't fit Linear:",
        "  unexpected: a, b.c",
        "  weights has shape (2, 3), and the buffer (3, 2)",
        "  bias has dtype complex128, and the buffer float64",
        "  fixed is read-only",
    ]
    with pytest.raises(ValueError, match="missing: bias, fixed"):
        net.load_state_dict({"weights": np.ones((3, 2))})
    assert (net.weights == 0.5).all()


def test_copies(devices):
    net = Net()
    net.first.weights += 1
    for device in ("cpu", "cuda:1"):
        net.to(device)
        for made in (copy.deepcopy(net), pickle.loads(pickle.dumps(net))):
            assert type(made) is Net
            assert made.device == device
            assert made.first.weights is not net.first.weights
            assert made.again is made.first.bias
            pairs = zip(made.buffers(), net.buffers(), strict=True)
            assert all(type(a) is type(b) and a.tolist() == b.tolist() for a, b in pairs)
            made.late = X
            assert type(made.late) is type(made.again)
        assert copy.copy(net).first is net.first


# Compiled methods


def stats(function):
    counts = function.stats()
    return counts["compiles"] + counts["disk_hits"], counts["fallbacks"]


def test_compiled_methods():
    made = Compiled(columns())
    for _ in range(3):
        assert np.allclose(made.project(Y), projected(Y))
    assert type(made.inverse) is np.ndarray
    assert stats(Compiled.project) == (2, 0)  # without the inverse, and with it
    made.inverse = made.inverse * 2
    assert np.allclose(made.project(Y), 2 * projected(Y))
    made.columns = made.columns * 2
    assert np.allclose(made.project(Y), 4 * projected(Y))
    other = Compiled(columns()).to("cpu")
    assert np.allclose(other.project(Y), projected(Y))
    assert stats(Compiled.project) == (2, 0)


class Methods(qn.Module):
    def __init__(self):
        self.inner, self.layers, self.total = Linear(3, 2), [Linear(2, 2)], np.zeros(2)

    @functools.cached_property
    def mean(self):
        return self.inner.weights.mean(axis=0)

    @qn.compile(fullgraph=True)
    def __call__(self, x):
        x = self.inner(x)
        for layer in self.layers:
            x = layer(x)
        self.total += x.sum(axis=0)
        return x * self.mean

    @qn.compile(fullgraph=True)
    def where(self):
        return self.device, np.ones(2)

    @qn.compile(fullgraph=True)
    def made(self, x):
        new = Linear(3, 2)
        new.bias = x
        return new


def test_compiled_methods_with_submodules():
    module, x = Methods(), X / 12
    expected = np.tanh(np.tanh(x @ module.inner.weights) @ module.layers[0].weights)
    assert np.allclose(module(x), expected * 0.5)
    assert np.allclose(module.total, expected.sum(axis=0))
    assert "mean" in dict(module.named_buffers())
    module.inner.bias = np.ones(2)
    changed = np.tanh(np.tanh(x @ module.inner.weights + 1) @ module.layers[0].weights)
    assert np.allclose(module(x), changed * 0.5)
    assert np.allclose(module.total, (expected + changed).sum(axis=0))
    assert stats(Methods.__call__)[1] == 0
    made = module.made(np.ones(2))
    assert type(made) is Linear
    assert made.bias.tolist() == [1, 1]
    assert stats(Methods.made) == (1, 0)


def test_a_compiled_method_that_asks_for_the_device():
    module = Methods().to("cpu")
    assert module.where()[0] == "cpu"
    assert stats(Methods.where) == (1, 0)


def test_a_compiled_function_of_a_module():
    @qn.compile(fullgraph=True)
    def apply(module, x):
        return module(x) + 1

    module = Linear(3, 2)
    assert np.allclose(apply(module, X), np.tanh(X @ module.weights) + 1)
    assert stats(apply) == (1, 0)


@pytest.mark.filterwarnings("ignore::quernel.FallbackWarning")
def test_compiled_methods_on_a_device(devices):
    """Until there are programs for devices, NumPy's functions run there one by one."""
    module = Compiled(columns()).to("cuda")
    assert Compiled.project.__wrapped__(module, qn.to_device(Y)).device == "cuda:0"
    assert module.inverse.device == "cuda:0"
