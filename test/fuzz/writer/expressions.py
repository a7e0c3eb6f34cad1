"""Expressions: views, positions, numbers, conditions, arrays of a given shape."""

from __future__ import annotations

import numpy as np

from .scope import Scope, Value, loop_dtype

ARITHMETIC = {"+": np.add, "-": np.subtract, "*": np.multiply, "/": np.true_divide}
WHOLE = {"//": np.floor_divide, "%": np.remainder}
BITS = {"&": np.bitwise_and, "|": np.bitwise_or, "^": np.bitwise_xor}
COMPARISONS = ("<", "<=", ">", ">=", "==", "!=")
FUNCTIONS = "sin cos exp log1p sqrt tanh arctan log expm1 cbrt".split()
UNARY = "negative abs square sign floor ceil rint conj isnan logical_not real positive".split()
BINARY = "maximum minimum add subtract multiply hypot less equal fmax logical_and copysign".split()
INT64 = np.dtype(np.int64)
FLOAT64 = np.dtype(np.float64)


class Expressions(Scope):
    """Writes expressions over the names in scope."""

    # Positions and views

    def index(self, size: str) -> str:
        """A position on an axis; mostly one that is inside."""
        counters = [c.text for c in self.counters if c.size == size]
        if counters and self.chance(0.7):
            i = self.rng.choice(counters)
            return self.pick(
                i, i, i, i, f"{size} - 1 - {i}", f"{i} - 1", f"({i} + 1) % {size}", f"-{i}"
            )
        if self.chance(0.06):
            return self.pick("1", "2", f"{size} - 2", f"{size}", "-3")
        indices = [x for x in self.arrays(1, "i") if x.text.startswith("c") and size == "n"]
        if indices and self.chance(0.2):
            return f"{indices[0].text}[{self.pick('0', '-1')}]"
        whole = [x.text for x in self.numbers("i") if isinstance(x.dtype, type)]
        if whole and self.chance(0.2):
            return f"{self.rng.choice(whole)} % {size}"
        return self.pick("0", "0", "-1", f"{size} // 2", f"{size} - 1")

    def cuts(self, size: str) -> dict[str, tuple[str, ...]]:
        """Slices of an axis, by the size that they leave."""
        made = {
            size: (":", "::-1", f":{size}", "0:", f"-{size}:"),
            f"{size} - 1": ("1:", ":-1", f":{size} - 1", ":0:-1", "-2::-1"),
            f"{size} - 2": ("1:-1", "2:", ":-2"),
            f"({size} + 1) // 2": ("::2", "::-2"),
            f"{size} // 2": ("1::2", f":{size} // 2"),
        }
        if self.chance(0.5):
            del made[size]
        for counter in self.counters:
            if counter.size == size:
                i = counter.text
                made[i] = (f":{i}", f"{size} - {i}:")
                made[f"{size} - {i}"] = (f"{i}:", f":{size} - {i}", f"{size} - 1 - {i}::-1")
        return made

    def cut_to(self, size: str, wanted: str) -> str | None:
        """A slice of an axis that leaves a size."""
        found = self.cuts(size).get(wanted)
        return self.pick(*found) if found else None

    def cut(self, size: str) -> tuple[str, str]:
        """Any slice of an axis and the size that it leaves."""
        cuts = self.cuts(size)
        # What counters cut comes as often as what constants do.
        wanted = self.rng.choice(list(cuts)[-2:] if self.chance(0.4) else list(cuts))
        return self.pick(*cuts[wanted]), wanted

    def view(self, x: Value) -> Value:
        """A view of a name, of any shape."""
        if len(x.shape) == 1:
            (n,) = x.shape
            if self.chance(0.12):
                text = self.pick(f"{x.text}.reshape(-1, 1)", f"{x.text}[:, None]")
                return Value(text, x.dtype, (n, "1"))
            text, size = self.cut(n)
            if self.chance(0.1):
                return Value(f"np.flip({x.text}[{text}])", x.dtype, (size,))
            return Value(f"{x.text}[{text}]", x.dtype, (size,))
        m, n = x.shape
        cut, size = self.cut(n)
        down, rows = self.cut(m)
        i, j = self.index(m), self.index(n)
        text, shape = self.pick(
            (f"{x.text}[{i}]", (n,)),
            (f"{x.text}[{i}]", (n,)),
            (f"{x.text}[:, {j}]", (m,)),
            (f"{x.text}[{i}, {cut}]", (size,)),
            (f"{x.text}[{down}, {j}]", (rows,)),
            (f"{x.text}[{down}]", (rows, n)),
            (f"{x.text}[{down}, {cut}]", (rows, size)),
            (f"{x.text}.T", (n, m)),
            (f"{x.text}.T[{j}]", (m,)),
            (f"{x.text}.T[::-1]", (n, m)),
            (f"{x.text}[:, ::-1]", (m, n)),
            (f"np.diagonal({x.text})" if m == n else f"{x.text}[-1]", (n,)),
            (f"{x.text}.reshape(-1)", (f"{m} * {n}",)),
            (f"{x.text}.ravel()", (f"{m} * {n}",)),
        )
        return Value(text, x.dtype, shape)

    # Numbers

    def literal(self, kinds: str = "if") -> Value:
        """A number as Python writes it."""
        if "f" in kinds and self.chance(0.4):
            return Value(self.pick("0.5", "2.0", "-1.5", "0.25", "1.0", "-0.5"), float)
        return Value(self.pick("0", "1", "2", "3", "-1", "1", "2", "5"), int)

    def element(self, kinds: str) -> Value:
        """An element of an array."""
        x = self.array_name(kinds=kinds)
        if x is None:
            return self.literal()
        places = ", ".join(self.index(size) for size in x.shape)
        return Value(f"{x.text}[{places}]", x.dtype)

    def number(self, depth: int = 0, kinds: str = "biuf") -> Value:
        """A number, real unless the kinds say otherwise."""
        choice = self.rng.random()
        if depth > 2 or choice < 0.45:
            options = [self.literal(), self.element(kinds), self.element(kinds)]
            options += [Value(c.text, int) for c in self.counters]
            options += [x for x in self.numbers(kinds) for _ in range(2)]
            return self.rng.choice(options)
        if choice < 0.62:
            return self.reduction(kinds)
        x, y = self.number(depth + 1, kinds), self.number(depth + 1, kinds)
        if choice < 0.84:
            return self.binary(x, y) or x
        if choice < 0.90 and x.is_real and y.is_real:
            return Value(f"{self.pick('max', 'min')}({x.text}, {y.text})", self.wider(x, y))
        if choice < 0.94:
            return Value(f"({x.text} if {self.condition(1)} else {y.text})", self.wider(x, y))
        name = self.pick("abs", "float", "int", "round", "abs", "bool", "np.float64")
        if name == "abs" and x.kind != "c":
            return Value(f"abs({x.text})", int if x.dtype is bool else x.dtype)
        if name in ("float", "np.float64") and x.is_real:
            return Value(f"{name}({x.text})", float if name == "float" else FLOAT64)
        if name in ("int", "round") and x.kind in "iub":
            return Value(f"int({x.text})", int)
        return x

    def wider(self, x: Value, y: Value) -> object:
        """The dtype of one of two numbers, roughly."""
        order = "biufc"
        return max(x, y, key=lambda v: order.index(v.kind)).dtype

    def reduction(self, kinds: str = "biuf") -> Value:
        """A number from an array."""
        x = self.array_name(kinds=kinds)
        if x is None:
            return self.literal()
        if self.chance(0.5):
            x = self.view(x)
        if self.chance(0.1):
            return Value(self.pick(f"len({x.text})", f"{x.text}.shape[0]", f"{x.text}.size"), int)
        name = self.pick("sum", "sum", "max", "min", "mean", "any", "all", "argmax", "argmin")
        if name in ("any", "all"):
            return Value(f"{x.text}.{name}()", np.dtype(bool))
        if name in ("argmax", "argmin"):
            return Value(f"{x.text}.{name}()", INT64)
        if name == "mean":
            return Value(f"{x.text}.mean()", x.dtype if x.kind in "fc" else FLOAT64)
        dtype = x.dtype
        if name == "sum" and x.kind in "bi":
            dtype = INT64
        if name == "sum" and x.kind == "u":
            dtype = np.dtype(np.uint64)
        return Value(f"{x.text}.{name}()", dtype)

    def whole(self) -> Value:
        """A Python integer."""
        options = [Value(c.text, int) for c in self.counters] + [Value("2", int), Value("n", int)]
        options += [x for x in self.numbers("i") if x.dtype is int]
        return self.rng.choice(options)

    def condition(self, depth: int = 0) -> str:
        """Something true or false: of data, of sizes, or of numbers."""
        choice = self.rng.random()
        if choice < 0.12:
            sizes = ["n > 2", "n > 7", "n % 2 == 0", "n != 1"]
            sizes += [f"{x.text}.shape[0] > 3" for x in self.arrays()[:2]]
            sizes += ["m < n", "m == n"] if any(x.text == "m" for x in self.names) else []
            return self.rng.choice(sizes)
        masks = self.arrays(1, "b")
        if choice < 0.2 and masks:
            return self.element("b").text
        if choice < 0.26:
            x = self.array_name(kinds="iuf")
            if x is not None:
                test = f"{x.text} {self.pick('>', '<')} {self.pick('0', '1', '2')}"
                return f"({test}).{self.pick('any', 'all')}()"
        x, y = self.number(2), self.pick(self.literal(), self.literal(), self.number(2))
        if choice < 0.3:
            return f"0 < {x.text} <= {y.text}"
        text = f"{x.text} {self.pick(*COMPARISONS[:4], *COMPARISONS)} {y.text}"
        if depth == 0 and choice > 0.88:
            return f"{text} {self.pick('and', 'or')} {self.condition(1)}"
        return f"not {text}" if choice > 0.84 else text

    # Operators on values of one shape

    def binary(self, x: Value, y: Value) -> Value | None:
        """Two values of one shape, or a number and an array, with an operator between them."""
        shape = x.shape or y.shape
        table = dict(ARITHMETIC)
        if x.is_real and y.is_real:
            table |= WHOLE if self.chance(0.3) else {}
            if {x.kind, y.kind} <= set("iub") and self.chance(0.4):
                table = BITS
        sign = self.rng.choice(list(table))
        if sign in "//%" and not shape and y.is_literal and float(y.text) == 0:
            sign = "+"
        for one, other in ((x, y), (y, x)):
            if one.kind == "u" and other.is_literal and other.text.startswith("-"):
                return self.binary(x, Value("1", int)) if other is y else None
        dtype = loop_dtype(table.get(sign, np.add), x, y)
        if dtype is None:
            return None
        if shape and self.chance(0.15):
            sign = self.pick(*COMPARISONS)
            if x.is_real and y.is_real:
                return Value(f"({x.text} {sign} {y.text})", np.dtype(bool), shape)
            return None
        return Value(f"({x.text} {sign} {y.text})", dtype, shape)

    # Arrays

    def size_text(self, size: str) -> str:
        """A size where it stands in a call; never below 0."""
        return f"max({size}, 0)" if " - " in size else size

    def leaves(self, shape: tuple[str, ...], kinds: str) -> list[Value]:
        """Views of names, of a shape."""
        found = []
        for x in self.arrays(kinds=kinds):
            if x.shape == shape:
                found += [x, x]
                if self.chance(0.3):
                    suffix = self.pick("[::-1]", "[:]", ".copy()", "[...]")
                    found.append(Value(x.text + suffix, x.dtype, shape))
            elif len(shape) == 1 and len(x.shape) == 1:
                cut = self.cut_to(x.shape[0], shape[0])
                if cut:
                    found += [Value(f"{x.text}[{cut}]", x.dtype, shape)] * 2
            elif len(shape) == 1:
                m, n = x.shape
                for size, other, form in ((n, m, "{x}[{i}, {cut}]"), (m, n, "{x}[{cut}, {i}]")):
                    cut = self.cut_to(size, shape[0])
                    if cut:
                        text = form.format(x=x.text, i=self.index(other), cut=cut)
                        found.append(Value(text, x.dtype, shape))
            elif x.shape == shape[::-1] and len(shape) == 2:
                found.append(Value(f"{x.text}.T", x.dtype, shape))
            elif len(x.shape) == 2:
                cuts = [self.cut_to(size, to) for size, to in zip(x.shape, shape, strict=True)]
                if all(cuts):
                    found.append(Value(f"{x.text}[{cuts[0]}, {cuts[1]}]", x.dtype, shape))
        return found

    def leaf(self, shape: tuple[str, ...], kinds: str) -> Value:
        """An array of a shape without operators."""
        found = self.leaves(shape, kinds)
        if found and self.chance(0.95):
            return self.rng.choice(found)
        sizes = [self.size_text(size) for size in shape]
        if len(shape) == 1 and self.chance(0.5):
            return Value(f"np.arange({sizes[0]})", INT64, shape)
        text = sizes[0] if len(shape) == 1 else f"({', '.join(sizes)})"
        return Value(f"np.{self.pick('zeros', 'ones')}({text})", FLOAT64, shape)

    def array(self, shape: tuple[str, ...], depth: int = 0, kinds: str = "biufc") -> Value:
        """An array of a shape, of some of the kinds mostly."""
        choice = self.rng.random()
        if depth > 2 or choice < 0.3:
            return self.leaf(shape, kinds)
        if choice > 0.97 and (made := self.of_other_rank(shape, kinds)) is not None:
            return made
        x = self.array(shape, depth + 1, kinds)
        if choice < 0.5:
            y = self.array(shape, depth + 1, kinds)
            return self.binary(x, y) or x
        if choice < 0.7:
            y = self.number(1, "biufc" if x.kind == "c" else "biuf")
            pair = (y, x) if self.chance(0.25) else (x, y)
            return self.binary(*pair) or x
        if choice < 0.8:
            return self.unary(x)
        if choice < 0.86:
            return self.chosen(x, self.array(shape, depth + 1, kinds))
        if choice < 0.91:
            return self.called(x, self.array(shape, depth + 1, kinds))
        if choice < 0.94 and x.kind in "fc":
            name = self.rng.choice(FUNCTIONS)
            dtype = loop_dtype(getattr(np, name), x)
            return Value(f"np.{name}({x.text})", dtype, shape) if dtype is not None else x
        return self.rearranged(x)

    def of_other_rank(self, shape: tuple[str, ...], kinds: str) -> Value | None:
        """A reduction of a matrix along an axis, or a matrix from rows and columns."""
        if len(shape) == 2:
            rows = [x for x in self.arrays(1, kinds) if x.shape == shape[1:]]
            columns = [x for x in self.arrays(1, kinds) if x.shape == shape[:1]]
            if not rows or not columns:
                return None
            column, row = self.rng.choice(columns), self.rng.choice(rows)
            wide = self.pick("[:, None]", ".reshape(-1, 1)")
            return self.binary(Value(column.text + wide, column.dtype, shape), row)
        name = self.pick("sum", "max", "min", "any", "argmax", "cumsum")
        for x in self.arrays(2, "iuf"):
            for axis in (0, 1):
                if x.shape[1 - axis] != shape[0]:
                    continue
                if name == "cumsum":
                    text = f"np.cumsum({x.text}, axis={axis})[{'-1' if axis == 0 else ':, -1'}]"
                    name = "sum"
                else:
                    text = f"{x.text}.{name}(axis={axis})"
                dtype = {"any": np.dtype(bool), "argmax": INT64}.get(name, x.dtype)
                if name == "sum" and x.kind in "iu":
                    dtype = np.dtype(np.int64 if x.kind == "i" else np.uint64)
                return Value(text, dtype, shape)
        return None

    def unary(self, x: Value) -> Value:
        """A function of one array that is exact."""
        name = self.rng.choice(UNARY)
        if name == "real":
            real = np.dtype(f"f{x.dtype.itemsize // 2}") if x.kind == "c" else x.dtype
            return Value(f"np.real({x.text})", real, x.shape)
        dtype = loop_dtype(getattr(np, name), x)
        if dtype is None:
            return x
        if name in ("negative", "positive"):
            return Value(f"({'-' if name == 'negative' else '+'}{x.text})", dtype, x.shape)
        return Value(f"np.{name}({x.text})", dtype, x.shape)

    def called(self, x: Value, y: Value) -> Value:
        """A function of two arrays."""
        name = self.rng.choice(BINARY)
        if not (x.is_real and y.is_real):
            return x
        dtype = loop_dtype(getattr(np, name), x, y)
        return x if dtype is None else Value(f"np.{name}({x.text}, {y.text})", dtype, x.shape)

    def chosen(self, x: Value, y: Value) -> Value:
        """np.where."""
        mask = self.mask(x.shape)
        dtype = np.result_type(np.dtype(x.dtype), np.dtype(y.dtype))
        if self.chance(0.3) and x.kind in "fc":
            return Value(f"np.where({mask}, {x.text}, {self.literal().text})", x.dtype, x.shape)
        return Value(f"np.where({mask}, {x.text}, {y.text})", dtype, x.shape)

    def mask(self, shape: tuple[str, ...]) -> str:
        """A condition on each element."""
        bools = self.leaves(shape, "b")
        if bools and self.chance(0.4):
            return self.rng.choice(bools).text
        x = self.leaf(shape, "iuf")
        sign = self.pick("<", ">", "!=", ">=")
        return f"({x.text} {sign} {self.pick('0', '1', '2', self.number(3).text)})"

    def rearranged(self, x: Value) -> Value:
        """The elements in another order, summed up, or of another dtype."""
        if len(x.shape) == 2:
            axis = self.pick("0", "1", "-1")
            name = self.pick(
                "np.roll({x}, 1, axis={a})", "np.flip({x}, {a})", "np.cumsum({x}, axis={a})"
            )
            if "cumsum" in name and x.kind in "biu":
                return x
            return Value(name.format(x=x.text, a=axis), x.dtype, x.shape)
        if self.chance(0.15):
            places = [c.text for c in self.counters if c.size == x.shape[0]]
            k = self.pick("1", "2", "-1", *places)
            x = x if x.text.isidentifier() else Value(f"({x.text})", x.dtype, x.shape)
            return Value(f"np.concatenate(({x.text}[{k}:], {x.text}[:{k}]))", x.dtype, x.shape)
        indices = [c for c in self.arrays(1, "i") if c.text == "c"]
        if indices and x.shape == ("n",) and self.chance(0.4):
            return Value(
                f"{x.text}[c]" if x.text.isidentifier() else f"({x.text})[c]", x.dtype, x.shape
            )
        if self.chance(0.3):
            dtype = self.pick("float64", "int64", "float32") if x.kind in "biu" else "complex128"
            return Value(f"{x.text}.astype(np.{dtype})", np.dtype(dtype), x.shape)
        if x.kind in "iuf" and self.chance(0.5):
            form = self.pick("np.sort({x})", "np.minimum.accumulate({x})", "np.clip({x}, 0, 3)")
            return Value(form.format(x=x.text), x.dtype, x.shape)
        return Value(f"np.roll({x.text}, {self.pick('1', '-1', '2')})", x.dtype, x.shape)
