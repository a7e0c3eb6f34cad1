"""The tracer: what a running capture knows, and how it adds operations to the graph."""

from __future__ import annotations

import os
import threading
from types import FunctionType
from typing import Any, NoReturn

import numpy as np

from ..arguments import Leaf
from ..errors import UnsupportedError
from ..options import Options
from .location import user_frame
from .numbers import SymbolicSize, symbol_numbers

_OPERATION_LIMIT = 5000
_ACTIVE = threading.local()


class Restart(BaseException):
    """The capture has to begin anew, with more known at its start.

    Parameters
    ----------
    values : set of str
        Paths of numbers whose value becomes part of the program.
    dims : set of (str, int)
        Dimensions, as path and axis, whose size becomes part of the program.
    written : set of str
        Paths of arrays that the function writes.
    """

    def __init__(self, values: Any = (), dims: Any = (), written: Any = ()) -> None:
        super().__init__()
        self.values, self.dims, self.written = set(values), set(dims), set(written)


class Choices:
    """What earlier attempts to capture this kind of call have found out."""

    def __init__(self) -> None:
        self.values: set[str] = set()
        self.dims: set[tuple[str, int]] = set()
        self.written: set[str] = set()

    def learn(self, restart: Restart) -> None:
        """Take over what a restart says."""
        self.values |= restart.values
        self.dims |= restart.dims
        self.written |= restart.written


def current() -> Tracer:
    """The tracer of the capture that runs in this thread."""
    return _ACTIVE.tracer


class Tracer:
    """State of one attempt to capture a function.

    Parameters
    ----------
    function : FunctionType
    compiler : module
        The `_compiler` extension module.
    symbolic : set of (str, int)
        Dimensions, as path and axis, that may get a symbol.
    """

    def __init__(
        self,
        function: FunctionType,
        compiler: Any,
        options: Options,
        choices: Choices,
        symbolic: set,
    ) -> None:
        self.function = function
        self.running = False
        self.graph = compiler.Graph(identifier(function.__name__))
        self.compiler = compiler
        self.ufuncs = {row[0]: row[3] for row in compiler.ufuncs()}
        self.options = options
        self.choices = choices
        self.symbolic = symbolic
        self.failure: UnsupportedError | None = None
        self.storages: list[Any] = []
        self.inputs: list[Leaf] = []
        self.symbols: dict[int, tuple[int, Any]] = {}
        self.symbol_dims: list[set[tuple[str, int]]] = []
        self.containers: list[tuple[Any, Any]] = []
        self.operations = 0
        self.lines: set[tuple[str, int]] = set()
        self._constants: dict[tuple, Any] = {}

    def __enter__(self) -> Tracer:
        self._outer = getattr(_ACTIVE, "tracer", None)
        _ACTIVE.tracer = self
        return self

    def __exit__(self, *details: object) -> None:
        _ACTIVE.tracer = self._outer

    def fail(self, reason: str, hint: str = "") -> NoReturn:
        """Give the capture up, naming the user's line.

        Raises
        ------
        UnsupportedError
        """
        file, line, name = self.place()
        error = UnsupportedError(reason, hint, file=file, line=line, function=name)
        # Kept here too: the user's own code may swallow the exception.
        self.failure = self.failure or error
        raise error

    def place(self) -> tuple[str, int, str]:
        """File, line and function of the user's code that runs now."""
        frame = user_frame(2) if self.running else None
        if frame is None:
            code = self.function.__code__
            return code.co_filename, code.co_firstlineno, code.co_name
        return frame.f_code.co_filename, frame.f_lineno, frame.f_code.co_name

    def describe_lines(self) -> None:
        """Give the graph the text of the user's lines, for comments in the generated code."""
        import linecache

        for file, line in sorted(self.lines):
            text = linecache.getline(file, line).strip()
            if text:
                self.graph.source(os.path.basename(file), line, text)

    def op(self, name: str, operands: list[Any], **attributes: Any) -> Any:
        """Add an operation and return its value: the last of its results."""
        self.operations += 1
        if self.operations > _OPERATION_LIMIT:
            self.fail(
                f"the function has more than {_OPERATION_LIMIT} operations",
                "replace a Python loop over elements by array operations",
            )
        file, line, _ = self.place()
        self.lines.add((file, line))
        return self.graph.op(name, operands, attributes, os.path.basename(file), line)[-1]

    def cast(self, value: Any, dtype: str) -> Any:
        """`value` with another dtype."""
        return value if value.dtype == dtype else self.op("cast", [value], dtype=dtype)

    def constant(self, array: np.ndarray | np.generic) -> Any:
        """The value of a small array known now; equal ones are shared."""
        array = np.ascontiguousarray(array).reshape(np.shape(array))
        data = array.tobytes()
        key = (data, array.dtype.name, array.shape)
        if key not in self._constants:
            value = self.graph.constant(data, array.dtype.name, list(array.shape))
            self._constants[key] = value
        return self._constants[key]

    def size(self, dim: Any) -> Any:
        """A dimension of the graph as the user's code sees it: an int, or a symbolic one."""
        return dim if isinstance(dim, int) else SymbolicSize(self, dim)

    def shape(self, value: Any) -> tuple:
        """The shape of a value as the user's code sees it."""
        return tuple(self.size(dim) for dim in value.shape)

    def symbol(self, path: str, axis: int, size: int) -> tuple[int, Any]:
        """Number and graph dimension of an argument's symbol; equal sizes share one."""
        if size not in self.symbols:
            number = len(self.symbols)
            self.symbols[size] = (number, self.graph.symbol(f"n{number}", size))
            self.symbol_dims.append(set())
        number, dim = self.symbols[size]
        self.symbol_dims[number].add((path, axis))
        return number, dim

    def dims_of(self, dim: Any) -> set[tuple[str, int]]:
        """The argument dimensions that a graph dimension depends on."""
        return set().union(*(self.symbol_dims[number] for number in symbol_numbers(dim)))


def identifier(path: str) -> str:
    """A name or path as a C identifier: ``p['w']`` becomes ``p_w``."""
    text = "".join(c if c.isalnum() and c.isascii() else "_" for c in path)
    while "__" in text:
        text = text.replace("__", "_")
    text = text.strip("_") or "value"
    if text == "main":
        return "main_program"  # C has its own idea of that one
    return f"v{text}" if text[0].isdigit() else text
