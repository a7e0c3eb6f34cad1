"""Arrays on the emulated device: there and back, views, copies, and what other libraries lend."""

import os
import subprocess
import sys
import textwrap

from emulated_device import installation

BEGIN = """
import copy, gc, pickle
import numpy as np
import quernel as qn
from quernel import _runtime
from quernel.errors import DeviceError

X = np.arange(24.0).reshape(2, 3, 4)
array = qn.to_device(X)

class Foreign:
    def __init__(self, array, **changes):
        self.array = array
        self.__cuda_array_interface__ = {**array.__cuda_array_interface__, **changes}
"""


def run(body, **environment):
    script = BEGIN + textwrap.dedent(body) + "\nprint('done')\n"
    settings = {"CUDA_PATH": str(installation()), "PYTHONPATH": os.pathsep.join(sys.path)}
    ended = subprocess.run(
        [sys.executable, "-c", script],
        env=os.environ | settings | environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.stdout.splitlines()[-1:] == ["done"], ended.stdout + ended.stderr


def test_there_and_back():
    run("""
        assert qn.cuda.is_available()
        (device,) = qn.cuda.devices()
        assert (device.name, device.capability) == ("Quernel emulator", (8, 0))
        assert (array.to_host() == X).all() and (array.T[1:, ::2].to_host() == X.T[1:, ::2]).all()
        array[:, ::2] = 5
        X[:, ::2] = 5
        assert (array.to_host() == X).all()
        assert (qn.to_device(X.T).to_host() == X.T).all()
        assert qn.to_device(np.zeros((0, 3))).to_host().shape == (0, 3)
        for made in (array.copy(), copy.deepcopy(array[::-1]), pickle.loads(pickle.dumps(array))):
            assert sorted(made.to_host().ravel()) == sorted(X.ravel())
        assert (array.T.copy().to_host() == X.T).all()
        assert qn.cuda.memory_allocated() > 0
        del array, made
        assert qn.cuda.memory_allocated() == 0
        qn.cuda.synchronize()
        text = "there is no device 'cuda:1': this machine has 1 CUDA device"
        try:
            qn.to_device(X, "cuda:1")
        except DeviceError as error:
            assert str(error) == text
    """)


def test_what_others_lend():
    run("""
        lent = Foreign(array[1:], stream=1)
        taken = qn.to_device(lent)
        assert taken.address == array[1:].address and (taken.to_host() == X[1:]).all()
        taken[...] = 7
        assert (array.to_host()[1] == 7).all()
        again = qn.from_dlpack(array)
        held = qn.cuda.memory_allocated()
        del array, lent, taken
        assert (again.to_host()[1] == 7).all() and qn.cuda.memory_allocated() == held
        moved = again.copy()
        del again
        assert qn.cuda.memory_allocated() == held and (moved.to_host()[1] == 7).all()
        try:
            qn.to_device(Foreign(moved, data=(4096, False)))
        except DeviceError as error:
            assert "no device has memory at the address" in str(error)
        else:
            raise AssertionError
    """)


def test_modules():
    run("""
        class Net(qn.Module):
            def __init__(self):
                self.weights, self.inner = X.copy(), [X[0].copy()]

        net = Net().to("cuda")
        assert net.device == net.inner[0].device == "cuda:0"
        net.late = X
        assert (net.late.to_host() == X).all()
        assert (net.to("cpu").late == X).all()
    """)
