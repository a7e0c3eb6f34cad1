"""Programs of nested loops over plain Python: containers, None, objects, helpers, jumps, errors."""

from __future__ import annotations

import random
import re
from typing import Any

from ..program import Program
from .control import indented
from .nest_helpers import CLASSES, HELPERS
from .nest_values import CONTAINERS, NestValues

Lines = list[str]
DEEPEST = 6
WEIGHTS = {
    "loop": 26, "branch": 12, "jump": 7, "number_bound": 8, "count_bound": 5, "vector_bound": 6,
    "vector_written": 10, "part_bound": 5, "swapped": 7, "list_changed": 12, "dict_changed": 7,
    "maybe_bound": 9, "tried": 4, "helped": 7, "object_changed": 7, "gathered": 5, "early": 2,
}  # fmt: skip


class Nests(NestValues):
    """Writes statements; each gives its lines."""

    def __init__(self, rng: random.Random) -> None:
        super().__init__(rng)
        self.helpers: dict[str, str] = {}
        self.loops = 0

    def filled(self, text: str) -> str:
        """A helper's text without holes."""
        holes = {
            "L": lambda: self.pick("0", "1", "0.5", "-1", "2"),
            "S": lambda: self.pick(">", "<", ">="),
            "K": lambda: self.pick("1", "2", "3", "4"),
        }
        return re.sub(r"\{([LSK])\}", lambda m: holes[m[1]](), text)

    def block(self, least: int = 1, most: int = 3) -> Lines:
        """Some statements, one further in; what they bind isn't surely bound behind them."""
        kept = list(self.bound)
        self.depth += 1
        lines = [x for _ in range(self.rng.randint(least, most)) for x in self.statement()]
        self.depth -= 1
        self.bound = kept
        return lines

    def statement(self) -> Lines:
        """A statement of some kind."""
        self.left -= 1
        weights = dict(WEIGHTS)
        if self.left <= 0 or self.loops >= DEEPEST:
            del weights["loop"]
        if self.left <= 0 or self.depth > DEEPEST:
            del weights["branch"], weights["tried"]
        if not self.loops:
            del weights["jump"]
        name = self.rng.choices(list(weights), list(weights.values()))[0]
        return getattr(self, name)()

    # Blocks

    def branch(self) -> Lines:
        """An if, often with an else."""
        lines = [f"if {self.condition()}:", *indented(self.block())]
        if self.chance(0.15):
            lines += [f"elif {self.condition()}:", *indented(self.block(1, 2))]
        if self.chance(0.5):
            lines += ["else:", *indented(self.block())]
        return lines

    def jump(self) -> Lines:
        """A break or continue under a condition."""
        return [f"if {self.condition()}:", f"    {self.pick('break', 'continue')}"]

    def early(self) -> Lines:
        """An early return under a condition."""
        return [f"if {self.condition()}:", f"    return {self.returned(2)}"]

    def loop(self) -> Lines:
        """A loop of some kind; the further in, the fewer iterations."""
        kept = list(self.bound)
        before, head, first = self.head()
        self.loops += 1
        body = self.block(1, 4)
        self.loops -= 1
        self.bound = kept
        lines = [*before, head, *indented([*first, *body])]
        if self.chance(0.12):
            lines += ["else:", *indented(self.block(1, 2))]
        return lines

    def head(self) -> tuple[Lines, str, Lines]:
        """What stands before a loop, its head, and what its body begins with."""
        choice = self.rng.random()
        i, x = self.fresh("i"), self.fresh("x")
        v = self.some("vector", "part")
        if choice < 0.3 or (self.loops > 2 and choice < 0.6):
            k = self.whole_text()
            if self.loops < 2 and self.chance(0.4):
                text = self.pick("n", "1, n", "n - 1, -1, -1", "0, n, 2", "n // 2")
                self.put(i, "place")
            else:
                text = self.pick("2", "3", k, f"{k} + 1", f"1, {k} + 2", "3, 0, -1", "0, 5, 2", "m")
                self.put(i, "counter")
            return [], self.pick(f"for {i} in range({text}):", f"for {i} in range({text}):",
                                 f"for {i} in reversed(range({text})):"), []  # fmt: skip
        if choice < 0.42:
            t = self.fresh("t")
            self.put(t, "counter")
            steps = self.pick("3", "4", "n")
            test = self.pick(f"{t} < {steps} and {self.condition(1)}", f"{t} < {steps}", "True")
            first = [f"{t} += 1"]
            if test == "True":
                first += [f"if {t} > {steps} or {self.condition(1)}:", "    break"]
            return [f"{t} = 0"], f"while {test}:", first
        if choice < 0.6 and v is not None:
            self.put(x, "number")
            text = self.pick(v, v, f"{v}[{self.bounds()}]", f"reversed({v})", f"{v}[:3]")
            if self.chance(0.4):
                self.put(i, "counter")
                start = self.pick("", "", ", 1", ", start=2")
                return [], f"for {i}, {x} in enumerate({text}{start}):", []
            return [], f"for {x} in {text}:", []
        if choice < 0.7 and v is not None:
            self.put(x, "number")
            self.put(f"{x}b", "number")
            w = self.some("vector", "part", "numbers") or v
            if self.chance(0.3):
                self.put(i, "counter")
                return [], f"for {i}, ({x}, {x}b) in enumerate(zip({v}, {w})):", []
            return [], f"for {x}, {x}b in zip({v}, {w}):", []
        return [], self.head_of_container(i, x), []

    def head_of_container(self, i: str, x: str) -> str:
        """A loop over the items of a container, a matrix, a generator, or a display."""
        held = self.some(*CONTAINERS, "matrix", "matrix")
        kind = next((k.kind for k in self.bound if k.text == held), "")
        if self.chance(0.2):
            items = f"{self.number(1)}, {self.number(1)}, {self.literal_text()}"
            return f"for {self.put(x, 'number')} in ({items}):"
        if self.chance(0.2):
            self.put(x, "number")
            name, _ = self.helper("runs", "counted")
            call = f"{name}({self.some('vector') or 'a'})"
            if name == "counted":
                self.put(i, "counter")
                return f"for {i}, {x} in {call}:"
            return f"for {x} in {call}:"
        if kind == "numbers":
            self.put(x, "number")
            text = self.pick(f"list({held})", f"{held}[:3]", f"{held}[::-1]", f"reversed({held})")
            return f"for {x} in {text}:" if "reversed" not in text else f"for {x} in {held}[-2:]:"
        if kind in ("vectors", "matrix"):
            self.put(x, "vector")
            if self.chance(0.4):
                self.put(i, "counter")
                return f"for {i}, {x} in enumerate({held}[:3]):"
            return f"for {x} in {held}[{self.pick(':3', '-2:', '::-1')}]:"
        if kind == "lists":
            self.put(x, "numbers")
            return f"for {x} in {held}[-3:]:"
        if kind == "pairs":
            self.put(i, "count")
            self.put(x, "number")
            return f"for {i}, {x} in {held}[-3:]:"
        if kind in ("words", "table"):
            self.put(x, "number")
            if kind == "table":
                self.put(i, "count")
            return self.pick(f"for {x} in list({held}.values()):",
                             f"for {i}, {x} in list({held}.items()):")  # fmt: skip
        self.put(i, "counter")
        return f"for {i} in range({self.pick('2', '3')}):"

    def tried(self) -> Lines:
        """Statements whose errors are caught, or behind which some others come at any rate."""
        risk = self.risk()
        lines = ["try:", *indented([*self.block(0, 1), *risk, *self.block(0, 1)])]
        if self.chance(0.85):
            errors = "(ValueError, IndexError, ZeroDivisionError, KeyError)"
            kind = self.pick(errors, errors, "Exception", "ValueError", "IndexError")
            lines += [f"except {kind}:", *indented(self.block(1, 2))]
            if self.chance(0.25):
                lines += ["else:", *indented(self.block(1, 1))]
        elif self.chance(0.5):
            return [*lines, "finally:", *indented(self.simple())]
        else:
            lines += ["except ValueError as error:", f"    {self.note('str(error)')}"]
        if self.chance(0.3):
            lines += ["finally:", *indented(self.simple())]
        return lines

    def note(self, text: str) -> str:
        return f"told = {text}"

    def simple(self) -> Lines:
        """A statement that holds no others."""
        return getattr(self, self.pick("number_bound", "vector_written", "count_bound"))()

    def risk(self) -> Lines:
        """What may raise an error, as data decide."""
        name, _ = self.helper("checked")
        x = self.some("number")
        numbers, table = self.some("numbers"), self.some("table")
        target = x or self.put(self.fresh("r"), "number")
        options = [f"{target} = {name}({self.number(1)})", f"{target} = {name}({self.number(1)})"]
        options += [f"{target} = 6 // {self.pick('k', *self.having('counter', 'count'))}"]
        options += [f"{target} = a[{self.whole_text()} + {self.whole_text()}]"]
        if numbers:
            options += [f"{target} = {numbers}[{self.whole_text()}]", f"{target} = {numbers}.pop()"]
        if table:
            options.append(f"{target} = {table}[{self.whole_text()}]")
        self.bound = [y for y in self.bound if y.text != target or x]
        return [self.pick(*options)]

    # Numbers

    def number_bound(self) -> Lines:
        """A number gets a name, or another value, perhaps of another type."""
        old = self.some("number")
        if old is None or self.chance(0.2):
            name = self.fresh("s")
            line = f"{name} = {self.number()}"
            self.put(name, "number")
            return [line]
        return [
            self.pick(
                f"{old} += {self.number(1)}",
                f"{old} -= {self.number(1)}",
                f"{old} = {old} * 0.5 + {self.number(1)}",
                f"{old} = {self.number()}",
                f"{old} = max({old}, {self.number(1)})",
                f"{old} = {self.number(1)} if {self.condition()} else {self.literal_text()}",
                f"{old} = {self.maybe()}",
                f"{old} *= 0.5",
            )
        ]

    def count_bound(self) -> Lines:
        """A Python integer that stays small."""
        old = self.some("count")
        if old is None or self.chance(0.15):
            name = self.fresh("c")
            line = f"{name} = {self.pick('0', '1', '2', 'n')}"
            self.put(name, "count")
            return [line]
        return [
            self.pick(
                f"{old} += 1",
                f"{old} = ({old} + {self.whole_text()}) % {self.pick('3', '5', '7')}",
                f"{old} = ({old} * 2 + 1) % 5",
                f"{old} = {self.pick('0', '1')} if {self.condition()} else {old}",
                f"{old} = {old} - 1 if {old} > 0 else {self.pick('2', '3')}",
            )
        ]

    def maybe_bound(self) -> Lines:
        """A name that is None before a loop, and a number or array later."""
        old = self.some("maybe")
        if old is None or (self.chance(0.3) and not self.loops):
            return [f"{self.put(self.fresh('p'), 'maybe')} = None"]
        row = self.some("row")
        if row is None and self.chance(0.2):
            return [f"{self.put(self.fresh('u'), 'row')} = None"]
        if row is not None and self.chance(0.4):
            return self.pick(
                [f"{row} = {self.vector()} if {row} is None else {row} * 0.5"],
                [f"if {row} is not None:", f"    {row}[0] += {self.number(1)}"],
                [f"{row} = None"],
                [f"if {row} is None or {self.condition(1)}:", f"    {row} = {self.vector()}"],
            )
        x = self.number(1)
        return self.pick(
            [f"{old} = {x} if {old} is None else {old} * 0.5 + {x}"],
            [f"if {old} is None or {x} {self.pick('<', '>')} {old}:", f"    {old} = {x}"],
            [f"if {self.condition()}:", f"    {old} = None"],
            [f"if {old} is None:", f"    {old} = {x}", "else:", f"    {old} += 1"],
            [f"{old} = {x}"],
            [f"if {old} is not None:", *indented(self.block(1, 2))],
        )

    # Arrays

    def vector_bound(self) -> Lines:
        """A name for an array, or another array for a name."""
        text, old = self.vector(), self.some("vector")
        name = old if old and self.chance(0.5) else self.fresh("v")
        self.put(name, "vector")
        return [f"{name} = {text}"]

    def part_bound(self) -> Lines:
        """A view or selection for a name, which is written through sometimes."""
        text, old = self.part(), self.some("part")
        name = old if old and self.chance(0.5) else self.fresh("w")
        self.put(name, "part")
        lines = [f"{name} = {text}"]
        if self.chance(0.4):
            lines.append(
                self.pick(
                    f"{name}[:] = {self.number(1)}",
                    f"{name} += {self.literal_text()}",
                    f"{name}[:2] *= 0.5",
                    f"{name}[{name} > {self.literal_text()}] = {self.number(1)}",
                )
            )
        return lines

    def vector_written(self) -> Lines:
        """Elements of an array get other values."""
        x, y = self.some("vector") or "a", self.some("vector") or "a"
        i = self.place()
        forms = [
            f"{x}[{i}] = {self.number(1)}",
            f"{x}[{i}] += {self.number(1)}",
            f"{x}[{i}] = {self.number(1)}",
            f"{x}[{self.bounds()}] = {self.number(1)}",
            f"{x}[{self.bounds()}] *= 0.5",
            f"{x}[{x} {self.pick('>', '<')} {self.number(1)}] = {self.number(2)}",
            f"{x}[{x} > {self.number(2)}] -= 1",
            f"{x}[:] = {self.vector()}",
            f"{x} += {self.vector(1)}",
            f"{x} *= 0.5",
            f"{x}[1:-1] = ({y}[:-2] + {y}[2:]) * 0.5",
            f"{x}[1:] = {y}[:-1]",
            f"np.add({x}, {self.vector(1)}, out={x})",
            f"{x}[0], {x}[-1] = {x}[-1], {x}[0]",
        ]
        if matrix := self.some("matrix"):
            j = self.row()
            forms += [f"{matrix}[{j}, {i}] = {self.number(1)}", f"{matrix}[{j}] += {y}"]
            forms += [f"{matrix}[{j}] = {self.vector(1)}", f"{matrix}[:, {i}] *= 0.5"]
        return [self.rng.choice(forms)]

    def swapped(self) -> Lines:
        """Names change places, often with a write into one of them."""
        kind = self.pick("vector", "vector", "vector", "number", "numbers", "maybe")
        found = self.having(kind)
        if len(found) < 2:
            return self.vector_bound()
        names = self.rng.sample(found, min(len(found), self.pick(2, 2, 2, 3)))
        turned = [*names[1:], names[0]]
        lines = [f"{', '.join(names)} = {', '.join(turned)}"]
        if kind == "vector":
            x, y = names[:2]
            write = self.pick(
                f"{x}[{self.place()}] = {self.number(1)}",
                f"{x}[1:] = {y}[:-1] * 0.5",
                f"{y} += 1",
                f"{x}[:] = {y} + {self.literal_text()}",
            )
            if self.chance(0.3):
                lines = [f"{x}, {y} = {y}, {x} * 0.5 + {y}"]
            lines.insert(self.pick(0, 1), write)
        return lines

    # Containers

    def new_container(self, kind: str) -> Lines:
        texts = {
            "numbers": ("[]", "[]", f"[{self.number(1)}]", f"[0] * {self.pick('2', '3')}"),
            "vectors": ("[]", "[]", f"[{self.vector(1)}]"),
            "lists": ("[]", "[[]]", "[[], []]"),
            "pairs": ("[]", f"[(0, {self.number(1)})]"),
        }
        name = self.fresh("l")
        line = f"{name} = {self.pick(*texts[kind])}"
        self.put(name, kind)
        return [line]

    def list_changed(self) -> Lines:
        """A list, of which kind ever, grows or changes."""
        kind = self.pick("numbers", "numbers", "vectors", "lists", "pairs")
        x = self.some(kind)
        if x is None or (not self.loops and self.chance(0.3)):
            return self.new_container(kind)
        under = self.pick([f"if {x}:"], [f"if {x}:"], [f"if len({x}) > 1:"])
        number = self.number(1)
        if kind == "numbers":
            return self.pick(
                [f"{x}.append({number})"],
                [f"{x}.append({number})"],
                [f"if {self.condition()}:", f"    {x}.append({number})"],
                [*under, f"    {x}[-1] += {number}"],
                [*under, f"    {x}.pop({self.pick('', '', '0')})"],
                [f"{x}.extend([{number}, {self.literal_text()}])"],
                [f"{x} = {x} + [{number}]"],
                [f"{x} = {x}[{self.pick('1:', '-2:', '::-1')}]"],
                [f"{x} += [{number}]"],
                [f"{x} = []"],
                [f"{x}.insert(0, {number})"],
                [f"{x} = [q * 2 for q in {x} if q > {self.literal_text()}]"],
                [f"{x}.reverse()"],
                [f"{x}[:] = {x}[:2]"],
                [f"{x} = sorted({x})"],
            )
        if kind == "vectors":
            return self.pick(
                [f"{x}.append({self.vector()})"],
                [f"{x}.append({self.vector()})"],
                [f"if {self.condition()}:", f"    {x}.append({self.vector(1)}.copy())"],
                [*under, f"    {x}[-1][{self.place()}] = {number}"],
                [*under, f"    {x}[0] = {self.vector(1)}"],
                [*under, f"    {x}[-1] = {x}[-1] * 0.5"],
                [*under, f"    {self.put(self.fresh('v'), 'spoiled')} = {x}.pop()"],
                [f"{x} = {x}[-2:]"],
            )
        if kind == "lists":
            return self.pick(
                [f"{x}.append([])"],
                [f"{x}.append([{number}])"],
                [*under, f"    {x}[-1].append({number})"],
                [*under, f"    {x}[-1].append({number})"],
                [*under, f"    {x}[0] = {x}[-1] + [{number}]"],
                [*under, f"    {x}.pop()"],
            )
        i = self.whole_text()
        return self.pick(
            [f"{x}.append(({i}, {number}))"],
            [f"{x}.append(({i}, {number}))"],
            [*under, f"    {x}[-1] = ({i}, {x}[-1][1])"],
            [*under, f"    {self.number_target()} = {x}[-1][1]"],
            [f"{x} = [(q, z) for q, z in {x} if z > {self.literal_text()}]"],
        )

    def number_target(self) -> str:
        return self.some("number") or "_unused"

    def dict_changed(self) -> Lines:
        """A dict of words, or one of numbers that counts."""
        kind = self.pick("words", "words", "table")
        x = self.some(kind)
        number = self.number(1)
        if x is None:
            name = self.fresh("d")
            made = f'{{"low": {number}, "mid": 0, "high": {self.literal_text()}}}'
            self.put(name, kind)
            return [f"{name} = {made if kind == 'words' else '{}'}"]
        if kind == "words":
            one, other = self.key(), self.key()
            return self.pick(
                [f'{x}["{one}"] = {number}'],
                [f'{x}["{one}"] += {number}'],
                [f'{x}["{one}"], {x}["{other}"] = {x}["{other}"], {number}'],
                [f'{x} = {{**{x}, "{one}": {number}}}'],
                [f'{self.number_target()} = {x}.get("{one}", 0)'],
                [f"{self.number_target()} = sum({x}.values())"],
                [f"for q in {x}:", f"    {x}[q] = {x}[q] * 0.5"],
            )
        i = self.whole_text()
        return self.pick(
            [f"{x}[{i}] = {x}.get({i}, 0) + {number}"],
            [f"{x}[{i} % 3] = {number}"],
            [f"if {i} not in {x}:", f"    {x}[{i}] = {number}"],
            [f"{x}.setdefault({i}, {number})"],
            [f"{x}.pop({i}, None)"],
        )

    # Objects, helpers, comprehensions

    def object_changed(self) -> Lines:
        """An object's attributes change, by a method or directly."""
        x = self.some("thing")
        if x is None:
            self.helpers.setdefault("Track", self.filled(CLASSES["Track"]))
            line = f"Track({self.vector(1)}.copy(){self.pick('', ', 0.0', ', k')})"
            return [f"{self.put(self.fresh('o'), 'thing')} = {line}"]
        number = self.number(1)
        return self.pick(
            [f"{x}.add({number})"],
            [f"{self.number_target()} = {x}.add({number})"],
            [f"{x}.step({self.whole_text()}).add({number})"],
            [f"{x}.keep({number})"],
            [f"{x}.state[{self.place()}] = {number}"],
            [f"{x}.total = {number}"],
            [
                f"if {x}.best is not None and {x}.best > {self.literal_text()}:",
                f"    {x}.best = None",
            ],
            [f"{self.some('vector') or 'a'} = {x}.swap({self.vector(1)})"],
            [f"{x}.state, {x}.total = {x}.state * 0.5, {number}"],
        )

    def helper(self, *names: str) -> tuple[str, str | None]:
        """A helper among some, which the program has from now on, and its result's kind."""
        name = self.pick(*names)
        self.helpers.setdefault(name, self.filled(HELPERS[name][0]))
        return name, HELPERS[name][2]

    def helped(self) -> Lines:
        """A helper's call, or an inner function that changes a name around it."""
        if self.chance(0.2):
            return self.inner()
        name, kind = self.helper(*(n for n, h in HELPERS.items() if h[2] != "raises"))
        call = HELPERS[name][1].replace("{v}", self.some("vector") or "a")
        call = self.filled(call.replace("{x}", self.number(1)).replace("{i}", self.whole_text()))
        if kind == "pair":
            v, i = self.some("vector") or "a", self.some("count") or self.fresh("c")
            self.put(i, "count")
            return [f"{v}, {i} = {call}"]
        if kind == "generator":
            kind, call = "number", self.pick(f"sum({call})", f"max({call}, default=0)")
        if kind == "paired":
            return [f"for q, z in {call}:", f"    {self.number_target()} = z + q"]
        target = self.some(kind) or self.put(self.fresh("h"), kind)
        return [f"{target} = {call}" + (" % 7" if kind == "count" and "depth" in name else "")]

    def inner(self) -> Lines:
        """An inner function, with a default or `nonlocal`."""
        f, x = self.fresh("f"), self.some("number")
        number = self.number(1)
        if x is None or self.loops > 3:
            name = self.put(self.fresh("s"), "number")
            return [
                f"{f} = lambda q, z={self.literal_text()}: q * z + 1",
                f"{name} = {f}({number})",
            ]
        return [
            f"def {f}(q, z=2):",
            f"    nonlocal {x}",
            f"    {x} = {x} * 0.5 + q" if self.chance(0.5) else f"    {x} = q",
            f"    return {x} * z",
            self.pick(f"{f}({number})", f"{x} = {f}({number}, 1)", f"a[0] = {f}({number})"),
        ]

    def gathered(self) -> Lines:
        """A comprehension."""
        v, number = self.some("vector", "part") or "a", self.literal_text()
        name = self.fresh("g")
        text, kind = self.pick(
            (f"[{self.item_expression()} for q in {v} if q > {number}]", "numbers"),
            (f"[q * j for j, q in enumerate({v}[:3])]", "numbers"),
            (f"[{v}[:2] * j for j in range({self.pick('2', '3')})]", "parts"),
            (f"[(j, q) for j, q in enumerate({v}) if q > {number}]", "pairs"),
            (f"{{j: q for j, q in enumerate({v}[:3])}}", "table"),
            (f"sum(q * z for q, z in zip({v}, {v}[1:]))", "number"),
            (f"any(q > {number} for q in {v})", "flag"),
            (f"next((j for j, q in enumerate({v}) if q > {number}), -1)", "count"),
            (f"[[q + j for q in {v}[:2]] for j in range(2)]", "lists"),
        )
        self.put(name, kind)
        return [f"{name} = {text}"]

    # Results

    def returned(self, most: int = 8) -> str:
        """What a return gives back: most of what the program has made, as a rule."""
        plain = [x for x in self.bound if x.kind not in ("thing", "counter", "place", "spoiled")]
        found = [x.text for x in plain if x.text not in ("n", "m")]
        for thing in self.having("thing"):
            found += [f"{thing}.{self.pick('state', 'total', 'best', 'seen')}"]
        picked = self.rng.sample(found, min(len(found), self.rng.randint(1, most)))
        return ", ".join(picked) or "None"


