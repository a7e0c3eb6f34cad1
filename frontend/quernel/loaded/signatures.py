"""What a function of the user's own text takes and gives: ``"float64, float64[n] -> float64[n]"``.

Arguments and results are separated by commas. ``out`` stands before an array that the function
writes, ``context`` for what the runtime lends, and ``status`` behind all results for an integer
that the function returns, which isn't 0 where it has failed. Sizes are numbers, names, ``:``, and
sums and products of those.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ..dtypes import NAMES
from ..errors import pointed
from ..signals import let_out

_PART = re.compile(r"\s*(?:(out)\s+)?([A-Za-z_]\w*)\s*(\[[^\[\]]*\])?\s*(?=,|->|$)")
_OPERATORS: dict[type, str] = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.FloorDiv: "//"}
_OPERATORS[ast.Div] = "//"  # sizes are integers
_DTYPES = tuple(name for name in NAMES if name != "bfloat16")
_MOST_SIZE = 2**31


@dataclass(frozen=True)
class Size:
    """A size of an array: a number, a name, or an expression over names.

    Attributes
    ----------
    text : str
        As the user has written it.
    names : tuple of str
        The names in it.
    """

    text: str
    tree: Any
    names: tuple[str, ...]

    @property
    def name(self) -> str | None:
        """The name that is all of it, if it is one."""
        return self.tree if type(self.tree) is str else None

    def value(self, sizes: dict[str, Any]) -> Any:
        """What it is where the names are these sizes."""
        return _value(self.tree, sizes)


@dataclass(frozen=True)
class Part:
    """An argument or a result: a number where it has no sizes, else an array.

    Attributes
    ----------
    number : int
        Its place among the arguments, or among the results.
    is_written : bool
        Whether it is an argument that the function writes.
    """

    number: int
    dtype: str
    sizes: tuple[Size, ...] | None
    is_written: bool = False

    @property
    def is_array(self) -> bool:
        """Whether it is an array, perhaps of no axes."""
        return self.sizes is not None

    @property
    def rank(self) -> int:
        """The number of axes."""
        return len(self.sizes or ())

    def __str__(self) -> str:
        if self.sizes is None:
            return self.dtype
        return f"{self.dtype}[{', '.join(size.text for size in self.sizes)}]"


@dataclass(frozen=True)
class Signature:
    """A signature text, read.

    Attributes
    ----------
    takes_context : bool
        Whether the function's first parameter is what the runtime lends.
    has_status : bool
        Whether the function returns a status.
    names : tuple of str
        The sizes that have names, in the order in which the function gets them.
    """

    text: str
    parameters: tuple[Part, ...]
    results: tuple[Part, ...]
    takes_context: bool
    has_status: bool
    names: tuple[str, ...]

    @classmethod
    def of(cls, text: str) -> Signature:
        """Read a text.

        Raises
        ------
        SignatureError
        """
        return _Reader(text).read()

    @property
    def has_shapes(self) -> bool:
        """Whether the sizes of results follow from those of arguments."""
        return any(size.names for part in self.results for size in part.sizes or ())

    @property
    def read(self) -> tuple[Part, ...]:
        """The arguments that the function only reads."""
        return tuple(part for part in self.parameters if not part.is_written)

    @property
    def written(self) -> tuple[Part, ...]:
        """The arguments that the function writes."""
        return tuple(part for part in self.parameters if part.is_written)


class _Reader:
    def __init__(self, text: str) -> None:
        self._text = text
        self._anonymous = 0
        self._bound: list[str] = []
        self._used: list[tuple[str, int]] = []

    def read(self) -> Signature:
        parameters, results = [], []
        takes_context = has_status = is_behind = False
        for word, dtype, sizes, position, is_result in self._parts():
            if is_result and not is_behind:
                is_behind = True
            if has_status:
                self._fail("nothing stands behind `status`", position)
            if dtype == "context" and sizes is None and not word:
                if is_result or parameters or takes_context:
                    self._fail("`context` is the first argument", position)
                takes_context = True
            elif dtype == "status" and sizes is None and is_result:
                has_status = True
            else:
                into = results if is_result else parameters
                into.append(self._part(len(into), word, dtype, sizes, position, is_result))
        if not results and not any(part.is_written for part in parameters):
            self._fail("the function gives nothing, and writes nothing", len(self._text))
        for name, position in self._used:
            if name not in self._bound:
                self._fail(f"no argument has an axis whose size is {name!r}", position)
        names = tuple(dict.fromkeys(self._bound))
        parts = (tuple(parameters), tuple(results))
        return Signature(self._text, *parts, takes_context, has_status, names)

    def _fail(self, reason: str, position: int) -> None:
        raise pointed(f"{self._text!r}: {reason}", self._text, position)

    def _parts(self) -> Iterator[tuple[str, str, str | None, int, bool]]:
        """The words of each part, where it begins, and whether it is a result."""
        text, position, is_result = self._text, 0, False
        while True:
            rest = text[position:]
            start = position + len(rest) - len(rest.lstrip())
            if text.startswith("->", start) and not is_result and self._may_end(position):
                position, is_result = start + 2, True
                continue
            if start == len(text) and self._may_end(position):
                return
            match = _PART.match(text, position)
            if match is None:
                self._fail(
                    "can't be read here; write for example 'float64, float64[n] -> float64[n]'",
                    start,
                )
            yield match[1] or "", match[2], match[3], start, is_result
            position = match.end()
            if text.startswith(",", position):
                position += 1
                if not text[position:].strip() or text[position:].lstrip().startswith("->"):
                    self._fail("a comma that nothing follows", position - 1)

    def _may_end(self, position: int) -> bool:
        """Whether no comma is before a place."""
        return not self._text[:position].rstrip().endswith(",")

    def _part(
        self, number: int, word: str, dtype: str, sizes: str | None, position: int, is_result: bool
    ) -> Part:
        if dtype not in _DTYPES:
            self._fail(f"{dtype!r} is none of {', '.join(_DTYPES)}", position)
        if word and is_result:
            self._fail("`out` is for arguments", position)
        if word and sizes is None:
            self._fail("`out` is for arrays; write for example 'out float64[n]'", position)
        if sizes is None:
            return Part(number, dtype, None)
        begin = self._text.index("[", position) + 1
        inside, found = sizes[1:-1], []
        for piece in inside.split(",") if inside.strip() else []:
            found.append(self._size(piece, begin, is_result))
            begin += len(piece) + 1
        return Part(number, dtype, tuple(found), bool(word))

    def _size(self, text: str, begin: int, is_result: bool) -> Size:
        position = begin + len(text) - len(text.lstrip())
        text = text.strip()
        if text == ":" and not is_result:
            name = f"_{self._anonymous}"
            self._anonymous += 1
            self._bound.append(name)
            return Size(text, name, (name,))
        try:
            size = expression(text)
        except ValueError as error:
            let_out(error)
            self._fail(f"{text!r} is no size: write a number, a name, or a sum of them", position)
        if size.name is not None and not is_result:
            self._bound.append(size.name)
        self._used += [(name, position) for name in size.names]
        return size


def expression(text: str) -> Size:
    """Read a number, a name, or a sum, product or quotient of them.

    Raises
    ------
    ValueError
    """
    try:
        tree = _tree(ast.parse(text, mode="eval").body)
    except (SyntaxError, ValueError) as error:
        let_out(error)
        raise ValueError(text) from None
    return Size(text, tree, tuple(_names(tree)))


def _tree(node: ast.expr) -> Any:
    """An expression as numbers, names and tuples of an operator and two expressions.

    Raises
    ------
    ValueError
    """
    if isinstance(node, ast.Constant) and type(node.value) is int and node.value < _MOST_SIZE:
        return node.value
    if isinstance(node, ast.Name) and not node.id.startswith("_"):
        return node.id
    if isinstance(node, ast.BinOp) and type(node.op) in _OPERATORS:
        operator, left, right = _OPERATORS[type(node.op)], _tree(node.left), _tree(node.right)
        if operator == "//" and (type(right) is not int or right < 1):
            raise ValueError
        return (operator, left, right)
    raise ValueError


def _names(tree: Any) -> Iterator[str]:
    if type(tree) is str:
        yield tree
    elif type(tree) is tuple:
        yield from _names(tree[1])
        yield from _names(tree[2])


def _value(tree: Any, sizes: dict[str, Any]) -> Any:
    if type(tree) is not tuple:
        return sizes[tree] if type(tree) is str else tree
    operator, left, right = tree[0], _value(tree[1], sizes), _value(tree[2], sizes)
    if operator == "+":
        return left + right
    if operator == "-":
        return left - right
    return left * right if operator == "*" else left // right
