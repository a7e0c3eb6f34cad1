"""Texts with numbers of the program in them, which become messages of exceptions.

Only the running program knows such a text, so that nothing else can be done with it: whatever reads
it asks for the numbers that it is made of.
"""

from __future__ import annotations

import string
from collections.abc import Callable, Iterator
from typing import Any, NoReturn

import numpy as np

from ..raised import number_class
from ..traced.array import TracedArray
from ..traced.numbers import DATA, isinstance_symbolic, origins
from ..traced.open_types import Open
from ..traced.scalars import number_of, number_type, value_of
from ..traced.tracer import Tracer, current

_WHY = (
    "the text of",
    "format it outside of the compiled function, or raise an exception with it",
)
_MOST = 8  # as many numbers as the runtime keeps of an error


class Field:
    """A number in a text.

    Attributes
    ----------
    number : SymbolicNumber, SymbolicSize or TracedArray
        Without axes.
    how : str
        The conversion and the format, as a format string of Python has them.
    """

    __slots__ = ("number", "how")

    def __init__(self, number: Any, how: str) -> None:
        self.number, self.how = number, how

    @property
    def kind(self) -> Any:
        """Its Python type or dtype."""
        return number_type(self.number)

    @property
    def origins(self) -> frozenset:
        """What the number was computed from."""
        return origins(self.number) if isinstance_symbolic(self.number) else frozenset([DATA])


class Text:
    """A string with numbers that only the running program knows.

    Parameters
    ----------
    parts : list of str and Field
    is_numpys : bool
        Whether NumPy alone can make the text: an exception that has it is left to NumPy.
    """

    __slots__ = ("_tracer", "_parts", "_region", "_is_numpys")

    def __init__(self, tracer: Tracer, parts: list[Any], is_numpys: bool = False) -> None:
        self._tracer, self._parts, self._is_numpys = tracer, parts, is_numpys
        self._region = tracer.region

    @property
    def __class__(self) -> type:
        return str

    @property
    def fields(self) -> list[Field]:
        """The numbers."""
        return [part for part in self._parts if type(part) is Field]

    def known(self) -> NoReturn:
        """Restart the capture with the numbers known, or refuse what reads the text."""
        if self._is_numpys:
            self._tracer.fail("the text of an error of NumPy's", "leave the text out")
        found = frozenset().union(*(field.origins for field in self.fields))
        values = [value_of(self._tracer, field.number, field.kind) for field in self.fields]
        self._tracer.need(found, values, _WHY)

    @property
    def has_form(self) -> bool:
        """Whether an exception can be raised here that has the text."""
        if self._is_numpys or self._tracer.regions_within(self._region) is None:
            return False
        return sum(1 + (np.dtype(field.kind).kind == "c") for field in self.fields) <= _MOST

    def form(self) -> tuple[str, str, list[Any]]:
        """The types of the numbers, a format string of Python, and the numbers' bits as int64.

        This is for texts that have a form.
        """
        tracer = self._tracer
        texts, kinds, values = [], [], []
        for part in self._parts:
            if type(part) is str:
                texts.append(part.replace("{", "{{").replace("}", "}}"))
                continue
            texts.append(f"{{{len(kinds)}{part.how}}}")
            kinds.append(_spelled(part.kind))
            values += _bits(tracer, part)
        return ", ".join(kinds), "".join(texts), values

    def __iter__(self) -> NoReturn:
        self.known()

    def __add__(self, other: Any) -> Any:
        return _joined(self._tracer, self, other)

    def __radd__(self, other: Any) -> Any:
        return _joined(self._tracer, other, self)

    def __str__(self) -> str:
        return self._shown()

    def __repr__(self) -> str:
        return self._shown()

    def _shown(self) -> str:
        """The text for messages of ours, where nothing is captured any more."""
        if current() is self._tracer:
            self.known()
        return "".join(part if type(part) is str else "…" for part in self._parts)

    def __getattr__(self, name: str) -> Any:
        if hasattr(str, name) and not name.startswith("__"):
            self.known()
        raise AttributeError(f"'str' object has no attribute {name!r}")


def _reading(name: str) -> Callable[..., Any]:
    def method(self: Text, *args: Any) -> NoReturn:
        self.known()

    method.__name__ = name
    return method


