"""`quernel.to_device` and `DeviceArray`: views, copies, NumPy's functions, other libraries."""

from __future__ import annotations

import copy
import operator
import pickle
import weakref

import numpy as np
import pytest
from fake_devices import HOSTS, Devices, X, on_host, same

import quernel as qn
from quernel.devices import dispatch, driver
from quernel.errors import DeviceError


@pytest.fixture(autouse=True)
def devices(monkeypatch):
    made = Devices(2)
    monkeypatch.setattr(driver, "_source", made)
    return made


@pytest.fixture
def calls(monkeypatch):
    """What is run on a device; NumPy computes it."""
    seen = []

    def run(function, args, kwargs):
        seen.append(function)
        return on_host(function, args, kwargs)

    monkeypatch.setattr(dispatch, "_run", run)
    return seen


# There and back


@pytest.mark.parametrize("name", HOSTS)
def test_there_and_back(name):
    host = HOSTS[name]
    array = qn.to_device(host)
    assert same(array, host)
    assert (array.ndim, array.size, array.nbytes) == (host.ndim, host.size, host.nbytes)
    assert array.itemsize == host.itemsize
    assert array.device == "cuda:0"
    assert array.to_host().flags.writeable
    assert array._layout.is_dense(array.itemsize)
    order = [np.argsort([-abs(step) for step in a.strides], kind="stable") for a in (array, host)]
    assert name in ("repeated", "empty") or (order[0] == order[1]).all()


def test_what_is_taken():
    assert same(qn.to_device([[1, 2], [3, 4]]), np.array([[1, 2], [3, 4]]))
    assert same(qn.to_device(2.5), np.array(2.5))
    assert same(qn.to_device(X.astype(">f8")), X)
    assert same(qn.to_device(np.arange(3, dtype=np.longlong)), np.arange(3, dtype=np.longlong))
    assert qn.to_device(X, "cpu") is X
    array = qn.to_device(X)
    assert qn.to_device(array) is array
    assert qn.to_device(array, "cuda:0") is array
    with qn.device("cuda:1"):
        assert qn.to_device(array) is array
    other = qn.to_device(array, "cuda:1")
    assert other.device == "cuda:1"
    assert same(other, X)
    assert array.to_device("cpu").tobytes() == X.tobytes()
    with pytest.raises(ValueError, match=r"The stream argument in to_device\(\) is not supported"):
        array.to_device("cpu", stream=1)


def test_what_is_not_taken():
    for wrong in (np.array([None]), np.array(["a"]), np.zeros(2, "f8,i4"), np.zeros(2, "M8[s]")):
        with pytest.raises(
            TypeError, match=r"an array on a device can't have dtype .*; use bool, "
        ):
            qn.to_device(wrong)
    text = "a masked array can't be on a device; pass its data and its mask"
    with pytest.raises(TypeError, match=text):
        qn.to_device(np.ma.masked_array([1.0, 2.0]))


def test_memory_is_freed():
    array = qn.to_device(X)
    buffer = weakref.ref(array._buffer)
    part = array[0]
    del array
    assert buffer() is not None
    del part
    assert buffer() is None


def test_to_host():
    array, out = qn.to_device(X), np.zeros(X.shape, np.float32)
    assert array.to_host(out) is out
    assert (out == X).all()
    assert array.copy_to_host().tobytes() == X.tobytes()
    with pytest.raises(ValueError, match=r"out has the shape \(3,\), and the array \(2, 3, 4\)"):
        array.to_host(np.zeros(3))


# Views

KEYS = [
    0, -1, np.int64(1), (1, 2), (1, 2, 1), ..., (..., 0), np.s_[1:], np.s_[::-1], np.s_[:, 1:0],
    np.s_[:, None], np.s_[None, ..., None], np.s_[::-2, 1, ::-1], (), np.s_[-1, :, 1::2],
]  # fmt: skip


