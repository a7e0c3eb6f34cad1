"""Calls each expression of a case in NumPy and compiled, and says what became of them."""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from fuzz.arguments import Arguments
from fuzz.judge import function_of, refusal
from fuzz.oracle import differences, observe

import quernel as qn
from quernel.numpy.loader import implementation_of

from .cases import Case

PARAMETERS = "x, y, m, s, p, q, i, j, b"
PRELUDE = """import numpy as np
import scipy.fft
import scipy.integrate
import scipy.linalg
import scipy.ndimage
import scipy.signal
import scipy.spatial.distance
import scipy.special


def of(array, use):
    answer = use(array)
    return array if answer is None else answer


def at(ufunc, x, y):
    ufunc.at(x, [0, 2, 2], y[:3])
    return x


"""
# How far floats may be apart, for `oracle.are_near`.
BOUNDS = {"float16": 1.5e-3, "float32": 3e-5, "complex64": 3e-5}
BOUND = 1e-10


@dataclass
class Verdict:
    """What became of a case's calls.

    Attributes
    ----------
    kind : str
        Its class: that of the last compiled call for float64 arrays, else that of the first one
        for others; "NumPy" where none is.
    compiled, taken : list of str
        The dtypes all of whose calls are compiled and right, and those that NumPy takes.
    refused : dict of str to str
        Reasons of calls that can't be compiled, with the first dtype of each.
    different : list of (kind, text)
        What differs from NumPy.
    """

    kind: str = "NumPy"
    compiled: list[str] = field(default_factory=list)
    taken: list[str] = field(default_factory=list)
    refused: dict[str, str] = field(default_factory=dict)
    different: list[tuple[str, str]] = field(default_factory=list)


def arguments(dtype: str) -> Arguments:
    """The arrays that a call's names stand for."""
    random = np.random.default_rng(7)
    kind = np.dtype(dtype).kind

    def made(*shape: int) -> np.ndarray:
        values = random.integers(1, 8, shape)
        if kind == "b":
            return values > 4
        if kind == "f":
            values = values + random.integers(0, 4, shape) / 4
        if kind == "c":  # near 1, as powers of powers are among the calls
            values = (values + 4) / 8 + 1j * random.integers(-3, 4, shape) / 8
        return values.astype(dtype)

    def regular() -> np.ndarray:
        return (made(4, 4) + 9 * np.eye(4)).astype(dtype)

    x, y, m, s = made(6), made(6), made(4, 5), regular()
    p = (s @ s.conj().T + np.eye(4)).astype(dtype)
    q = regular().reshape(2, 2, 2, 2)
    i, j = random.integers(0, 4, 4), random.integers(0, 4, 4)
    return Arguments([x, y, m, s, p, q, i, j, random.random(6) > 0.5])


def judge(case: Case, folder: Path) -> Verdict:
    """Run all expressions of a case for all of its dtypes."""
    verdict = Verdict()
    if not case.called:
        verdict.refused["it is about the interpreter, or about files"] = ""
        return verdict
    functions = [
        function_of(
            f"{PRELUDE}def compute({PARAMETERS}):\n    return {expression}\n",
            folder / f"call_{number}.py",
        )
        for number, expression in enumerate(case.expressions)
    ]
    compiled = [qn.compile(function, fullgraph=True) for function in functions]
    for dtype in case.dtypes:
        answers = [
            _judge_call(case, number, dtype, functions[number], compiled[number], verdict)
            for number in range(len(functions))
        ]
        if set(answers) != {None}:
            verdict.taken.append(dtype)
            if False not in answers:
                verdict.compiled.append(dtype)
    return verdict


def _judge_call(
    case: Case, number: int, dtype: str, function: Any, compiled: Any, verdict: Verdict
) -> bool | None:
    """Whether a call is compiled and right; None of one that NumPy refuses, too."""
    want = observe(function, arguments(dtype))
    try:
        got = observe(compiled, arguments(dtype))
    except qn.errors.QuernelError as error:
        if want.error is not None and refusal(error, 0).kind != "internal":
            return None
        reason = getattr(error, "reason", str(error))
        verdict.refused.setdefault(reason, dtype)
        return False
    found = differences(want, got, BOUNDS.get(dtype, BOUND), False)
    if case.name.startswith("scipy"):  # its results lie as its Fortran routines leave them
        found = [difference for difference in found if difference.kind != "alias"]
    if found and case.compared:
        text = f"{case.expressions[number]} of {dtype}: {found[0].text}"
        verdict.different.append((found[0].kind, text))
    if want.error is not None:
        return None
    if verdict.kind == "NumPy" or dtype == "float64":
        verdict.kind = _kind_of(case, compiled, dtype)
    return True


def _kind_of(case: Case, compiled: Any, dtype: str) -> str:
    """What a compiled call is made of."""
    text = compiled.lower(*arguments(dtype).values).text("cpp")
    if "context->call(" in text or "call_user(" in text:
        return "library"
    program = text[text.index('extern "C"') :]
    if not re.search(r"\w+\(|\[\w+\] = ", program.partition("{")[2]):
        return "known"
    if case.name.startswith("ndarray"):
        return "fused"
    if case.name.startswith("scipy"):
        return "fused" if "special" in case.name else "composed"
    function = functools.reduce(getattr, case.name.split(".")[1:], np)
    is_own = isinstance(function, np.ufunc) or implementation_of(function) is not None
    return "fused" if is_own else "composed"
