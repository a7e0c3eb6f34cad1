import os
import subprocess
from pathlib import Path

import pytest
from binding_support import array, function, sym
from quernel._runtime import Program, Specialization


@pytest.fixture(scope="session")
def kernels(tmp_path_factory):
    """The path of a shared object with the programs of kernels.c."""
    made = tmp_path_factory.mktemp("kernels") / "kernels.so"
    source = Path(__file__).parent / "kernels.c"
    compiler, headers = os.environ.get("CC", "cc"), Path(__file__).parents[3]
    command = [compiler, "-O1", "-shared", "-fPIC", "-pthread", f"-I{headers}", source, "-o", made]
    subprocess.run(command, check=True)
    return str(made)


@pytest.fixture
def make(kernels):
    """A specialization of a kernel; without outputs and with the result None unless told."""

    def made(entry, parameters, shapes=None, **details):
        forms = {
            "nargs": len(parameters),
            "symbols": 0,
            "outputs": [],
            "result": ("const", None),
        }
        program = Program(kernels, entry, shapes)
        return Specialization(program, parameters=parameters, **(forms | details))

    return made


@pytest.fixture
def fits(make):
    """Whether a single guard holds for an object."""

    def holds(guard, obj, **details):
        return function(make("nothing", [guard], **details))(obj) is None

    return holds


@pytest.fixture
def fused(make):
    parameters = [array(k, (sym(0),)) for k in range(3)]
    return make(
        "fused",
        parameters,
        "fused_shapes",
        symbols=1,
        outputs=[("float64", (None,))],
        result=("output", 0),
    )
