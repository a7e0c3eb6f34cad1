"""Statements that hold others: branches, loops, everyday idioms."""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np

from .everyday import IDIOMS, MATRICES
from .scope import Counter, Value
from .statements import Lines, Statements


def indented(lines: Lines) -> Lines:
    """The lines one step further in."""
    return [f"    {line}" for line in lines]


class Control(Statements):
    """Writes blocks; `weights` says how often each kind of statement comes."""

    def __init__(self, rng, weights: dict[str, int]) -> None:
        super().__init__(rng)
        self.weights = weights

    def block(self, least: int = 1, most: int = 3) -> Lines:
        """Some statements, one further in."""
        kept, counters = list(self.names), len(self.counters)
        self.depth += 1
        lines = [x for _ in range(self.rng.randint(least, most)) for x in self.statement()]
        self.depth -= 1
        del self.counters[counters:]
        known = {x.text: x for x in self.names}
        self.late += [x for x in self.names if all(x.text != k.text for k in kept)]
        self.names = [known[x.text] for x in kept]
        return lines

    def statement(self) -> Lines:
        """A statement of some kind."""
        self.left -= 1
        if self.late and self.chance(0.03):
            self.names.append(self.late.pop())
        weights = dict(self.weights)
        if self.left <= 0 or self.depth > 3:
            for name in ("loop", "branch", "search"):
                weights.pop(name, None)
        if not self.in_loop:
            weights.pop("jump", None)
        name = self.rng.choices(list(weights), list(weights.values()))[0]
        write: Callable[[], Lines] = getattr(self, name)
        return write()

    # Branches

    def branch(self) -> Lines:
        """An if, often with an else."""
        lines = [f"if {self.condition()}:", *indented(self.block())]
        if self.chance(0.15):
            lines += [f"elif {self.condition()}:", *indented(self.block(1, 2))]
        if self.chance(0.5):
            lines += ["else:", *indented(self.block())]
        return lines

    def either(self) -> Lines:
        """A name that both sides of a branch bind, or one side only."""
        x = self.array_name()
        if x is None:
            return self.branch()
        test = self.condition()
        one, other = self.leaf(x.shape, x.kind), self.array(x.shape, 1, x.kind)
        name = self.fresh("v") if self.chance(0.6) else x.text
        lines = [f"if {test}:", f"    {name} = {one.text}"]
        if name != x.text or self.chance(0.5):
            lines += ["else:", f"    {name} = {other.text}"]
        dtype = np.result_type(one.dtype, other.dtype)
        if name == x.text:
            self.rebound(x, dtype)
        else:
            self.bind(name, dtype, x.shape)
        if self.chance(0.5):
            lines.append(f"{name}[{self.index(x.shape[0])}] = {'True' if x.kind == 'b' else '1'}")
        return lines

    def leave(self) -> Lines:
        """A raise, or an early return, under a condition."""
        text = self.pick(
            'raise ValueError("not like this")',
            f"return {self.returned()}",
            f'raise IndexError(f"{{{self.whole().text}}} is too much")',
            "return None",
        )
        return [f"if {self.condition()}:", f"    {text}"]

    def jump(self) -> Lines:
        """A break or continue under a condition."""
        return [f"if {self.condition()}:", f"    {self.pick('break', 'continue')}"]

    def failing(self) -> Lines:
        """An operation that fails for some sizes or values."""
        x = self.array_name(1)
        if x is None:
            return self.leave()
        y = self.array_name()
        return [
            self.pick(
                f"{x.text}[{self.pick('7', '2', '-3', 'n')}] = {'True' if x.kind == 'b' else '1'}",
                f"{x.text}[:2] = {x.text}[-3:]",
                f"{x.text} += {y.text if y else '1'}",
                f"{x.text}[:] = {x.text}[1:]",
                f"{x.text}[0] = {y.text if y else '1'}",
            )
        ]

    # Loops

    def loop(self) -> Lines:
        """A loop of some kind."""
        was, self.in_loop = self.in_loop, True
        count = len(self.counters)
        head, first = self.head()
        body = self.block(1, 4)
        lines = [*head, *indented([*first, *body])]
        del self.counters[count:]
        self.in_loop = was
        if self.chance(0.08):
            lines += ["else:", *indented(self.block(1, 2))]
        return lines

    def head(self) -> tuple[Lines, Lines]:
        """The head of a loop, and what its body begins with."""
        i = self.fresh("i")
        choice = self.rng.random()
        x = self.array_name(1)
        if choice < 0.5 or x is None:
            return self.counted(i), []
        if choice < 0.62:
            j = f"{i} % n"
            steps = self.pick("3", "n", "n", "5")
            condition = f"{i} < {steps}"
            if self.chance(0.4):
                condition += f" and {self.condition(1)}"
            if steps == "n":
                self.counters.append(Counter(f"({i} - 1)", "n"))
            assert j
            return [f"{i} = 0", f"while {condition}:"], [f"{i} += 1"]
        name = self.fresh("x")
        y = self.rng.choice([z for z in self.arrays(1) if z.shape == x.shape])
        (size,) = x.shape
        if choice < 0.72:
            self.bind_in_loop(name, x)
            return [f"for {name} in {x.text}:"], []
        if choice < 0.84:
            self.counters.append(Counter(i, size))
            self.bind_in_loop(name, x)
            return [f"for {i}, {name} in enumerate({x.text}):"], []
        if choice < 0.92:
            self.bind_in_loop(name, x)
            self.bind_in_loop(f"{name}y", y)
            return [f"for {name}, {name}y in zip({x.text}, {y.text}):"], []
        matrix = self.array_name(2)
        if matrix is not None and self.chance(0.6):
            self.names.append(Value(name, matrix.dtype, matrix.shape[1:]))
            return [f"for {name} in {matrix.text}:"], []
        self.bind_in_loop(name, x)
        return [f"for {name} in {x.text}[{self.pick('::-1', '1:', '::2')}]:"], []

    def bind_in_loop(self, name: str, x: Value) -> None:
        self.names.append(Value(name, x.dtype))

    def counted(self, i: str) -> Lines:
        """A loop over a range."""
        size = self.pick(*[s for x in self.arrays() for s in x.shape if s in ("n", "m")] or ["n"])
        ranges = [
            size,
            size,
            f"1, {size}",
            f"1, {size} - 1",
            f"{size} - 1, -1, -1",
            f"0, {size}, 2",
        ]
        ranges += [
            f"{size} - 2, 0, -1",
            f"{size} // 2",
            f"len({self.pick(*[x.text for x in self.arrays()] or ['a'])})",
        ]
        outer = [c.text for c in self.counters if c.size == size]
        if outer:
            j = self.rng.choice(outer)
            ranges += [j, f"{j}, {size}", f"{j} + 1, {size}", f"{j}, -1, -1"]
        text = self.rng.choice(ranges)
        if self.chance(0.2):
            text = self.pick("2", "3", "0", "p" if any(x.text == "p" for x in self.names) else "1")
            self.names.append(Value(i, int))
            return [f"for {i} in range({text}):"]
        if not text.startswith("len"):
            self.counters.append(Counter(i, size))
        else:
            self.names.append(Value(i, int))
        around = f"reversed(range({text}))" if self.chance(0.08) else f"range({text})"
        return [f"for {i} in {around}:"]

    def search(self) -> Lines:
        """A loop whose body begins with a test that ends it; its names are read afterwards."""
        x = self.array_name(1)
        if x is None:
            return self.loop()
        i, y = self.fresh("i"), self.fresh("x")
        was, self.in_loop, count = self.in_loop, True, len(self.counters)
        self.names.append(Value(y, x.dtype))
        head = self.pick(
            f"for {i}, {y} in enumerate({x.text}):",
            f"for {y} in {x.text}:",
            f"for {i} in range(len({x.text})):",
        )
        test = self.condition()
        if y not in head:
            self.names.pop()
            self.names.append(Value(i, int))
            test = f"{x.text}[{i}] {self.pick('<', '>')} {self.literal().text}"
        elif self.chance(0.6):
            test = f"{y} {self.pick('<', '>')} {self.literal().text}"
        body = self.block(0, 2) if self.chance(0.5) else []
        del self.counters[count:]
        self.in_loop = was
        lines = [head, f"    if {test}:", "        break", *indented(body)]
        if self.chance(0.3):
            lines += ["else:", *indented(self.block(1, 1))]
        if self.chance(0.7):
            name = self.fresh("s")
            lines.append(f"{name} = {y if y in head else i}")
            self.bind(name, x.dtype if y in head else int)
        self.names = [z for z in self.names if z.text not in (i, y)]
        return lines

    # Everyday code

    def everyday(self) -> Lines:
        """One of the idioms."""
        vectors = [x for x in self.arrays(1, "iuf") if x.shape == ("n",)]
        floats = [x for x in vectors if x.kind == "f" and x.text.isidentifier()]
        matrices = self.arrays(2, "if")
        if not floats:
            return self.new_array()
        text = self.rng.choice(MATRICES if matrices and self.chance(0.35) else IDIOMS)
        x = self.rng.choice(vectors)
        names = {"x": x.text, "f": self.rng.choice(floats).text, "y": self.rng.choice(vectors).text}
        names |= {"b": self.rng.choice(matrices).text if matrices else "", "c": "c"}
        names |= {"L": self.pick("0", "1", "2", "-1", "0.5"), "S": self.pick("<", ">", ">=")}
        if "{c}" in text and all(v.text != "c" for v in self.names):
            return self.new_array()
        if "{b}" in text:
            names["b"] = (matrix := self.rng.choice(matrices)).text
        found = dict.fromkeys(re.findall(r"\{([IFEVWT]\d)\}", text))
        names |= {hole: self.fresh(hole[0].lower() + "q") for hole in found}
        for hole in found:
            if hole[0] == "I":
                self.bind(names[hole], int)
            elif hole[0] == "F":
                self.bind(names[hole], np.dtype(np.float64))
            elif hole[0] == "E":
                self.bind(names[hole], x.dtype)
            elif hole == "W2":
                self.bind(names[hole], np.dtype(np.float64), matrix.shape[:1])
            elif hole == "V9":
                self.bind(names[hole], np.result_type(matrix.dtype, np.int64), matrix.shape[1:])
            elif hole[0] == "V":
                self.bind(names[hole], x.dtype, x.shape)
            elif hole[0] == "W":
                self.bind(names[hole], np.dtype(np.float64), ("n",))
        return text.strip("\n").format(**names).split("\n")

    # Results

    def result(self) -> str:
        """What the last return gives back: most of what the program has made, as a rule."""
        made = [x.text for x in self.names if x.text not in ("n", "m")]
        if self.chance(0.3) or not made:
            return self.returned()
        picked = self.rng.sample(made, min(len(made), self.pick(3, 4, 5, 6)))
        x = self.array_name()
        if x is not None and self.chance(0.25):
            picked.append(self.pick(self.view(x).text, x.text))
        return ", ".join(picked)

    def returned(self) -> str:
        """What a return gives back."""
        choice = self.rng.random()
        x = self.array_name()
        if x is None or choice < 0.06:
            return "None"
        view = self.view(x).text
        y = self.leaf(x.shape, x.kind)
        known = [v.text for v in self.names if v.text not in ("n", "m")]
        if choice < 0.16:
            return x.text
        if choice < 0.24:
            return self.pick(view, f"{x.text}, {view}", f"{x.text}, {x.text}")
        if choice < 0.3:
            test, negative = self.condition(1), y.text if y.kind == "b" else f"-{y.text}"
            return f"{x.text} if {test} else {self.pick(y.text, negative)}"
        if choice < 0.38:
            return self.number().text
        if choice < 0.46:
            return self.array(x.shape).text
        picked = self.rng.sample(known, min(len(known), self.pick(1, 2, 3, 4)))
        if self.chance(0.3):
            picked.append(view)
        if self.chance(0.15):
            picked.append(self.rng.choice(picked))
        if self.chance(0.05):
            return f"[{', '.join(picked)}]"
        return ", ".join(picked) + ("," if len(picked) == 1 and self.chance(0.3) else "")