for _name in (
    "eq ne lt le gt ge hash bool len contains getitem mul rmul mod rmod format int float index"
).split():
    setattr(Text, f"__{_name}__", _reading(f"__{_name}__"))


def text_of(tracer: Tracer, parts: list[Any]) -> Any:
    """A string of parts: a plain one where all of them are."""
    flat = list(_flat(parts))
    if all(type(part) is str for part in flat):
        return "".join(flat)
    return Text(tracer, flat)


def text_of_form(tracer: Tracer, types: list[str], text: str, bits: list[Any]) -> Text:
    """The text of which `Text.form` gives these types of real numbers, format and bits."""
    parts: list[Any] = []
    left = iter(bits)
    numbers = [_number(tracer, name, left) for name in types]
    for literal, field, spec, conversion in string.Formatter().parse(text):
        parts.append(literal)
        if field is not None:
            how = (f"!{conversion}" if conversion else "") + (f":{spec}" if spec else "")
            parts.append(Field(numbers[int(field)], how))
    return Text(tracer, parts)


def _number(tracer: Tracer, name: str, bits: Iterator[Any]) -> Any:
    """The real number of a type that the next int64 has the bits of."""
    kind = number_class(name)
    dtype = np.dtype(kind)
    value = next(bits)
    if dtype.kind == "f":
        value = tracer.op("bitcast", [value], dtype="float64")
    value = tracer.cast(value, dtype.name)
    return number_of(tracer, value, kind if name == kind.__name__ else dtype)


def _flat(parts: list[Any]) -> Iterator[Any]:
    for part in parts:
        if type(part) is Text:
            yield from part._parts
        else:
            yield part


def _joined(tracer: Tracer, *parts: Any) -> Any:
    if all(type(part) in (str, Text) for part in parts):
        return text_of(tracer, list(parts))
    return NotImplemented


def formatted(tracer: Tracer, value: Any, conversion: str, spec: str, is_message: bool) -> Any:
    """A value of an f-string: a string, or a field of a text.

    Parameters
    ----------
    conversion : str
        ``"s"``, ``"r"``, ``"a"`` or nothing.
    is_message : bool
        Whether the string is that of an exception: no number has to be known for it.

    Raises
    ------
    ValueError
        Where a number can't be formatted like that.
    """
    if type(value) is Text and not spec and conversion in ("", "s"):
        return value
    if not is_unknown_number(value) or not (is_message or DATA in Field(value, "").origins):
        convert = {"s": str, "r": repr, "a": ascii}.get(conversion)
        return format(value if convert is None else convert(value), spec)
    field = Field(value, (f"!{conversion}" if conversion else "") + (f":{spec}" if spec else ""))
    if type(field.kind) is Open:
        tracer.decide(value.value)
        tracer.fail(f"a text of a number that is {value.open.text()}, as data decide", "convert it")
    if "{" in spec or "}" in spec:
        tracer.fail("a format with braces of a number that only the running program knows")
    f"{{0{field.how}}}".format(_class_of(field.kind)(1))  # Python's own error, if there is one
    return field


def is_unknown_number(obj: Any) -> bool:
    """Whether an object is a number that isn't known now."""
    if type(obj) is TracedArray:
        return obj.is_scalar and obj.known() is None
    return isinstance_symbolic(obj)


def _class_of(kind: Any) -> type:
    return kind if isinstance(kind, type) else kind.type


def _spelled(kind: Any) -> str:
    """The type of a number as a manifest names it."""
    return kind.__name__ if isinstance(kind, type) else f"np.{kind.type.__name__}"


def _bits(tracer: Tracer, field: Field) -> list[Any]:
    """A number as int64s: a float as its bits as a float64, a complex number as its parts."""
    value = value_of(tracer, field.number, field.kind)
    if np.dtype(value.dtype).kind == "c":
        parts = [tracer.op(name, [value]) for name in ("real", "imag")]
    else:
        parts = [value]
    return [_bits_of(tracer, part) for part in parts]


def _bits_of(tracer: Tracer, value: Any) -> Any:
    if np.dtype(value.dtype).kind == "f":
        return tracer.op("bitcast", [tracer.cast(value, "float64")], dtype="int64")
    return tracer.cast(value, "int64")
