"""Random loop nests that update arrays in place, against NumPy: every dependence has to be kept.

The arrays hold integers, so that sums are exact in any order and a wrong order of two writes shows.
"""

from __future__ import annotations

import random
import textwrap
from pathlib import Path

import numpy as np
import pytest
from support import module_of

import quernel as qn

SIZE = 37  # whole vectors and some elements more
# Slices of one length each: of the whole, left of a counter, right of it.
INNER = ("1:-1", ":-2", "2:")
LEFT = (":{c}", "1:{c} + 1", "N - {c}:")
RIGHT = ("{c}:", ":N - {c}")
PLACES = ("{c}", "{c} - 1", "{c} + 1", "N - 1 - {c}", "0", "{d}")


class Writer:
    """Writes the source of one random function of A, B (square), x (a row)."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def function(self) -> str:
        body = "\n".join(self.loop(0, []) for _ in range(self.random.choice((1, 2))))
        return f"N = {SIZE}\n\ndef kernel(A, B, x):\n{textwrap.indent(body, '    ')}\n"

    def loop(self, depth: int, counters: list[str]) -> str:
        counter = "ijk"[depth]
        bounds = ["1, N - 1", "N - 2, 0, -1", "2, N - 1, 3"]
        if counters:
            bounds += [f"1, {counters[-1]}", f"{counters[-1]}, N - 1", f"{counters[-1]} + 1, N - 1"]
        inside = [*counters, counter]
        parts = []
        for _ in range(self.random.choice((1, 1, 2))):
            deeper = depth < 2 and self.random.random() < 0.4
            parts.append(self.loop(depth + 1, inside) if deeper else self.statement(inside))
        body = textwrap.indent("\n".join(parts), "    ")
        return f"for {counter} in range({self.random.choice(bounds)}):\n{body}"

    def statement(self, counters: list[str]) -> str:
        counter = self.random.choice(counters)
        ranges = self.random.choice((INNER, LEFT, RIGHT, None, None))
        if ranges is None:
            target = f"{self.random.choice('AB')}[{self.place(counters)}, {self.place(counters)}]"
            value = self.random.choice((self.element, self.dot))(counters)
        else:
            target = self.row(ranges, counter, counters)
            # Of a plain copy of a column onto a row that it crosses, NumPy itself reads
            # elements that it has written.
            rows = (self.row(ranges, counter, counters) for _ in range(2))
            value = " + ".join(rows)
            if self.random.random() < 0.3:
                value += f" * {self.element(counters)}"
        operator = self.random.choice(("=", "+=", "-="))
        return f"{target} {operator} {value}"

    def row(self, ranges: tuple[str, ...], counter: str, counters: list[str]) -> str:
        part = self.random.choice(ranges).format(c=counter)
        place = self.place(counters)
        forms = (
            f"x[{part}]",
            *(f"{array}[{place}, {part}]" for array in "AB"),
            *(f"{a}[{part}, {place}]" for a in "AB"),
        )
        return self.random.choice(forms)

    def place(self, counters: list[str]) -> str:
        return self.random.choice(PLACES).format(
            c=self.random.choice(counters), d=self.random.choice(counters)
        )

    def element(self, counters: list[str]) -> str:
        if self.random.random() < 0.3:
            return f"x[{self.place(counters)}]"
        return f"{self.random.choice('AB')}[{self.place(counters)}, {self.place(counters)}]"

    def dot(self, counters: list[str]) -> str:
        ranges, counter = self.random.choice((INNER, LEFT, RIGHT)), self.random.choice(counters)
        return f"{self.row(ranges, counter, counters)} @ {self.row(ranges, counter, counters)}"


@pytest.mark.parametrize("seed", range(24))
def test_nest(seed: int, tmp_path: Path) -> None:
    source = Writer(seed).function()
    kernel = module_of(tmp_path / "nest.py", source).kernel
    rng = np.random.default_rng(seed)
    arrays = [rng.integers(-3, 4, shape) for shape in ((SIZE, SIZE), (SIZE, SIZE), (SIZE,))]
    expected = [array.copy() for array in arrays]
    kernel(*expected)
    qn.compile(kernel, fullgraph=True)(*arrays)
    for ours, theirs in zip(arrays, expected, strict=True):
        np.testing.assert_array_equal(ours, theirs, err_msg=source)
