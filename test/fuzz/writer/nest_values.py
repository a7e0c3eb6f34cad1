"""Expressions of programs of nested loops: numbers, arrays, containers, what may be None."""

from __future__ import annotations

from dataclasses import dataclass

from .scope import Scope

# Kinds of names. An array of kind "vector" has n elements, one of kind "part" so many as data or
# its cuts leave; "number" is an int, a float, or a number of NumPy's, as data decide.
CONTAINERS = ("numbers", "vectors", "lists", "pairs", "words", "table")


@dataclass(frozen=True)
class Name:
    """A name that is surely bound, and of which kind its value is."""

    text: str
    kind: str


class NestValues(Scope):
    """Writes expressions over `bound`, the names in scope."""

    def __init__(self, rng) -> None:
        super().__init__(rng)
        self.bound: list[Name] = []

    def put(self, text: str, kind: str) -> str:
        """A name is bound to a value of a kind from now on."""
        self.bound = [x for x in self.bound if x.text != text] + [Name(text, kind)]
        return text

    def having(self, *kinds: str) -> list[str]:
        """The names of some kinds."""
        return [x.text for x in self.bound if x.kind in kinds]

    def some(self, *kinds: str) -> str | None:
        """A name of some kinds."""
        found = self.having(*kinds)
        return self.rng.choice(found) if found else None

    # Numbers

    def literal_text(self) -> str:
        return self.pick("0", "1", "2", "3", "-1", "0.5", "1.5", "-0.25", "2.0", "0.0")

    def whole_text(self) -> str:
        """A Python integer that stays small."""
        return self.pick("1", "2", "3", *self.having("count", "counter", "place"))

    def place(self) -> str:
        """A position on an axis of n."""
        i = self.some("counter", "count")
        inside = self.having("place")
        if inside and self.chance(0.6):
            j = self.rng.choice(inside)
            return self.pick(j, j, j, f"n - 1 - {j}", f"{j} - 1", f"-{j}", f"({j} + 1) % n")
        if i and self.chance(0.5):
            return f"{i} % n"
        return self.pick("0", "-1", "n // 2", "n - 1")

    def element(self) -> str:
        """An element of an array, or of a container that has some."""
        vector, matrix = self.some("vector"), self.some("matrix")
        found = [f"{vector}[{self.place()}]"] if vector else []
        if matrix and self.chance(0.4):
            found.append(f"{matrix}[{self.row()}, {self.place()}]")
        if (words := self.some("words")) and self.chance(0.4):
            found.append(f'{words}["{self.key()}"]')
        if (thing := self.some("thing")) and self.chance(0.3):
            found.append(self.pick(f"{thing}.total", f"{thing}.state[{self.place()}]"))
        return self.pick(*found) if found else self.literal_text()

    def row(self) -> str:
        return self.pick("0", "-1", *(f"{x} % m" for x in self.having("counter", "place", "count")))

    def key(self) -> str:
        return self.pick("low", "mid", "high")

    def reduction(self) -> str:
        """A number of a whole array or container."""
        x = self.some("vector", "part")
        numbers = self.some("numbers")
        if numbers and self.chance(0.3):
            return self.pick(
                f"len({numbers})",
                f"sum({numbers})",
                f"max({numbers}, default={self.literal_text()})",
                f"({numbers}[-1] if {numbers} else {self.literal_text()})",
            )
        if (held := self.some(*CONTAINERS, "part")) and self.chance(0.15):
            return f"len({held})"
        if x is None:
            return self.literal_text()
        return self.pick(
            f"{x}.sum()",
            f"float({x}.sum())",
            f"{x}[:2].sum()",
            f"int(({x} > 0).sum())",
            f"{x}.max(initial=0)",
            f"sum(abs(q) for q in {x})",
            f"sum(1 for q in {x} if q > {self.literal_text()})",
            f"np.abs({x}).sum()",
        )

    def number(self, depth: int = 0) -> str:
        """A number of some type."""
        choice = self.rng.random()
        names = self.having("number", "number", "count", "counter", "place", "item")
        if depth > 1 or choice < 0.5:
            return self.pick(self.literal_text(), self.element(), self.element(), *names)
        if choice < 0.62:
            return self.reduction()
        x, y = self.number(depth + 1), self.number(depth + 1)
        if choice < 0.8:
            # A number can't grow far from turn to turn.
            return self.pick(
                f"({x} {self.pick('+', '-')} {y})", f"({x} * {self.pick('0.5', '-1')})"
            )
        if choice < 0.87:
            return f"{self.pick('max', 'min')}({x}, {y})"
        if choice < 0.92:
            return f"({x} if {self.condition(1)} else {y})"
        form = self.pick("abs({})", "float({})", "np.float64({})", "{} / 4", "{} // 2", "-{}")
        return f"({form.format(x)})"

    def maybe(self) -> str:
        """A name that may be None, read where it isn't."""
        name = self.some("maybe")
        return f"(0 if {name} is None else {name})" if name else self.number(1)

    # Conditions

    def condition(self, depth: int = 0) -> str:
        """Something true or false, mostly of data."""
        choice = self.rng.random()
        if choice < 0.1 and (name := self.some("maybe")):
            return self.pick(
                f"{name} is None",
                f"{name} is not None",
                f"{name} is not None and {name} > {self.literal_text()}",
            )
        if choice < 0.2 and (held := self.some(*CONTAINERS)):
            return self.pick(held, f"not {held}", f"len({held}) > {self.pick('1', '2', '3')}")
        if choice < 0.25 and (words := self.some("words")):
            return f'"{self.key()}" in {words}'
        if choice < 0.28 and (table := self.some("table")):
            return f"{self.whole_text()} in {table}"
        if choice < 0.38 and (i := self.some("counter", "place", "count")):
            return self.pick(f"{i} % 2", f"{i} == 1", f"{i} > 0", f"{i} % 3 == 0")
        if choice < 0.45 and (x := self.some("vector", "part")):
            return f"({x} {self.pick('>', '<')} {self.literal_text()}).{self.pick('any', 'all')}()"
        if choice < 0.48:
            return self.pick("n > 2", "n % 2", "n < 4")
        text = f"{self.number(1)} {self.pick('<', '>', '<=', '>=', '!=')} {self.number(2)}"
        if depth == 0 and choice > 0.88:
            return f"{text} {self.pick('and', 'or')} {self.condition(1)}"
        return f"not {text}" if choice > 0.84 and depth == 0 else text

    # Arrays

    def vector(self, depth: int = 0) -> str:
        """An array of n elements: mostly a new one, sometimes a name or a view."""
        x = self.some("vector") or "a"
        choice = self.rng.random()
        if choice < 0.2 or depth > 1:
            return self.pick(x, x, f"{x}[::-1]", f"{x}[:]", f"{x}.copy()")
        if choice < 0.3:
            return self.pick("np.zeros(n)", "np.arange(n)", "np.ones(n)", "np.full(n, 0.5)")
        if choice < 0.4 and (matrix := self.some("matrix")):
            return self.pick(f"{matrix}[{self.row()}]", f"{matrix}.sum(axis=0)")
        if choice < 0.6:
            return f"({x} {self.pick('+', '-')} {self.number(1)})"
        if choice < 0.75:
            return f"({x} {self.pick('+', '-')} {self.vector(depth + 1)})"
        return self.pick(
            f"np.where({x} > {self.number(1)}, {x}, {self.vector(2)})",
            f"np.maximum({x}, {self.number(2)})",
            f"np.roll({x}, {self.whole_text()})",
            f"np.abs({x})",
            f"np.array([{self.item_expression()} for q in {x}])",
            f"({x} * 0.5)",
        )

    def item_expression(self) -> str:
        return self.pick("q", "q * 2", "q + 1", "abs(q)", "q if q > 0 else 0.0", "max(q, 1)")

    def bounds(self) -> str:
        """A slice, by constants, counters and `-k or None`."""
        i = self.some("counter", "place", "count") or "2"
        whole = "1:|:-1|::2|1:-1|::-1|:{i}|{i}:|:-{i} or None|{i}::-1|-{i} or None:|:{i} + 1|::-2"
        return self.pick(*whole.split("|")).format(i=i)

    def part(self) -> str:
        """An array of which nobody says how many elements it has."""
        x = self.some("vector", "part") or "a"
        return self.pick(
            f"{x}[{self.bounds()}]",
            f"{x}[{self.bounds()}]",
            f"{x}[{x} > {self.number(2)}]",
            f"np.array([{self.item_expression()} for q in {x} if q > {self.literal_text()}])",
            f"{x}[{self.bounds()}].copy()",
            f"np.concatenate(({x}[1:], {x}[:1]))",
        )