@pytest.mark.parametrize("host", [X, X.T, X[::-1, :, ::2]], ids=["C", "F", "gaps"])
@pytest.mark.parametrize("key", KEYS, ids=str)
def test_slices(host, key):
    array = qn.to_device(host)
    part = array[key]
    assert part._buffer is array._buffer
    assert same(part, np.asarray(host[key]))


def test_wrong_keys():
    array = qn.to_device(X)
    for key in (2, (0, 0, 0, 0), (..., ...), -3):
        with pytest.raises(IndexError) as ours:
            array[key]
        with pytest.raises(IndexError) as numpys:
            X[key]
        # NumPy counts the `...` that is put behind the others.
        assert str(ours.value).partition(":")[0] == str(numpys.value).partition(":")[0]


VIEWS = {
    "T": lambda a: a.T,
    "mT": lambda a: a.mT,
    "transpose": lambda a: a.transpose(1, 2, 0),
    "axes": lambda a: a.transpose((2, 0, 1)),
    "swapaxes": lambda a: a.swapaxes(0, -1),
    "squeeze": lambda a: a[:1].squeeze(0),
    "reshape": lambda a: a.reshape(6, 4),
    "-1": lambda a: a.reshape((4, -1)),
    "ravel": lambda a: a.ravel(),
    "view": lambda a: a.view(np.int32),
    "np.transpose": lambda a: np.transpose(a, (1, 0, 2)),
    "np.reshape": lambda a: np.reshape(a, (2, 12)),
    "np.ravel": np.ravel,
    "np.squeeze": lambda a: np.squeeze(a[:1]),
    "np.moveaxis": lambda a: np.moveaxis(a, 0, -1),
    "np.expand_dims": lambda a: np.expand_dims(a, (0, 2)),
    "np.broadcast_to": lambda a: np.broadcast_to(a, (5, 2, 3, 4)),
    "np.flip": lambda a: np.flip(a, 1),
    "np.rot90": np.rot90,
}


@pytest.mark.parametrize("name", VIEWS)
def test_other_views(name):
    array = qn.to_device(X)
    made = VIEWS[name](array)
    assert made._buffer is array._buffer
    assert same(made, VIEWS[name](X))


@pytest.mark.parametrize("order", "CFA")
@pytest.mark.parametrize("shape", [(24,), (6, 4), (4, 6), (-1, 2), (2, 3, 4, 1)], ids=str)
@pytest.mark.parametrize("host", [X, X.T, X[::-1]], ids=["C", "F", "backwards"])
def test_other_shapes(host, shape, order):
    array = qn.to_device(X.T).T if host is X else qn.to_device(host)
    made = array.reshape(*shape, order=order)
    assert same(made, host.reshape(shape, order=order))
    assert array.reshape(shape, order=order, copy=True)._buffer is not array._buffer
    assert same(array.flatten(order), host.flatten(order))


def test_shapes_that_cannot_be():
    array = qn.to_device(X)
    with pytest.raises(ValueError, match="cannot reshape array of size 24 into shape"):
        array.reshape(5, 5)
    with pytest.raises(ValueError, match="Unable to avoid creating a copy"):
        array.T.reshape(-1, copy=False)
    assert array.T.reshape(-1)._buffer is not array._buffer
    with pytest.raises(ValueError, match="repeated axis in transpose"):
        array.transpose(0, 0, 1)


def test_complex_parts(calls):
    host = X + 2j * X
    array = qn.to_device(host)
    assert same(array.real, host.real)
    assert same(array.imag, host.imag)
    assert array.imag._buffer is array._buffer
    assert array.real.real._buffer is array._buffer
    assert not calls
    assert same(array.real.imag, X * 0)
    assert calls == [np.imag]


# Writing


@pytest.mark.parametrize("host", [X, X.T, X[::-1, :, ::2]], ids=["C", "F", "gaps"])
@pytest.mark.parametrize("key", KEYS, ids=str)
def test_assignments(host, key):
    array, expected = qn.to_device(host), host.copy("K")
    for value in (7, np.float32(0.5)):
        array[key] = value
        expected[key] = value
        assert same(array, expected)
    values = np.arange(expected[key].size).reshape(expected[key].shape)
    array[key] = values
    expected[key] = values
    assert same(array, expected)


