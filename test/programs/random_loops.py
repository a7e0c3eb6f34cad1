"""Random programs of loops, branches, views and carried names over a few arrays."""

from __future__ import annotations

import random
from dataclasses import dataclass, field

OPERATORS = ("+", "-")


@dataclass
class Block:
    """A statement with others inside, or with none."""

    head: str
    body: list[Block] = field(default_factory=list)

    def lines(self, depth: int) -> list[str]:
        """The statement as text."""
        return [4 * depth * " " + self.head, *(x for b in self.body for x in b.lines(depth + 1))]


class Writer:
    """Writes one program: `a`, `d`, `v` have n elements, `b` n × n, `c` integers; `s`, `t` and
    `count` are numbers, and counters stay in [0, n).
    """

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.counters: list[str] = []
        self.loops = 0
        self.left = 14

    def pick(self, *items: str) -> str:
        """One of the items."""
        return self.rng.choice(items)

    # Expressions

    def index(self) -> str:
        """A position, mostly by a counter."""
        if not self.counters or self.rng.random() < 0.2:
            return self.pick("0", "1", "-1", "count % n", "n - 2")
        i = self.rng.choice(self.counters)
        return self.pick(i, i, i, f"{i} - 1", f"({i} + 1) % n", f"n - 1 - {i}", f"-{i}")

    def scalar(self, depth: int = 0) -> str:
        """A number."""
        if depth > 2 or self.rng.random() < 0.35:
            leaves = ["0.5", "2", "-1.5", "s", "t", "count", "n", f"a[{self.index()}]"]
            leaves += [f"d[{self.index()}]", f"b[{self.index()}, {self.index()}]", *self.counters]
            leaves += [f"v[{self.index()}]", f"c[{self.index()}]"]
            return self.rng.choice(leaves)
        x, y = self.scalar(depth + 1), self.scalar(depth + 1)
        return self.pick(
            f"({x} + {y})",
            f"({x} - {y})",
            f"{x} * 0.5",
            f"abs({x})",
            f"max({x}, {y})",
            f"min({x}, {y})",
            f"({x} if {self.condition()} else {y})",
            f"{self.part()}.sum()",
            f"{self.vector(2)}.max()",
        )

    def part(self) -> str:
        """Part of a row."""
        i = self.index().replace("count % n", "2")
        return self.pick(f"a[:{i}]", f"d[{i}:]", f"b[0, :{i}]", f"v[{i}::2]", "a[1:-1]", "b[:, 1]")

    def vector(self, depth: int = 0) -> str:
        """An array of n elements."""
        if depth > 1 or self.rng.random() < 0.4:
            i = self.index()
            return self.pick(
                "a", "d", "v", f"b[{i}]", f"b[:, {i}]", "a[::-1]", "c", "np.roll(d, 1)"
            )
        x, y = self.vector(depth + 1), self.vector(depth + 1)
        return self.pick(
            f"({x} + {y})",
            f"({x} - {y})",
            f"({x} * {self.pick('0.5', 's', '-1')})",
            f"np.maximum({x}, {y})",
            f"np.where({x} > {y}, {x}, {self.scalar(3)})",
            f"np.abs({x})",
        )

    def condition(self) -> str:
        """Something true or false."""
        x, y = self.scalar(3), self.scalar(3)
        plain = self.pick(f"{x} < {y}", f"{x} >= {y}", f"c[{self.index()}] % 3 == 1", "count > 2")
        return self.pick(plain, plain, f"not {plain}", f"{plain} and s < 1", f"{plain} or t > 0")

    # Statements

    def simple(self) -> Block:
        """A statement without others inside."""
        i, j, x = self.index(), self.index(), self.scalar()
        bound = self.rng.choice(self.counters) if self.counters else "2"
        return Block(
            self.pick(
                f"a[{i}] = {x}",
                f"a[{i}] {self.pick(*OPERATORS)}= {x} * 0.5",
                f"d[{i}] -= {x}",
                f"b[{i}, {j}] = {x}",
                f"b[{i}] = {self.vector()}",
                f"b[:, {i}] += {self.vector()}",
                f"b[{i}, :{bound}] -= b[:{bound}, {j}]",
                f"b[{bound}:, {i}] = {x}",
                f"a[1:] = a[:-1] {self.pick('+', '-')} {self.pick('d[1:]', '0.5', 'b[0, 1:]')}",
                "a[:-1] += a[1:] * 0.5",
                f"a[:] = {self.vector()}",
                f"a[:{bound}] = a[:{bound}][::-1]",
                f"d[{bound}:] {self.pick('+', '-')}= {x}",
                "b += b.T",
                "b *= 0.5",
                "b[1:, 1:] = (b[:-1, 1:] + b[1:, :-1]) * 0.5",
                f"c[{i}] += {self.pick('count', '1', *self.counters)}",
                "c //= 2",
                f"c[{i}] ^= 5",
                f"s = {x}",
                f"s += {x} * 0.5",
                f"t = {self.pick('s', x)}",
                "count += 1",
                f"count += c[{i}] % 3",
                f"v = {self.pick('a', 'd', f'b[{i}]', f'b[:, {i}]', 'd[::-1]', self.vector())}",
                f"v {self.pick('+', '-')}= 1",
                f"v[{i}] = {x}",
                "d = d * 0.5",
                "d, v = v, d",
                "s, t = t, s",
            )
        )

    def loop(self, depth: int) -> Block:
        """A loop of some kind."""
        name = f"i{self.loops}"
        self.loops += 1
        ranges = ["n", "1, n", "1, n - 1", "n - 1, -1, -1", "0, n, 2", "n - 2, 0, -1", "n // 2"]
        if self.counters:
            outer = self.rng.choice(self.counters)
            ranges += [outer, f"{outer}, n", f"{outer} + 1, n", f"{outer}, -1, -1"]
        kind = self.rng.random()
        if kind < 0.75:
            self.counters.append(name)
            body = self.block(depth + 1, loop=True)
            self.counters.pop()
            return Block(f"for {name} in range({self.rng.choice(ranges)}):", body)
        if kind < 0.9:
            inside = Block(self.pick(f"s += {name} * 0.5", f"t = max(t, {name})", f"s = {name}"))
            over = self.pick(f"for {name} in a:", f"for {name}, x{name} in zip(d, c):")
            return Block(over, [inside, *self.block(depth + 1, loop=True)])
        turns = Block(f"{name} += 1")
        body = [turns, *self.block(depth + 1, loop=True)]
        return Block("if True:", [Block(f"{name} = 0"), Block(f"while {name} < 3:", body)])

    def block(self, depth: int, loop: bool = False) -> list[Block]:
        """Some statements."""
        made = []
        for _ in range(self.rng.randint(1, 3)):
            self.left -= 1
            kind = self.rng.random()
            if self.left > 0 and depth < 4 and kind < 0.35:
                made.append(self.loop(depth))
            elif self.left > 0 and depth < 4 and kind < 0.5:
                made.append(Block(f"if {self.condition()}:", self.block(depth + 1, loop)))
                if self.rng.random() < 0.5:
                    made.append(Block("else:", self.block(depth + 1, loop)))
            elif loop and kind < 0.56:
                end = Block(self.pick("break", "continue"))
                made.append(Block(f"if {self.condition()}:", [end]))
            else:
                made.append(self.simple())
        return made


def program(seed: int) -> Block:
    """The program of a seed."""
    writer = Writer(seed)
    head = ["n = len(a)", "s = 0.5", "t = -1.0", "count = 0", "v = d + 0.25"]
    body = [*map(Block, head), *(b for _ in range(3) for b in writer.block(1))]
    body.append(Block("return float(s), float(t), int(count), v * 1, d * 1"))
    return Block("def compute(a, b, c, d):", body)


def text(block: Block) -> str:
    """A program as Python."""
    return "\n".join(block.lines(0)) + "\n"
