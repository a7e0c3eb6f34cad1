"""What nobody can read as one value, where there are more such choices than ways captured apart."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path

import numpy as np
import pytest

import quernel as qn
from quernel.errors import UnsupportedError

X = np.arange(20.0) + 1
N = np.arange(4) + 1
_CHOICES = 14  # a capture goes at most twelve of them both ways
_HEAD = """\
import numpy as np


def positive(v):
    if v[0] > 0:
        return v[0]


def program(x, n):
    y = x * 1
"""
_ELSE = "    f = {}\n    if x[{{k}}] > 0:\n        f = {}\n    y = y + {}\n"


def choosing(folder: Path, statements: str):
    """A function with the same statements many times, each with another element."""
    path = folder / "choosing.py"
    copies = "".join(statements.format(k=k) for k in range(_CHOICES))
    path.write_text(f"{_HEAD}{copies}    return y\n")
    spec = importlib.util.spec_from_file_location("choosing", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.program


@pytest.mark.parametrize(
    ("statements", "text"),
    [
        (
            _ELSE.format("np.sin", "np.cos", "f(x)"),
            "`f` is another object on one path than on the other",
        ),
        (
            _ELSE.format("x", "(x, 2)", "f[0]"),
            "`f` is of one kind on one path and of another on the other",
        ),
        (_ELSE.format("(x, x)", "(x,)", "len(f)"), "is a sequence of another length on one path"),
        (
            _ELSE.format("np.uint64(n[0])", "np.int64(n[1])", "f"),
            "`f` is a number of types that no dtype holds both of",
        ),
        (
            "    y = y + positive(x[{k}:])\n",
            "a value is nothing where positive() returns nothing, which data decide",
        ),
        (
            "    y = y + max(np.uint64(n[0]), np.int64(n[{k} % 4]))\n",
            "a value has types that no dtype holds both of",
        ),
    ],
)
def test_choices(tmp_path, statements, text):
    function = choosing(tmp_path, statements)
    with pytest.raises(UnsupportedError, match=re.escape(text)) as caught:
        qn.compile(function, fullgraph=True)(X, N)
    assert caught.value.file == function.__code__.co_filename
