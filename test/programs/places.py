"""What tests of programs vary less on a device than on a CPU.

Numbers of threads mean nothing there, sizes that are chosen for a CPU's threads and caches are like
any others, and the emulated device takes long for a text and for an element.
"""

from __future__ import annotations

import os
from typing import TypeVar

T = TypeVar("T")

#: Where functions without a device of their own run, as `--device` says; empty for the CPU.
PLACE = os.environ.get("QUERNEL_TEST_DEVICE", "")


def thread_counts(*counts: int) -> tuple[int, ...]:
    """The numbers of threads that a test compares; one of them on a device."""
    return counts[:1] if PLACE else counts


def examples(count: int) -> int:
    """How many examples hypothesis tries; a quarter of them on a device."""
    return -(-count // 4) if PLACE else count


def by_place(cpu: T, device: T) -> T:
    """Sizes for a CPU, or those for a device."""
    return device if PLACE else cpu
