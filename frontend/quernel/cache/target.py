"""The processors and devices to compile for, known without loading the compiler."""

from __future__ import annotations

import contextlib
import platform
import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

from numpy._core import _multiarray_umath

from .. import _runtime

# What is compiled ahead of time for other machines, where nobody says what for.
USUAL_TARGETS = ("x86-64-v2", "x86-64-v3", "x86-64-v4")
# The same for devices; newer ones run what was compiled for the last.
USUAL_DEVICE_TARGETS = ("sm_75", "sm_80", "sm_90")
# All devices that programs on disk may have been compiled for.
_NUMBERS = (75, 80, 86, 87, 88, 89, 90, 100, 101, 103, 110, 120, 121)
KNOWN_DEVICE_TARGETS = tuple(f"sm_{number}" for number in _NUMBERS)
_VECTOR_MATH = "+svml"  # what a target ends with whose programs call NumPy's vector functions
_DEVICE = re.compile(r"sm_([1-9][0-9]+)")

_chosen: list[str] = []


def host_target() -> str:
    """The target that programs of this process are compiled for, as the compiler names it.

    It is the processor's level, with ``+svml`` where programs can call NumPy's functions of math;
    or the one that is chosen.
    """
    last = _chosen[-1] if _chosen else None
    return _detected() if last is None or capability(last) is not None else last


def chosen_device() -> str | None:
    """The target for devices that is chosen; None where programs are for the devices here."""
    last = _chosen[-1] if _chosen else None
    return None if last is None or capability(last) is None else last


def capability(target: str) -> int | None:
    """The compute capability of a target, 86 for ``sm_86``; None for what is for processors."""
    found = _DEVICE.fullmatch(target)
    return None if found is None else int(found[1])


def runnable(targets: Iterable[str], here: str) -> list[str]:
    """Those of some targets whose programs another one runs, too; the best first.

    Programs for devices have PTX, which the driver compiles for newer devices.
    """
    own = capability(here)
    if own is None:
        known = set(targets)
        usable = dict.fromkeys(map(_as_numpy_computes, _runtime.usable_targets()))
        return [target for target in usable if target in known]
    found = {target: capability(target) for target in targets}
    older = [target for target, number in found.items() if number is not None and number <= own]
    return sorted(older, key=lambda target: -found[target])


@lru_cache(maxsize=1)
def _detected() -> str:
    if platform.machine() not in ("x86_64", "AMD64"):
        return platform.machine()
    return _as_numpy_computes(_runtime.host_target())


def _as_numpy_computes(target: str) -> str:
    """A target without NumPy's vector functions where NumPy itself doesn't call them.

    Its loops may be those of its baseline although the processor can do more, as
    ``NPY_DISABLE_CPU_FEATURES`` says. The tangent has no loops but theirs and the C library's.
    """
    loops = getattr(_multiarray_umath, "__cpu_targets_info__", {}).get("tan", {}).get("dd", {})
    is_called = not loops.get("current", "").startswith("baseline")
    return target if is_called else target.removesuffix(_VECTOR_MATH)


@contextlib.contextmanager
def chosen(target: str) -> Iterator[None]:
    """Compile for another target; what comes of it isn't to be called here."""
    _chosen.append(target)
    try:
        yield
    finally:
        _chosen.pop()
