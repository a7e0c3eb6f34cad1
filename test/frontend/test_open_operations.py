"""Each operation on a number that is Python's on one path and NumPy's on the other.

A function is written for each operation and each pair of types, and called on both ways.
"""

from __future__ import annotations

import importlib.util
import warnings
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import quernel as qn

# What the number is on the one way, as Python writes it, and on the other.
NUMBERS = {
    "bool": ("True", np.bool_(True)),
    "int": ("3", np.int64(5)),
    "float": ("0.5", np.float64(1.5)),
    "float32": ("0.5", np.float32(1.5)),
    "complex": ("1 + 2j", np.complex128(2 - 1j)),
    "int and float64": ("3", np.float64(1.5)),
}
OPERATORS = """
s + True; True + s; s - True; s * True; s / True; s // True; s % True; s & True; s | True
s ^ True; s << 1; ~s; -s; +s; not s; s < 1; s == True; 1 < s < 3; s is True; s and 2; s or 2
s in (1, 2); s + 1; 1 - s; s * 2; s / 2; 1 / s; s // 2; 7 % s; s + 0.5; s / 0.1; s + 1j; s**2
2**s; s / (1 < True); y * s; y + s; s / y; y**s; y // s; y % s; i * s; i + s; u + s; u * s; u - s
x + s; x * s; y * (s + True); y * (s * True); y * (s + 1); y * (s * s); y * -s; y * s**2; y[s]
"""
BUILTINS = """
round(s); round(s, 1); int(s); float(s); bool(s); complex(s); abs(s); type(s); isinstance(s, int)
isinstance(s, np.generic); min(s, 1); max(1, s); min(s, 0.25); divmod(s, 2); divmod(7, s)
pow(s, 2); pow(s, 0.5); sum([s, 1]); s.real; s.imag; s.conjugate(); math.sqrt(s); math.floor(s)
math.hypot(s, 1); operator.add(s, True); y * round(s, 1); y * round(s); y * abs(s); y * min(s, 1)
y * max(s, 0.25); y * sum([s, 1]); y * divmod(s, 2)[0]; y * pow(s, 2); y * int(s); y * bool(s)
[x, s][n]; [s, s][n]; (s, 1)[0]; y * [s, 0.25][1]; y * [s, s][n]; y * [s, x][n]
y * (s if m[0] else 1)
"""
FUNCTIONS = """
np.add(s, 1); np.divide(s, 0); np.less(s, 1); y * np.add(s, 1); y * np.abs(s); y * np.sqrt(s)
np.maximum(y, s); np.power(y, s); np.clip(y, 0, s); np.clip(s, 0, 1); np.where(m, y, s)
np.where(m, s, 1); np.r_[y, s]; np.r_[s, y, 1]; np.append(y, s); np.concatenate([y, [s]])
np.hstack([y, s]); np.stack([s, s]); np.array([s, 1]); np.array(s); np.asarray([x, s])
np.full(2, s); np.full_like(y, s); np.dot(y, s); np.isclose(y, s); np.linspace(0, s, 3)
np.real(s); np.imag(s); np.conj(s); np.sign(s); np.exp(s); np.result_type(y, s)
np.select([m], [y], s); np.insert(y, 0, s); np.outer(y, [s, s]); np.divmod(y, s)
np.multiply.outer(y, s); np.add.reduce([s, 1]); np.float32(s); np.int64(s)
np.pad(y, 1, constant_values=s)
"""
WITH_FUNCTIONS = ("bool", "float32", "int and float64")


def split(text: str) -> list[str]:
    return [part.strip() for part in text.replace("\n", ";").split(";") if part.strip()]


ROWS = [(kind, operation) for kind in NUMBERS for operation in split(OPERATORS + BUILTINS)]
ROWS += [(kind, operation) for kind in WITH_FUNCTIONS for operation in split(FUNCTIONS)]
NAMES = {row: f"f{k}" for k, row in enumerate(ROWS)}


@pytest.fixture(scope="module")
def functions(tmp_path_factory: pytest.TempPathFactory) -> ModuleType:
    """A module that has a function for each row."""
    lines = ["import math", "import operator", "", "import numpy as np", ""]
    for (kind, operation), name in NAMES.items():
        lines += [
            f"def {name}(number, taken, y, n, m, i, u):",
            f"    s = {NUMBERS[kind][0]}",
            "    if taken[0]:",
            "        s = number[0]",
            "    x = y[0]",
            f"    return {operation}",
            "",
        ]
    file: Path = tmp_path_factory.mktemp("open") / "operations_on_open_numbers.py"
    file.write_text("\n".join(lines))
    spec = importlib.util.spec_from_file_location(file.stem, file)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def told(function: Any, number: np.generic, taken: bool) -> Any:
    """What a function gives, with the types of all its numbers; or raises."""
    y = np.array([1, 2], "float32")
    others = (y, 1, np.array([True, False]), np.array([1, 2]), np.array([1, 2], "uint8"))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return described(function(np.array([number]), np.array([taken]), *others))
        except (TypeError, ValueError, ZeroDivisionError, IndexError, OverflowError) as error:
            return type(error), str(error)


def described(obj: Any) -> Any:
    if isinstance(obj, tuple | list):
        return type(obj), [described(item) for item in obj]
    if isinstance(obj, np.ndarray):
        return obj.dtype, obj.tolist()
    return type(obj), obj


@pytest.mark.parametrize(("kind", "operation"), ROWS, ids=[" ".join(row) for row in ROWS])
def test_operation(functions: ModuleType, kind: str, operation: str) -> None:
    function = getattr(functions, NAMES[kind, operation])
    # NumPy warns where it drops imaginary parts, and does that itself.
    compiled = qn.compile(function, fullgraph=kind != "complex")
    for taken in (False, True):
        number = NUMBERS[kind][1]
        assert told(compiled, number, taken) == told(function, number, taken)


def scaled(x, taken):
    s = 2**62
    if taken[0]:
        s = x[0]
    return np.float64(s * 4)


def summed(x, taken):
    s = 2**62
    if taken[0]:
        s = x[0]
    return float(s + s)


def negated(x, taken):
    s = -(2**63)
    if taken[0]:
        s = x[0]
    return float(-s)


@pytest.mark.parametrize("function", [scaled, summed, negated])
@pytest.mark.parametrize("taken", [False, True])
def test_python_integers_have_no_bounds(function: Any, taken: bool) -> None:
    args = np.array([2**62]), np.array([taken])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert qn.compile(function)(*args) == function(*args)
