"""The tracer: what a running capture knows, and how it adds operations to the graph."""

from __future__ import annotations

import os
import threading
import weakref
from types import FunctionType
from typing import Any, NoReturn

import numpy as np

from ..arguments import Leaf
from ..errors import UnsupportedError
from ..expressions import evaluate, is_plain, symbols_of
from ..options import Options
from .location import user_frame
from .numbers import DATA, SymbolicSize, symbol_numbers

_OPERATION_LIMIT = 5000
_ACTIVE = threading.local()


_KEYWORDS = set(
    "alignas alignof asm auto bool case catch char class concept const constexpr default delete do "
    "double enum explicit export extern float friend goto inline int long main mutable namespace "
    "new noexcept operator private protected public register requires return short signed sizeof "
    "static struct switch template this throw typedef typename union unsigned using virtual void "
    "volatile".split()
)


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
    unroll : set of tuple
        Loops whose turns have to be captured one by one.
    early : set of str
        Globals of the function that have to be read before it runs.
    forks : set of (Fork, tuple)
        Statements from which on the two sides of a branch have to be captured apart, and the path
        of the branch.
    """

    def __init__(
        self,
        values: Any = (),
        dims: Any = (),
        written: Any = (),
        unroll: Any = (),
        early: Any = (),
        forks: Any = (),
    ) -> None:
        super().__init__()
        self.values, self.dims, self.written = set(values), set(dims), set(written)
        self.unroll, self.early, self.forks = set(unroll), set(early), set(forks)


class Choices:
    """What earlier attempts to capture this kind of call have found out."""

    def __init__(self) -> None:
        self.values: set[str] = set()
        self.dims: set[tuple[str, int]] = set()
        self.written: set[str] = set()
        self.unroll: set[tuple] = set()
        self.early: set[str] = set()
        self.forks: set[tuple] = set()

    def learn(self, restart: Restart) -> bool:
        """Take over what a restart says; whether anything of it is new."""
        before = self._size()
        for name in vars(self):
            getattr(self, name).update(getattr(restart, name))
        return self._size() > before

    def _size(self) -> int:
        return sum(len(part) for part in vars(self).values())


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

    Attributes
    ----------
    location : (str, int, str) or None
        File, line and function of the statement that is interpreted.
    rolls : bool
        Whether the graph can hold loops and branches.
    notes : list of str
        What the report should say.
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
        self.rolls = hasattr(self.graph, "begin_for")
        self.options = options
        self.choices = choices
        self.symbolic = symbolic
        self.failure: UnsupportedError | None = None
        self.location: tuple[str, int, str] | None = None
        self.notes: list[str] = []
        self.storages: list[Any] = []  # of arguments
        self.live: Any = weakref.WeakValueDictionary()  # every storage, in the order of creation
        self.environments: Any = weakref.WeakValueDictionary()
        self.late: set[Any] = set()  # storages of globals that a loop or branch was first to read
        self.inputs: list[Leaf] = []
        self.symbols: dict[int, tuple[int, Any]] = {}
        self.symbol_dims: list[set[tuple[str, int]]] = []
        self.containers: list[tuple[Any, Any]] = []
        self.operations = 0
        self.checks = 0
        self.lines: set[tuple[str, int]] = set()
        self._origins: dict[int, frozenset] = {}
        self._most: dict[str, Any] = {}  # by symbol: its upper bound
        self.bounding: dict[tuple, frozenset] = {}  # by loop: what its bounds come from
        self._counts: dict[int, tuple] = {}
        self.assumed: list[Any] = []  # dimensions that the conditions around say are not negative
        self._claims: dict[int, tuple[Any, list, list]] = {}
        self._made: list[dict[tuple, Any]] = [{}]  # by region
        self._alternatives: dict[int, tuple[Any, Any, bool]] = {}  # by value of a number
        self._tags: dict[int, tuple[Any, Any, list[Any]]] = {}  # by value of a number
        self.interpreter: Any = None
        self.watched: list[dict[Any, Any]] = []  # by loop: what to call when memory is written
        self._ticks = 0

    def __enter__(self) -> Tracer:
        self._outer = getattr(_ACTIVE, "tracer", None)
        _ACTIVE.tracer = self
        return self

    def __exit__(self, *details: object) -> None:
        _ACTIVE.tracer = self._outer

    def tick(self) -> int:
        """A number that wasn't given before."""
        self._ticks += 1
        return self._ticks

    # What can't be captured

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

    def need(self, origins: frozenset) -> NoReturn:
        """Begin anew with the numbers known that something was computed from."""
        if DATA in origins:
            self.fail(
                "this needs a number that is only known when the function runs",
                "use it in arithmetic, comparisons, indices and slices only",
            )
        unroll = {origin[1] for origin in origins if origin[0] == "loop"}
        if unroll:
            raise Restart(unroll=unroll)
        raise Restart(
            {origin[1] for origin in origins if origin[0] == "value"},
            {origin[1:] for origin in origins if origin[0] == "dim"},
        )

    def place(self) -> tuple[str, int, str]:
        """File, line and function of the user's code that runs now."""
        if self.location is not None:
            return self.location
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

    # The graph

    def op(self, name: str, operands: list[Any], **attributes: Any) -> Any:
        """Add an operation and return its value: the last of its results."""
        if len(operands) > 1 and (name in self.ufuncs or name == "where"):
            from .broadcasting import unified

            operands = unified(self, operands)
        self.operations += 1
        if self.operations > _OPERATION_LIMIT:
            self.fail(
                f"the function has more than {_OPERATION_LIMIT} operations",
                "replace a Python loop over elements by array operations",
            )
        key = (name, *map(id, operands), repr(attributes))
        known = self._known(key)
        if known is not None:
            return known[0]
        file, line, _ = self.place()
        self.lines.add((file, line))
        value = self.graph.op(name, operands, attributes, os.path.basename(file), line)[-1]
        if name != "empty":  # each of those is memory of its own
            self._made[-1][key] = (value, operands)  # the operands have to keep their identity
        return value

    def _known(self, key: tuple) -> Any:
        """What was made by the same computation in this region or around it."""
        return next((made[key] for made in self._made if key in made), None)

    def check(self, condition: Any, exception: str, message: str, values: Any = ()) -> None:
        """Stop the program with an exception where a 0-d boolean graph value is false.

        The arguments that it writes then hold what has been written by now.
        """
        self.checks += 1
        written = [s for s in self.storages if s.leaf.path in self.choices.written]
        state = [(storage.initial, storage.value) for storage in written]
        file, line, _ = self.place()
        self.lines.add((file, line))
        name = os.path.basename(file)
        self.graph.check(condition, exception, message, list(values), state, name, line)

    def cast(self, value: Any, dtype: str) -> Any:
        """`value` with another dtype."""
        return value if value.dtype == dtype else self.op("cast", [value], dtype=dtype)

    def constant(self, array: np.ndarray | np.generic) -> Any:
        """The value of a small array known now; equal ones are shared."""
        array = np.ascontiguousarray(array).reshape(np.shape(array))
        data = array.tobytes()
        key = (data, array.dtype.name, array.shape)
        known = self._known(key)
        if known is None:
            value = self.graph.constant(data, array.dtype.name, list(array.shape))
            known = self._made[-1][key] = (value, ())
        return known[0]

    def check_early(self, storage: Any, leaf: Leaf) -> None:
        """See that an array that is written is known since before the loops and branches around."""
        if storage not in self.late:
            return
        if leaf.path in self.choices.early or not leaf.path.isidentifier():
            self.fail(
                f"writing to `{leaf.path}` inside of a loop or branch that is the first to read it",
                "pass it as an argument",
            )
        raise Restart(early=[leaf.path])

    def alternative(self, value: Any, either: Any, exact: bool = True) -> None:
        """Note of a number whose type data decide which numbers it is one of.

        Parameters
        ----------
        exact : bool
            Whether it is one of the two; else it is computed from one of them.
        """
        self._alternatives[id(value)] = (value, either, exact)

    def alternative_of(self, value: Any, exact: bool = False) -> Any:
        """The two numbers that a number is one of, or is computed from; None where nobody knows."""
        _, either, is_exact = self._alternatives.get(id(value), (None, None, False))
        return either if is_exact or not exact else None

    def tag(self, value: Any, tag: Any, kinds: list[Any]) -> None:
        """Note which of some types a number has, as a graph value that counts them."""
        self._tags[id(value)] = (value, tag, kinds)

    def tag_of(self, value: Any) -> tuple[Any, list[Any]]:
        """The tag of a number and the types that it counts; None and none where nobody knows."""
        return self._tags.get(id(value), (None, None, []))[1:]

    def stands_for(self, marker: Any, value: Any) -> None:
        """Let what is known of a number's types go for another graph value of it, too."""
        for table in (self._tags, self._alternatives):
            if id(value) in table and not value.shape:
                table[id(marker)] = (marker, *table[id(value)][1:])  # type: ignore[index]

    def inherit(self, value: Any, operands: Any) -> None:
        """Note that a number is computed from others, whose types data may decide."""
        found = (self.alternative_of(getattr(x, "value", None)) for x in operands)
        either = next((item for item in found if item is not None), None)
        if either is not None:
            self.alternative(value, either, exact=False)

    def decide(self, value: Any, what: str) -> None:
        """Capture both ways where the type of a number matters, if that can be done.

        Raises
        ------
        Restart
        """
        either = self.alternative_of(value)
        if either is not None and either.places and self.interpreter is not None:
            self.interpreter.apart(either, what)

    def check_watched(self, storage: Any) -> None:
        """Tell the loops around that memory is written which they have taken for another's."""
        for watched in reversed(self.watched):
            if storage in watched:
                watched[storage]()

    def open_region(self) -> None:
        """Forget, when the region closes, what is made from here on."""
        self._made.append({})

    def close_region(self) -> None:
        """The end of the innermost region."""
        self._made.pop()

    def close_regions(self, depth: int) -> None:
        """The end of all regions but the outermost ones."""
        del self._made[depth + 1 :]

    @property
    def depth(self) -> int:
        """How many regions are open."""
        return len(self._made) - 1

    def name(self, obj: Any, name: str) -> None:
        """Give the graph the user's name of an array, for readable code."""
        storage = getattr(obj, "storage", None)
        if storage is None or storage.leaf is not None or hasattr(storage, "condition"):
            return
        if not obj.views:
            self.graph.name(storage.value, name)
        elif obj._version == storage.version:
            self.graph.name(obj._value, name)

    # Sizes

    def size(self, dim: Any) -> Any:
        """A dimension of the graph as the user's code sees it: an int, or a symbolic one."""
        return dim if isinstance(dim, int) else SymbolicSize(self, dim)

    def shape(self, value: Any) -> tuple:
        """The shape of a value as the user's code sees it."""
        return tuple(self.size(dim) for dim in value.shape)

    def symbol_of(self, value: Any, lower: Any, upper: Any, name: str, origins: frozenset) -> Any:
        """A size, or an index, that is a 0-d int64 of the program; the bounds are a promise."""
        if lower is None and upper is None:
            _, lower, upper = self._counts.get(id(value), (None, None, None))
        key = ("symbol", id(value))  # one symbol for a number, whoever asks first
        known = self._known(key)
        if known is None:
            dim = self.graph.symbol_of(value, _dim(lower), _dim(upper), identifier(name))
            self.mark(dim, origins)
            self._most[str(dim)] = upper
            known = self._made[-1][key] = (dim, value)
        elif self._most.get(str(known[0])) is None:
            self._most[str(known[0])] = upper
        return SymbolicSize(self, known[0])

    def value_of_symbol(self, name: str) -> Any:
        """The graph value that a symbol of data is, where it can be used here; else None."""
        for made in self._made:
            for key, known in made.items():
                if key[0] == "symbol" and str(known[0]) == name:
                    return known[1]
        return None

    def note_count(self, value: Any, most: Any) -> None:
        """Remember that a graph value counts some of as many things as a size says."""
        self._counts[id(value)] = (value, 0, most)

    def most(self, size: Any) -> Any:
        """A size, the same for the whole call, that another one never exceeds, or None."""
        if type(size) is int:
            return size
        text = str(size.dim)
        bound = self._most.get(text)
        if type(bound) is SymbolicSize and not bound.dynamic:
            return bound
        values = {name: self._most_of(name) for name in symbols_of(text)}
        if not is_plain(text) or not all(type(value) is int for value in values.values()):
            return None
        # Sums of sizes grow with each of them; what may shrink is refused.
        greatest = evaluate(text, values)
        fewer = ({**values, name: most - 1} for name, most in values.items())
        grows = all(evaluate(text, less) <= greatest for less in fewer)
        return greatest if grows and "floordiv" not in text else None

    def _most_of(self, name: str) -> Any:
        upper = self._most.get(name)
        return None if upper is None else self.most(upper)

    def claim(self, condition: Any, if_true: list[Any], if_false: list[Any]) -> None:
        """Note which dimensions aren't negative where a condition holds, and where it doesn't."""
        self._claims[id(condition)] = (condition, if_true, if_false)

    def claimed(self, condition: Any, holds: bool) -> list[Any]:
        """The dimensions that aren't negative where a condition holds, or doesn't."""
        return self._claims.get(id(condition), (None, [], []))[1 if holds else 2]

    def parameters_of(self, origins: frozenset) -> set[str]:
        """The parameters that something comes from, bounds of loops included."""
        found: set[str] = set()
        pending, seen = list(origins), set(origins)
        while pending:
            origin = pending.pop()
            if origin[0] == "value":
                found.add(origin[1])
            new = self.bounding.get(origin, frozenset()) - seen
            seen |= new
            pending.extend(new)
        return found

    def symbol(self, path: str, axis: int, size: int) -> tuple[int, Any]:
        """Number and graph dimension of an argument's symbol; equal sizes share one."""
        if size not in self.symbols:
            number = len(self.symbols)
            self.symbols[size] = (number, self.graph.symbol(f"n{number}", size))
            self.symbol_dims.append(set())
        number, dim = self.symbols[size]
        self.symbol_dims[number].add((path, axis))
        self.mark(dim, frozenset(("dim", *place) for place in self.symbol_dims[number]))
        return number, dim

    def mark(self, dim: Any, origins: frozenset) -> None:
        """Say where a new symbol of the graph comes from."""
        (number,) = symbol_numbers(dim)
        self._origins[number] = origins

    @property
    def symbol_count(self) -> int:
        """A number above those of all symbols so far."""
        return max(self._origins, default=-1) + 1

    def origins_of(self, dim: Any) -> frozenset:
        """What the symbols of a graph dimension come from; those that nobody knows from data."""
        unknown = frozenset([DATA])
        found: frozenset = frozenset()
        for number in symbol_numbers(dim):
            found |= self._origins.get(number, unknown)
        return found


def _dim(size: Any) -> Any:
    return size.dim if type(size) is SymbolicSize else size


def identifier(path: str) -> str:
    """A name or path as a C identifier: ``p['w']`` becomes ``p_w``."""
    text = "".join(c if c.isalnum() and c.isascii() else "_" for c in path)
    while "__" in text:
        text = text.replace("__", "_")
    text = text.strip("_") or "value"
    if text in _KEYWORDS:
        return f"{text}_program"  # C++ has its own idea of those
    return f"v{text}" if text[0].isdigit() else text
