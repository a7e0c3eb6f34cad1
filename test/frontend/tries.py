"""Writes random functions of `try` statements within loops, branches and contexts.

Data decide which of their jumps are taken and what is raised. The numbers that a function computes
tell by which statements it has come.
"""

from __future__ import annotations

import random

_HEAD = """
import contextlib
import numpy as np

class OwnError(Exception):
    pass

class Swallows:
    def __init__(self):
        self.count = 0

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        self.count += 1
        return kind is not None and issubclass(kind, ZeroDivisionError)

def helper(v):
    try:
        if v > 0:
            return 5
    finally:
        if v < -1:
            return 6
    return 7

def function(x, out):
    n, m = 1, 2
""".lstrip()
_RAISED = ["ValueError('a')", "KeyError('k')", "OwnError"]
_CAUGHT = ["ValueError", "(KeyError, ZeroDivisionError) as error", "Exception"]
_CONTEXTS = [
    "contextlib.suppress(ValueError, ZeroDivisionError)", "contextlib.suppress(KeyError)",
    "np.errstate(all='ignore')", "Swallows()",
]  # fmt: skip
_MOST_BITS, _MOST_LOOPS, _DEPTH = 7, 2, 3


class Writer:
    """One function, as text.

    Parameters
    ----------
    prints : bool
        Whether some of its paths print.

    Attributes
    ----------
    bits : int
        How many elements of `x` decide about its way.
    """

    def __init__(self, seed: int, prints: bool = False) -> None:
        self._prints = prints
        self._random = random.Random(seed)
        self._lines: list[str] = []
        self.bits = self._marks = self._loops = self._tries = 0
        self._block(1, False, False)
        if not self._tries:
            self._try(1, False, False)
        self.text = _HEAD + "\n".join([*self._lines, "    return n, m"]) + "\n"

    def _put(self, depth: int, text: str) -> None:
        self._lines.append("    " * depth + text)

    def _one(self, choices: list[str]) -> str:
        return self._random.choice(choices)

    def _within(self, depth: int, head: str, in_loop: bool, handles: bool) -> None:
        self._put(depth, head)
        self._block(depth + 1, in_loop, handles)

    def _block(self, depth: int, in_loop: bool, handles: bool) -> None:
        kinds = [self._mark, self._branch, self._raising, self._loop, self._context, self._try]
        for _ in range(self._random.choice([1, 1, 2, 2, 3])):
            (kind,) = self._random.choices(kinds, [20, 25, 10, 12, 7, 26])
            is_simple = depth > _DEPTH or self.bits >= _MOST_BITS
            (self._mark if is_simple else kind)(depth, in_loop, handles)

    def _mark(self, depth: int, in_loop: bool, handles: bool) -> None:
        self._marks += 1
        k = self._marks
        texts = [
            f"n = (n * 3 + {k}) % 1000003", f"m = (m * 3 + {k}) % 1000003", f"n = {k + 1000}",
            f"out[{k % 3}] += n + {k}", f"t{k % 2} = {k}", f"m += t{k % 2}",
        ]  # fmt: skip
        (text,) = self._random.choices(texts, [6, 3, 2, 2, 2, 1])
        if self._prints and depth > 1 and self._random.random() < 0.2:
            text = f"print({k}, n)"
        self._put(depth, text)

    def _bit(self) -> str:
        self.bits += 1
        return f"x[{self.bits - 1}]"

    def _branch(self, depth: int, in_loop: bool, handles: bool) -> None:
        self._put(depth, f"if {self._bit()} > 0:")
        if self._random.random() < 0.75:
            self._jump(depth + 1, in_loop, handles)
        else:
            self._block(depth + 1, in_loop, handles)
        if self._random.random() < 0.3:
            self._within(depth, "else:", in_loop, handles)

    def _jump(self, depth: int, in_loop: bool, handles: bool) -> None:
        raised = [f"raise {what}" for what in _RAISED] + ["raise"] * handles
        self._put(
            depth,
            self._one(raised + ["return n", "return m"])
            if not in_loop
            else self._one([*raised, "return n", "return m", *["break", "continue"] * 2]),
        )

    def _raising(self, depth: int, in_loop: bool, handles: bool) -> None:
        texts = ["m = m + 7 // int({} != 0)", "n = n + helper({})"]
        self._put(depth, self._one(texts).format(self._bit()))

    def _loop(self, depth: int, in_loop: bool, handles: bool) -> None:
        if self._loops == _MOST_LOOPS:
            return self._mark(depth, in_loop, handles)
        self._loops += 1
        count = f"c{self._loops}"
        if self._random.random() < 0.6:
            self._put(depth, f"for {count} in range({self._one(['2', '3', 'len(x)'])}):")
        else:
            self._put(depth, f"{count} = 0")
            self._put(depth, f"while {count} < 3:")
            self._put(depth + 1, f"{count} += 1")
        self._block(depth + 1, True, handles)
        if self._random.random() < 0.4:
            self._within(depth, "else:", in_loop, handles)
        return None

    def _context(self, depth: int, in_loop: bool, handles: bool) -> None:
        self._within(depth, f"with {self._one(_CONTEXTS)}:", in_loop, handles)

    def _try(self, depth: int, in_loop: bool, handles: bool) -> None:
        self._tries += 1
        self._within(depth, "try:", in_loop, handles)
        is_caught = self._random.random() < 0.7
        if is_caught:
            for caught in self._random.sample(_CAUGHT, self._random.choice([1, 1, 2])):
                self._put(depth, f"except {caught}:")
                if caught.endswith("error") and self._random.random() < 0.6:
                    self._put(depth + 1, "n += len(str(error))")
                self._block(depth + 1, in_loop, True)
            if self._random.random() < 0.5:
                self._within(depth, "else:", in_loop, handles)
        if not is_caught or self._random.random() < 0.4:
            self._within(depth, "finally:", in_loop, handles)
