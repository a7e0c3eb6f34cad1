"""Statements that hold no others: writes, bindings, in-place operators, calls of helpers."""

from __future__ import annotations

import numpy as np

from .expressions import INT64, Expressions
from .scope import UNKNOWN, Value

Lines = list[str]


class Statements(Expressions):
    """Writes single statements; each gives its lines."""

    def __init__(self, rng) -> None:
        super().__init__(rng)
        self.helpers: dict[str, str] = {}  # name: text

    def target(self) -> Value | None:
        """What can be written through: an array, or a view of one."""
        x = self.array_name()
        if x is None or self.chance(0.2):
            return x
        if self.chance(0.35):
            return Value(self.element_of(x), x.dtype)
        view = self.view(x)
        return view if view.text.endswith("]") and "np." not in view.text else x

    def element_of(self, x: Value) -> str:
        """An element of an array, by text."""
        return f"{x.text}[{', '.join(self.index(size) for size in x.shape)}]"

    def fitting(self, x: Value, shape: tuple[str, ...] | None = None) -> str:
        """Something that may be stored in an array of x's dtype without an undefined cast."""
        shape = x.shape if shape is None else shape
        kinds = {"b": "b", "u": "bu", "i": "biu", "f": "biuf", "c": "biufc"}[x.kind]
        if x.kind == "i" and x.dtype.itemsize == 8 and self.chance(0.05):
            kinds = "biuf"
        if shape and self.chance(0.7):
            for _ in range(4):
                value = self.array(shape, 1, kinds)
                if value.kind in kinds:
                    return value.text
        for _ in range(4):
            value = self.number(1, kinds)
            if value.kind in kinds and not (x.kind == "u" and value.dtype is int):
                break
        else:
            return self.pick("1", "0", "2") if x.kind != "b" else self.pick("True", "False")
        if value.dtype is int and x.kind in "iu" and not value.is_literal:
            return f"{value.text} % 100"
        return value.text

    # Writes

    def write(self) -> Lines:
        """An assignment to elements, or to a part of an array."""
        x = self.target()
        if x is None:
            return self.bind_number()
        if x.text.isidentifier():
            return [f"{x.text}[{self.pick(':', '...', ':')}] = {self.fitting(x)}"]
        return [f"{x.text} = {self.fitting(x)}"]

    def in_place(self) -> Lines:
        """An in-place operator on elements, parts or whole arrays."""
        x = self.target()
        if x is None:
            return self.bind_number()
        signs = {"b": "|&^", "u": "+|&", "i": "+-*|^", "f": "+-+-*", "c": "+-+*"}[x.kind]
        sign = self.rng.choice(signs)
        right = self.fitting(x)
        if x.kind == "f" and self.chance(0.15):
            sign, right = "*", self.pick("0.5", "2", "-1")
        return [f"{x.text} {sign}= {right}"]

    def masked(self) -> Lines:
        """A write where a condition holds."""
        x = self.array_name()
        if x is None:
            return self.bind_number()
        mask = self.mask(x.shape)
        if self.chance(0.3):
            return [f"np.copyto({x.text}, {self.fitting(x, ())}, where={mask})"]
        if self.chance(0.2):
            return [f"np.putmask({x.text}, {mask}, {self.fitting(x)})"]
        sign = self.pick("", "", "", "+") if x.kind in "ifc" else ""
        return [f"{x.text}[{mask}] {sign}= {self.fitting(x, ())}"]

    def out(self) -> Lines:
        """A function with `out=`, often one of its own operands."""
        x = self.array_name(kinds="iufc")
        if x is None:
            return self.bind_number()
        operand = self.leaf(x.shape, x.kind)
        other = self.pick(operand.text, x.text, self.fitting(x, ()))
        name = self.pick("add", "multiply", "maximum", "subtract") if x.kind != "c" else "add"
        if self.chance(0.2):
            name = self.pick("negative", "abs") if x.kind in "if" else "square"
            return [f"np.{name}({operand.text}, out={x.text})"]
        return [f"np.{name}({operand.text}, {other}, out={x.text})"]

    def scattered(self) -> Lines:
        """A write by an array of positions."""
        x = self.array_name(1)
        indices = [c for c in self.arrays(1, "i") if c.text == "c"]
        if x is None or x.shape != ("n",) or not indices:
            return self.masked()
        if self.chance(0.25) and x.kind in "if":
            return [f"np.add.at({x.text}, c, {self.fitting(x, ())})"]
        cut = self.pick("c", "c", "c[::2]", "c[1:]")
        sign = self.pick("", "", "+") if x.kind in "ifc" else ""
        return [f"{x.text}[{cut}] {sign}= {self.fitting(x, ())}"]

    def method(self) -> Lines:
        """A method that changes its array."""
        x = self.array_name(kinds="iuf")
        if x is None:
            return self.bind_number()
        return [self.pick(f"{x.text}.sort()", f"{x.text}.fill({self.fitting(x, ())})")]

    def swap_parts(self) -> Lines:
        """Two parts of arrays change places."""
        x = self.array_name()
        if x is None:
            return self.bind_number()
        if len(x.shape) == 1:
            one, other = self.element_of(x), self.element_of(x)
            if self.chance(0.4):
                cut, size = self.cut(x.shape[0])
                back = self.cut_to(x.shape[0], size) or cut
                one, other = f"{x.text}[{cut}]", f"{x.text}[{back}]"
                if self.chance(0.3):
                    return [f"{one} = {other}"]
        else:
            i, j = self.index(x.shape[0]), self.index(x.shape[0])
            one, other = f"{x.text}[{i}]", f"{x.text}[{j}]"
            if self.chance(0.3):
                other += ".copy()"
                return [f"{one} = {other}"]
        return [f"{one}, {other} = {other}, {one}"]

    # Bindings of numbers

    def bind_number(self) -> Lines:
        """A number gets a name, or another value."""
        kinds = self.pick("biuf", "biuf", "i")
        value = self.number(0, kinds)
        known = self.numbers("biuf")
        known = [x for x in known if x.text not in ("n", "m")]
        if known and self.chance(0.75):
            old = self.rng.choice(known)
            if self.chance(0.5) and old.kind != "b":
                sign = self.pick("+", "-", "+")
                text = value.text
                if old.dtype is int:
                    if value.kind not in "iu" or not isinstance(value.dtype, type):
                        value = self.whole()
                    text = f"{value.text} % 7"
                elif old.kind in "iu" and value.kind == "f":
                    text = "1"
                self.rebound(old, old.dtype)
                return [f"{old.text} {sign}= {text}"]
            self.rebound(old, value.dtype)
            return [f"{old.text} = {self.bounded(value)}"]
        name = self.fresh("s")
        line = f"{name} = {self.bounded(value)}"
        self.bind(name, value.dtype)
        return [line]

    def bounded(self, value: Value) -> str:
        """A number that can't grow from turn to turn."""
        return f"{value.text} % 1000" if value.dtype is int and "*" in value.text else value.text

    # Bindings of arrays

    def new_array(self) -> Lines:
        """A new name for a new array."""
        shape = self.pick(*[x.shape for x in self.arrays()] or [("n",)])
        value = self.array(shape)
        name = self.fresh("v")
        text = f"{value.text}.copy()" if value.text.isidentifier() else value.text
        self.bind(name, value.dtype, shape)
        return [f"{name} = {text}"]

    def alias(self) -> Lines:
        """A new name for an array that has one, or for a view of it."""
        x = self.array_name()
        if x is None:
            return self.bind_number()
        name = self.fresh("w")
        if self.chance(0.4):
            view = x
        elif self.chance(0.12):
            other = self.leaf(x.shape, x.kind)
            view = Value(f"{x.text} if {self.condition(1)} else {other.text}", x.dtype, x.shape)
        else:
            view = self.view(x)
        self.bind(name, view.dtype, view.shape)
        return [f"{name} = {view.text}"]

    def rebind(self) -> Lines:
        """A name holds another array of its shape from now on."""
        x = self.array_name()
        if x is None:
            return self.bind_number()
        choice = self.rng.random()
        same = [y for y in self.arrays(len(x.shape)) if y.shape == x.shape and y.text != x.text]
        if same and choice < 0.3:
            y = self.rng.choice(same)
            self.rebound(x, y.dtype)
            if choice < 0.15:
                self.rebound(y, x.dtype)
                return [f"{x.text}, {y.text} = {y.text}, {x.text}"]
            return [f"{x.text} = {y.text}"]
        if same and choice < 0.4:
            y = self.rng.choice(same)
            self.rebound(x, np.result_type(x.dtype, y.dtype))
            return [f"{x.text} = {x.text} if {self.condition(1)} else {y.text}"]
        if choice < 0.55:
            suffix = "[::-1]" if len(x.shape) == 1 else self.pick("[::-1]", "[:, ::-1]")
            return [f"{x.text} = {x.text}{suffix}"]
        is_near = choice < 0.75
        value = (self.binary(x, self.number(2)) or x) if is_near else self.array(x.shape)
        self.rebound(x, value.dtype)
        return [f"{x.text} = {value.text}"]

    def listed(self) -> Lines:
        """A list or tuple of arrays, and one of them by a constant place."""
        x = self.array_name()
        if x is None:
            return self.bind_number()
        same = [y for y in self.arrays() if y.shape == x.shape]
        picked = [self.rng.choice(same) for _ in range(self.pick(2, 2, 3))]
        place = self.rng.randrange(len(picked))
        name, chosen = self.fresh("l"), self.fresh("w")
        texts = ", ".join(y.text for y in picked)
        open_, close = self.pick("[]", "()")
        lines = [f"{name} = {open_}{texts}{close}"]
        index = self.pick(str(place), str(place - len(picked)))
        if open_ == "[" and self.chance(0.25):
            lines.append(f"{name}[{place}] = {self.array(x.shape).text}")
            picked[place] = Value("", np.dtype(np.float64), x.shape)
        if self.chance(0.4) and picked[place].text:
            y = picked[place]
            lines.append(
                f"{name}[{index}][{self.index(y.shape[0])}] = {self.fitting(y, y.shape[1:])}"
            )
        if self.chance(0.25 if open_ == "[" else 0.03) and picked[place].text:
            lines.append(
                f"{name}[{index}] += {self.fitting(picked[place], ()) if x.kind != 'b' else '1'}"
            )
            return lines[:-1] if x.kind == "b" else lines
        self.bind(chosen, picked[place].dtype, x.shape)
        lines.append(f"{chosen} = {name}[{index}]")
        return lines

    def compressed(self) -> Lines:
        """An array whose size the data say; what is used of it is a number."""
        x = self.array_name(1)
        if x is None:
            return self.bind_number()
        mask = self.mask(x.shape)
        text = self.pick(
            f"{x.text}[{mask}]",
            f"np.compress({mask}, {x.text})",
            f"np.nonzero({mask})[0]",
            f"np.flatnonzero({mask})",
            f"{x.text}[np.where({mask})]",
            f"np.repeat({x.text}, np.arange({x.text}.size) % 3)",
            f"np.repeat({x.text}, {mask} * 2)",
            f"np.bincount({mask} + np.arange({x.text}.size))",
        )
        name, number = self.fresh("u"), self.fresh("s")
        of = self.pick("len({0})", "{0}.sum()", "{0}.size")
        dtype = INT64 if "nonzero" in text or "bincount" in text else x.dtype
        self.names.append(Value(name, dtype, UNKNOWN))
        self.bind(number, int if "sum" not in of else (dtype if dtype.kind in "fc" else INT64))
        return [f"{name} = {text}", f"{number} = {of.format(name)}"]

    # Helpers

    def helper(self) -> Lines:
        """A call of a function of the program's own."""
        x = self.array_name(1, "if") or self.array_name(1)
        if x is None:
            return self.bind_number()
        kind = self.rng.choice(list(HELPERS))
        name = f"{kind}_{len(self.helpers)}" if self.chance(0.6) else None
        old = [h for h in self.helpers if h.startswith(kind)]
        if name is None and old:
            name = old[0]
        name = name or f"{kind}_{len(self.helpers)}"
        if name not in self.helpers:
            text = HELPERS[kind].replace("NAME", name)
            text = text.replace("LIMIT", self.pick("0", "1", "2", "-1"))
            self.helpers[name] = text.replace("SIGN", self.pick(">", "<", ">="))
        made = self.fresh("h")
        if kind == "into":
            self.bind(made, x.dtype, x.shape)
            out = self.pick("", f", {x.text}", f", out={x.text}[::-1]")
            return [f"{made} = {name}({x.text}{out})"]
        if kind in ("bump", "fill"):
            return [f"{name}({x.text}, {self.index(x.shape[0])})"]
        if kind == "either":
            self.names.append(Value(made, np.dtype(np.float64), UNKNOWN))
            return [f"{made} = {name}({x.text})"]
        if kind == "key":
            if self.chance(0.5):
                self.bind(made, INT64, x.shape)
                return [f'{made} = np.argsort({name}({x.text}), kind="stable")']
            return [f"{made} = np.cumsum({name}({x.text}))"]
        if kind == "number":
            self.bind(made, np.dtype(np.float64) if x.kind == "f" else INT64)
            return [f"{made} = {name}({x.text}, {self.literal().text})"]
        if kind == "pair":
            other = self.fresh("h")
            self.bind(made, x.dtype, x.shape)
            self.bind(other, x.dtype)
            return [f"{made}, {other} = {name}({x.text})"]
        self.bind(made, x.dtype, x.shape)
        y = self.leaf(x.shape, x.kind)
        return [f"{made} = {name}({x.text}, {y.text})"]


HELPERS = {
    "bump": """
def NAME(x, i, step=1):
    x[i] += step
    if x[0] SIGN LIMIT:
        x[-1] = step
""",
    "fill": """
def NAME(x, i):
    for k in range(len(x)):
        if k SIGN i:
            x[k] = k
""",
    "into": """
def NAME(x, out=None):
    if out is None:
        out = np.zeros_like(x)
    out[:] = x + x
    if x[0] SIGN LIMIT:
        return out
    out[0] = x[-1]
    return out
""",
    "either": """
def NAME(x):
    if x[0] SIGN LIMIT:
        return x[1:]
    return x.sum()
""",
    "key": """
def NAME(x):
    if x.max() SIGN LIMIT:
        return x
    return x > 0
""",
    "number": """
def NAME(x, least):
    best = least
    for y in x:
        if y SIGN best:
            best = y
    return best
""",
    "pair": """
def NAME(x):
    y = x[::-1]
    if y[0] SIGN LIMIT:
        y = x + x
    return y, y[0]
""",
    "mix": """
def NAME(x, y):
    if x[0] SIGN y[-1]:
        return x
    y = y + x
    return y
""",
}