def test_assignments_beside_gaps():
    """Bytes that no element has stay what they are."""
    array = qn.to_device(np.arange(12.0).reshape(3, 4))
    wide = np.broadcast_to(array[:, ::3], (2, 3, 2))
    wide[...] = 5
    assert array.to_host().tolist() == [[5, 1, 2, 5], [5, 5, 6, 5], [5, 9, 10, 5]]
    with pytest.raises(ValueError, match="could not broadcast input array"):
        array[0] = [1, 2, 3]
    with pytest.raises(ValueError, match="could not broadcast input array"):
        array[:0] = [1, 2, 3]


def test_assignments_on_the_device(calls):
    array, expected = qn.to_device(X), X.copy()
    array[0] = array[1]
    expected[0] = expected[1]
    array[expected > 20] = 0
    expected[expected > 20] = 0
    array[:, [0, 2]] = 1
    expected[:, [0, 2]] = 1
    np.copyto(array[0], 3.0)
    np.copyto(expected[0], 3.0)
    assert same(array, expected)
    assert len(calls) == 3
    with pytest.raises(TypeError, match=r"numpy.copyto takes no `where` for an array on a device"):
        np.copyto(array, 1.0, where=expected > 1)
    with pytest.raises(TypeError, match="Cannot cast to float64 according to the rule 'same_kind'"):
        np.copyto(array, 1j)


def test_indices_that_are_arrays(calls):
    array = qn.to_device(X)
    for key in (X > 3, [1, 0], (0, np.array([2, 0])), True):
        assert same(array[key], X[key])
    assert len(calls) == 4


# Copies


def test_copies():
    array = qn.to_device(X).T
    for made in (array.copy(), copy.copy(array), copy.deepcopy(array), np.copy(array)):
        assert made._buffer is not array._buffer
        assert same(made, X.T)
    assert array.copy().strides == X.T.copy().strides
    assert copy.copy(array).strides == X.T.strides
    kept = qn.to_device(X, "cuda:1")[1:]
    made = pickle.loads(pickle.dumps(kept))
    assert made.device == "cuda:1"
    assert made._buffer.nbytes == X[1:].nbytes
    assert same(made, X[1:])


def test_pickles_of_devices_that_are_not_there(devices):
    text = pickle.dumps(qn.to_device(X, "cuda:1"))
    devices.count = 1
    with pytest.raises(DeviceError, match="there is no device 'cuda:1': this machine has 1 CUDA"):
        pickle.loads(text)


# As a Python object


def test_numbers():
    one, many = qn.to_device(np.float64(2.5)), qn.to_device(X)
    assert (float(one), int(one), complex(one), bool(one)) == (2.5, 2, 2.5, True)
    assert f"{one:.2f} {one}" == "2.50 2.5"
    assert range(5)[qn.to_device(3)] == 3
    assert one.item() == many[0, 0, 2].item() + 0.5
    assert many.tolist() == X.tolist()
    assert many.item(5) == 5
    with pytest.raises(ValueError, match="truth value of an array with more than one element"):
        bool(many)
    with pytest.raises(TypeError, match="only 0-dimensional arrays can be converted"):
        int(many)
    with pytest.raises(TypeError, match="unhashable"):
        hash(many)
    with pytest.raises(TypeError, match="unsupported format string"):
        f"{many:.2f}"


def test_sequences(calls):
    array = qn.to_device(X)
    assert len(array) == 2
    assert all(map(same, array, X))
    assert 5 in array
    assert 50 not in array
    none = qn.to_device(1.0)
    with pytest.raises(TypeError, match=r"len\(\) of unsized object"):
        len(none)
    with pytest.raises(TypeError, match="iteration over a 0-d array"):
        iter(none)


