"""`quernel.cuda`, names of devices, and blocks that ask for one."""

from __future__ import annotations

import threading
import warnings

import numpy as np
import pytest
from fake_devices import FACTS, NO_DRIVER, Devices

import quernel as qn
from quernel.devices import driver, selection
from quernel.errors import DeviceError

NO_NAME = "device must be None, 'cpu', 'cuda' or 'cuda:N', not "


@pytest.fixture
def two(monkeypatch):
    devices = Devices(2)
    monkeypatch.setattr(driver, "_source", devices)
    return devices


@pytest.fixture
def none(monkeypatch):
    monkeypatch.setattr(driver, "_source", Devices(0))


def double(x):
    return x * 2


def error_of(function, *args, **kwargs):
    with pytest.raises(DeviceError) as raised:
        function(*args, **kwargs)
    return str(raised.value)


def test_without_a_driver(none):
    assert not qn.cuda.is_available()
    assert qn.cuda.devices() == []
    for function in (qn.cuda.synchronize, qn.cuda.memory_allocated, qn.cuda.memory_reserved):
        assert error_of(function) == NO_DRIVER
    assert error_of(qn.to_device, np.ones(3)) == NO_DRIVER
    assert error_of(qn.device("cuda").__enter__) == NO_DRIVER
    with qn.device("cpu"):
        assert qn.compile(double)(np.ones(3)).sum() == 6


def test_a_build_without_devices(monkeypatch):
    monkeypatch.setattr(driver, "_source", object())
    assert not qn.cuda.is_available()
    text = "this build of Quernel has no part that drives CUDA devices"
    assert error_of(qn.cuda.synchronize) == text


def test_devices(two):
    assert qn.cuda.is_available()
    first, second = qn.cuda.devices()
    assert (first.index, second.index) == (0, 1)
    assert str(second) == "cuda:1"
    assert {name: getattr(first, name) for name in FACTS} == FACTS
    assert first == qn.cuda.devices()[0] != second
    assert len({first, second, qn.cuda.devices()[1]}) == 2
    assert "name='Imaginary'" in repr(first)
    assert qn.to_device(np.ones(2), second).device == "cuda:1"


def test_memory(two):
    before = [qn.cuda.memory_allocated(k) for k in (0, 1)]
    array = qn.to_device(np.ones(1000), "cuda:1")
    assert qn.cuda.memory_allocated() == before[0]
    assert qn.cuda.memory_allocated("cuda:1") == before[1] + array.nbytes
    assert qn.cuda.memory_reserved(1) == 2 * qn.cuda.memory_allocated(1)
    del array
    assert qn.cuda.memory_allocated(qn.cuda.devices()[1]) == before[1]


def test_synchronize(two):
    qn.cuda.synchronize("cuda:1")
    qn.cuda.synchronize(0)
    qn.cuda.synchronize()
    assert two.synchronized == [1, 0, 0, 1]


def test_devices_that_are_not_there(two):
    text = "there is no device 'cuda:2': this machine has 2 CUDA devices"
    for function in (qn.cuda.synchronize, qn.cuda.memory_reserved, driver.info):
        assert error_of(function, 2) == text
    assert error_of(qn.to_device, 1.0, "cuda:2") == text
    two.count = 1
    text = "there is no device 'cuda:1': this machine has 1 CUDA device"
    assert error_of(qn.cuda.memory_allocated, "cuda:1") == text


@pytest.mark.parametrize("wrong", ["cpu", None, -1, True, 1.0, "gpu", b"cuda"], ids=str)
def test_what_is_no_cuda_device(two, wrong):
    text = error_of(qn.cuda.memory_allocated, wrong)
    if wrong == "gpu":
        assert text == f"{NO_NAME}'gpu'"
    else:
        assert text == f"a CUDA device is 'cuda', 'cuda:N' or its number, not {wrong!r}"


@pytest.mark.parametrize(
    "wrong", ["CPU", "cuda:", "cuda:-1", "cuda:01", "cuda:a", "cuda 0", "", 0, True, ("cpu",)]
)
def test_what_names_no_device(wrong):
    for function in (selection.parse, qn.device, lambda device: qn.compile(double, device=device)):
        assert error_of(function, wrong) == f"{NO_NAME}{wrong!r}"


def test_names(two):
    names = {None: None, "cpu": "cpu", "cuda": "cuda:0", "cuda:0": "cuda:0", "cuda:17": "cuda:17"}
    assert {name: selection.parse(name) for name in names} == names
    assert selection.parse(qn.cuda.devices()[1]) == "cuda:1"


def test_blocks(two):
    assert selection.asked_for() is None
    outer, seen = qn.device("cuda:1"), []
    with outer as entered:
        assert entered is outer
        assert repr(outer) == "quernel.device('cuda:1')"
        assert qn.to_device(np.ones(2)).device == "cuda:1"
        thread = threading.Thread(target=lambda: seen.append(selection.asked_for()))
        thread.start()
        thread.join()
        with qn.device("cpu"), outer:
            assert selection.asked_for() == "cuda:1"
            with qn.device(None):
                assert selection.asked_for() is None
        assert selection.asked_for() == "cuda:1"
    assert seen == [None]
    assert selection.asked_for() is None
    with pytest.raises(KeyError), outer:
        raise KeyError
    assert selection.asked_for() is None


def test_calls_for_a_device(two):
    """They are no errors before they have to run; the stand-ins of devices run no programs."""
    compiled = qn.compile(double, device="cuda")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        error_of(compiled, np.ones(3))
    follows, stays = qn.compile(double), qn.compile(double, device="cpu")
    with qn.device("cuda"):
        error_of(follows, np.ones(3))
        assert stays(np.ones(3)).sum() == 6
    assert follows(np.ones(3)).sum() == 6
    assert compiled.stats()["fallbacks"] == 0


def test_names_of_the_package():
    assert {"DeviceArray", "Module", "cuda", "device", "from_dlpack", "to_device"} <= set(
        qn.__all__
    )
    for name in qn.__all__:
        assert getattr(qn, name) is not None