def candidate(seed: int, rng: random.Random) -> Program:
    """A program that NumPy may refuse."""
    arguments = arguments_of(rng)
    writer = Nests(rng)
    for name, _, shape, _ in arguments:
        writer.put(name, "matrix" if len(shape) == 2 else "vector" if shape else "count")
    body = ["m, n = b.shape"]
    writer.left = rng.randint(10, 34)
    for _ in range(rng.randint(2, 6)):
        first = ("number_bound", "count_bound", "maybe_bound", "list_changed", "dict_changed")
        body += getattr(writer, writer.pick(*first, "object_changed", "vector_bound"))()
    for _ in range(rng.randint(1, 3)):
        body += writer.loop()
        if writer.chance(0.3):
            body += writer.statement()
    body.append(f"return {writer.returned()}")
    lines = ["import numpy as np", *(text.strip("\n") for text in writer.helpers.values())]
    lines += [f"def compute({', '.join(name for name, *_ in arguments)}):", *indented(body)]
    spec = {"arguments": arguments, "calls": calls_of(rng), "dynamic": None}
    return Program(f"nests-{seed}", "\n".join(lines) + "\n", spec)


def arguments_of(rng: random.Random) -> list[list[Any]]:
    """Two arrays of n elements, a matrix of n columns, a small integer."""
    other = rng.choice(("float64", "float64", "float64", "int64", "float32"))
    return [["a", "float64", ["n"], ""], ["d", other, ["n"], ""], ["b", "float64", ["m", "n"], ""],
            ["k", "int", [], ""]]  # fmt: skip


def calls_of(rng: random.Random) -> list[dict[str, Any]]:
    """A call, one with other values, and one of another size."""
    n, m = rng.choice((3, 5, 5, 7, 8, 2)), rng.choice((2, 3, 4))
    sizes = [(n, m), (n, m), (rng.choice((0, 1, 1, 2, 4, 6, 9)), rng.choice((1, 2, 3)))]
    return [
        {
            "n": size[0],
            "m": size[1],
            "seed": rng.randrange(10**6),
            "layouts": ["C"] * 4,
            "special": False,
            "numbers": {"k": rng.choice((0, 1, 2, 3))},
        }
        for size in sizes
    ]