def test_texts():
    assert repr(qn.to_device([1.0, 2.0])) == "DeviceArray([1., 2.], device='cuda:0')"
    text = repr(qn.to_device(np.arange(2000, dtype=np.int8)))
    assert text.endswith("shape=(2000,), dtype=int8, device='cuda:0')")
    array = qn.to_device(X[0])
    assert repr(array).splitlines()[1] == "             [ 4.,  5.,  6.,  7.],"
    assert np.array_repr(array) == repr(array)
    assert np.array_str(array) == str(X[0])
    assert np.array2string(array, precision=1) == np.array2string(X[0], precision=1)


# NumPy's functions


def test_functions_run_on_the_device(calls):
    host = X + 1
    array = qn.to_device(host)
    for function in (operator.add, operator.matmul, operator.lt, operator.pow, divmod):
        other = X.mT if function is operator.matmul else X + 2
        for made, expected in ((function(array, other), function(host, other)),
                               (function(other, array), function(other, host))):  # fmt: skip
            pairs = zip(made, expected, strict=True) if function is divmod else [(made, expected)]
            assert all(same(*pair) for pair in pairs)
    assert same(-array, -host)
    assert same(abs(array - 12), abs(host - 12))
    assert same(np.add.reduce(array, axis=1), np.add.reduce(host, axis=1))
    assert same(np.concatenate([array, X]), np.concatenate([host, X]))
    assert same(np.where(array > 3, array, 0.0), np.where(host > 3, host, 0.0))
    assert same(array.sum(axis=0), host.sum(axis=0))
    assert same(array.astype("float32"), host.astype("float32"))
    assert same(array.argmax(), np.asarray(host.argmax()))
    assert same(np.linalg.norm(array, axis=-1), np.linalg.norm(host, axis=-1))
    assert [function for function in calls if function is np.concatenate] == [np.concatenate]


def test_functions_that_write(calls):
    array, host = qn.to_device(X), X.copy()
    before = array
    array += 1
    host += 1
    assert array is before
    assert np.multiply(array, 2, out=array) is array
    np.add.at(array, (0, 0), 5.0)
    np.multiply(host, 2, out=host)
    np.add.at(host, (0, 0), 5.0)
    assert same(array, host)


def test_questions_that_need_no_elements(calls):
    array = qn.to_device(X)
    assert (np.shape(array), np.ndim(array), np.size(array), np.size(array, 1)) == (
        (2, 3, 4), 3, 24, 3,
    )  # fmt: skip
    assert np.isrealobj(array) and not np.iscomplexobj(array)
    assert array.__array_namespace__() is np
    assert not calls


def test_other_kinds_of_operands():
    class Own:
        __array_ufunc__ = None

        def __radd__(self, other):
            return "mine"

    class Stranger:
        def __array_ufunc__(self, *args, **kwargs):
            return "its own"

        def __array_function__(self, *args, **kwargs):
            return "its own"

    array = qn.to_device(X)
    assert array + Own() == "mine"
    assert np.add(array, Stranger()) == "its own"
    assert np.concatenate([array, Stranger()]) == "its own"


def test_numpy_converts_nothing():
    array = qn.to_device(X)
    for convert in (np.asarray, np.array, lambda a: np.zeros(3) @ [a, a], np.float64):
        with pytest.raises(TypeError, match="isn't made a NumPy array by itself: call its to_host"):
            convert(array)


def test_arrays_on_two_devices(calls):
    first, second = qn.to_device(X), qn.to_device(X, "cuda:1")
    text = "arrays on cuda:0 and on cuda:1 in one call; move one of them"
    with pytest.raises(DeviceError, match=text):
        first + second
    with pytest.raises(DeviceError, match=text):
        np.concatenate([first, {"out": second}])
    assert (second + 1).device == "cuda:1"


def test_nothing_runs_functions(monkeypatch):
    monkeypatch.setattr(dispatch, "_runner", None)
    with pytest.raises(DeviceError, match="nothing carries out NumPy's functions on devices"):
        np.sort(qn.to_device(X))
