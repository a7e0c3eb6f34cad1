"""The tracer: what a running capture knows, and how it adds operations to the graph."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType, FunctionType
from typing import Any, NoReturn

import numpy as np

from ..arguments.leaves import Leaf
from ..describe import file_name
from ..dtypes import NAMES, TEXT
from ..errors import UnsupportedError
from ..files import source_lines
from ..options import Options
from ..raised import IN_NUMPY, RAISED_IN_NUMPY
from .changes import Changes
from .constants import Constants
from .float_states import FloatStates
from .living import Living
from .location import Callers, is_library, user_frame
from .number_types import NumberTypes
from .numbers import DATA, NEED
from .outer_containers import Items, OuterContainer, items_of
from .restarts import Choices, Restart, Unsafe
from .symbols import Symbols, identifier

_COST_OF_FINDING = 1 / 8  # where the graph has an operation already
_AGAIN_LIMIT = 16000  # operations captured again, about a second's work
_TIMES_AGAIN = 4  # or so many times all that the graph has, where that is more
_OWN_MEMORY = ("empty", "hand_over")  # each one is memory of its own, whatever its elements
_ACTIVE = threading.local()


def current() -> Tracer:
    """The tracer of the capture that runs in this thread."""
    return _ACTIVE.tracer


def is_capturing() -> bool:
    """Whether a capture runs in this thread."""
    return getattr(_ACTIVE, "tracer", None) is not None


class Tracer(Symbols, NumberTypes):
    """State of one attempt to capture a function.

    Parameters
    ----------
    function : FunctionType
    compiler : module
        The `_compiler` extension module.
    symbolic : set of (str, int)
        Dimensions, as path and axis, that may get a symbol.
    unified : callable
        Gives operands of an elementwise operation shapes that broadcast for certain.

    Attributes
    ----------
    callers : Callers
        Where in the user's code, and in that of libraries, the capture is.
    notes : list of str
        What the report should say.
    running : frame, optional
        The frame that has called the user's function, while that runs.
    floats : FloatStates
        What the program may have to warn of.
    """

    def __init__(
        self,
        function: FunctionType,
        compiler: Any,
        options: Options,
        choices: Choices,
        symbolic: set,
        unified: Callable[[Any, list[Any]], list[Any]],
    ) -> None:
        Symbols.__init__(self)
        NumberTypes.__init__(self)
        self.function = function
        self.running: FrameType | None = None
        self.graph = compiler.Graph(identifier(function.__name__))
        table = compiler.ufuncs()
        self.ufuncs = {row[0]: row[3] for row in table}
        self.combiners = {row[0]: row[5] for row in table if row[5]}
        self.options = options
        self._unified = unified
        self.choices = choices
        self.symbolic = symbolic
        self.failure: UnsupportedError | None = None
        self.callers = Callers()
        self.notes: list[str] = []
        self.plan: list[Any] = []  # what has been decided (`capture/plan.py`)
        self.storages: list[Any] = []  # of arguments
        self.live = Living()  # every storage, by the tick when it was made
        self.storage_count = self.outside_count = 0  # made here, and those from outside
        self.is_ahead = False  # whether operations are added ahead of all loops and branches
        self.changes = Changes()  # of storages
        self.looks = 0  # how often objects from outside, or attributes of these, were first met
        # The tick when memory was last put back: what was seen of it before counts no more.
        self.put_back = 0
        self.taken: Any = None  # what the innermost rolled loop has taken over
        self.environments = Living()
        # Memory of arrays that are items of lists that grow: the list's site, and whether it is
        # a copy, which stands for the item.
        self.listed: dict[Any, tuple[tuple, bool]] = {}
        self.inputs: list[Leaf] = []
        self.parameters: dict[int, tuple[Any, Leaf]] = {}  # by identity of values
        self._demanded: dict[int, Any] = {}  # what is checked ahead, likewise
        self.decided: dict[int, Any] = {}  # those that have become part of the program, likewise
        self.containers: list[OuterContainer] = []
        self._containers: dict[int, OuterContainer] = {}  # by identity of the list or dict itself
        self.sets: list[tuple[set, Items, str]] = []  # what they held, and their paths
        self.counts_containers = False  # whether the program numbers them
        # Lists and dicts that loops and branches have made of them: what they held, and of which.
        self.copied_containers: list[tuple[Any, Items, Any]] = []
        self.chosen_lists: list[tuple[tuple, list[tuple[list, list]]]] = []
        self.operations = 0.0  # of the graph; finding one in it counts a little, too
        self.checks = 0
        self.is_assigned = False  # whether an attribute of an argument has been assigned by now
        self.loops = 0  # of the program, that have been captured by now
        self._unchecked: set[str] = set()  # arguments whose elements a check took for the call's
        self.seen_bytes: set[str] = set()  # arguments of which the program sees the memory itself
        self.seen_flags: dict[str, int] = {}  # of arguments: the flags that it has asked for
        self.outs: list[tuple] = []  # the shapes of what the ufunc that is captured writes
        self.leaves_paths = False  # whether calls that come to some path are left to NumPy
        self.speculates = False  # whether what is computed may be what Python doesn't compute
        self.lines: set[tuple[str, int]] = set()
        self.tables: dict[str, Any] = {}  # of results that programs look up, by name
        self._made: list[dict[tuple, Any]] = [{}]  # by region
        self._sources: dict[int, tuple[Any, str, list[Any], dict]] = {}  # by value
        self.interpreter: Any = None
        self.watched: list[dict[Any, Any]] = []  # by loop: what to call when memory is written
        self.floats = FloatStates()
        self.caught_warnings = 0  # blocks of `warnings.catch_warnings` around
        self.constants = Constants()
        self.turns: Any = None  # memory for how many turns have begun, where the program counts
        self.turn: Any = None  # the number of the turn that is captured, likewise
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

    def fail(
        self, reason: str, hint: str = "", place: tuple | None = None, is_rare: bool = False
    ) -> NoReturn:
        """Give the capture up, naming the user's line, or that of another place of the user's.

        Raises
        ------
        UnsupportedError
        """
        if place is None:
            reason, hint = self.callers.told(reason, hint)
        file, line, name = place or self.place()
        error = UnsupportedError(reason, hint, file=file, line=line, function=name)
        error.is_rare = is_rare
        if self.callers.places:
            error.call_line = self.callers.places[-1][1]
        # Kept here too: the user's own code may swallow the exception.
        self.failure = self.failure or error
        raise error

    def know_behind(self, values: Any) -> None:
        """Begin anew with the parameters and sizes known that graph values are computed from.

        Nothing is done where data are behind one of them.
        """
        behind = self.behind(values)
        if behind:
            self.need(behind)

    def need(self, origins: frozenset, values: Any = (), why: tuple = NEED) -> NoReturn:
        """Begin anew with the numbers known that something was computed from.

        Parameters
        ----------
        values : graph values
            What it is, where the program computes it: perhaps from parameters alone.
        why : (str, str)
            What needs them, as the beginning of a refusal, and its hint.
        """
        if DATA in origins:
            behind = self.behind(values)
            origins = behind or origins
        varying = {origin[1] for origin in origins if origin[0] == "varying"}
        if varying:
            raise Restart(fixed=varying)
        dims = {origin[1:] for origin in origins if origin[0] == "dim"}
        if DATA in origins and not dims:
            what, hint = why
            self.fail(f"{what} a number that is only known when the function runs", hint)
        unroll = {origin[1] for origin in origins if origin[0] == "loop"}
        if unroll and self.interpreter is not None and self.interpreter.is_for_message(unroll):
            self.fail(f"{why[0]} the number of an iteration", why[1])
        if unroll:
            raise Restart(unroll=unroll)
        raise Restart({origin[1] for origin in origins if origin[0] == "value"}, dims)

    def parameter_leaf(self, value: Any) -> Leaf | None:
        """The number of the call that a graph value is, if it is one as it came."""
        return self.parameters.get(id(value), (None, None))[1]

    def parameter(self, number: Any) -> Any:
        """The number that a parameter is in this call, which becomes a part of the program.

        Any other number stays what it is, and so does one from which something has been computed.
        """
        value = getattr(number, "value", None)
        leaf = self.parameter_leaf(value)
        if leaf is None:
            return number
        if id(value) not in self.decided:
            if not self.graph.fix_scalar(value, np.array(leaf.obj, value.dtype).tobytes()):
                return number
            self.decided[id(value)] = leaf.obj
            self.choices.decided.add(leaf.path)
            self.inputs = [other for other in self.inputs if other is not leaf]
        return leaf.obj

    def is_size(self, number: Any) -> bool:
        """Whether a number is the size of an axis of an argument, in this call."""
        return any(number in storage.leaf.shape for storage in self.storages)

    def count_now(self, size: Any) -> int | None:
        """What a size of parameters is in this call, which the next attempt knows from its start.

        None where it isn't made of parameters as they are.
        """
        leaves = [self.parameter_leaf(self.value_of_symbol(n)) for n in size.dim.symbols]
        if None in leaves:
            return None
        self.choices.decided |= {leaf.path for leaf in leaves}
        return size.hint

    def place(self) -> tuple[str, int, str]:
        """File, line and function of the user's code that runs now."""
        if self.callers.location is not None:
            return self.callers.location
        frame = user_frame(self.running, 2) if self.running else None
        if frame is None:
            code = self.function.__code__
            return code.co_filename, code.co_firstlineno, code.co_name
        return frame.f_code.co_filename, frame.f_lineno, frame.f_code.co_name

    def owns(self, file: str) -> bool:
        """Whether a file is the user's: the compiled function's own is, wherever it is."""
        return file == self.function.__code__.co_filename or not is_library(file)

    def noted_place(self) -> tuple[str, int, int]:
        """Where an operation is, as the graph has it: the file's name, the line, and who called."""
        file, line, function = self.place()
        self.lines.add((file, line))
        return file_name(file), line, self.callers.number(function)

    def describe_lines(self) -> None:
        """Give the graph the text of the user's lines, for comments in the generated code."""
        for file, line in sorted(self.lines):
            lines = source_lines(file)
            text = lines[line - 1].strip() if 0 < line <= len(lines) else ""
            if text:
                self.graph.source(file_name(file), line, text)

    # The graph

    def op(self, name: str, operands: list[Any], **attributes: Any) -> Any:
        """Add an operation and return its value: the last of its results."""
        if len(operands) > 1 and (name in self.ufuncs or name == "where"):
            operands = self._unified(self, operands)
        key = (name, *map(id, operands), *_attribute_keys(attributes))
        known = self._known(key)
        self._count(known is None)
        if known is not None:
            self.floats.add(name, operands, known[0])
            return known[0]
        place = self.noted_place()
        value = self.graph.op(name, operands, attributes, *place)[-1]
        self._sources[id(value)] = (value, name, operands, attributes)
        self.note_behind(value, name, operands, attributes)
        self.floats.add(name, operands, value)
        self.constants.follow(name, operands, attributes, value)
        if name not in _OWN_MEMORY:
            self._made[-1][key] = (value, operands)  # the operands have to keep their identity
        return value

    def source(self, value: Any) -> tuple[str, list[Any], dict[str, Any]]:
        """The operation that computes a value, its operands and its attributes.

        Nothing where that isn't known, or where a memory has the value, unless it costs nothing.
        """
        return self._sources.get(id(value), (None, "", [], {}))[1:]  # type: ignore[return-value]

    def keep(self, value: Any) -> None:
        """Note that a memory has a value: it isn't computed again for the sake of its order."""
        if self.source(value)[0] not in ("transpose", "full", "empty"):
            self._sources.pop(id(value), None)

    def _count(self, is_new: bool) -> None:
        """Count an operation: capturing a function ends, and so do the passes over its graph."""
        cost = 1 if is_new else _COST_OF_FINDING
        self.choices.work += cost
        self.operations += cost
        again = self.choices.work - self.operations
        effort = self.choices.effort
        effort.check(self)
        if self.operations > effort.operations:
            effort.refuse(self, f"more than {effort.operations:g} operations")
        if again > max(_AGAIN_LIMIT, _TIMES_AGAIN * self.operations):
            self.fail(
                "loops and branches within each other that have to be captured too many times",
                "bind each name to parts of one array, and to numbers of one type, in all turns of "
                "a loop and on both sides of a branch",
            )

    def count_values(self, count: int) -> None:
        """Count values that a loop or a branch hands on as operations."""
        self.operations += count

    def _known(self, key: tuple) -> Any:
        """What was made by the same computation in this region or around it."""
        return next((made[key] for made in self._made if key in made), None)

    def check(
        self,
        condition: Any,
        exception: str,
        message: str,
        values: Any = (),
        undoes: bool = False,
    ) -> None:
        """Stop the program with an exception where a 0-d boolean graph value is false.

        The arguments that it writes then hold what has been written by now, or what they held at
        the beginning where the check `undoes` that. Where the function itself sees the exception,
        the capture goes on with one side of the check (`capture/handlers.py`); where that can't be,
        the call is left to NumPy. The exception is left to it where attributes of arguments have
        been assigned by now, or another exception is behind it.

        Raises
        ------
        Unsafe
            While both of two values are computed, of which Python computes one.
        Restart
            Where both sides have to be captured apart from each other.
        Exception
            The one of the check, on the side on which the program raises it.
        """
        self.note_failure()
        self.note_effects()
        is_assigned = self.is_assigned
        if exception not in (IN_NUMPY, RAISED_IN_NUMPY):
            interpreter = self.interpreter
            how = interpreter.how_seen(condition, exception, message, list(values))
            if how is None:
                return
            why = "inside of try"
            if not how and (is_assigned or interpreter.handling):
                how, why = RAISED_IN_NUMPY, "behind another exception"
                why = "after an argument was changed" if is_assigned else why
            if how:
                message = f"{exception.partition('(')[0]} {why}"
                exception, values, undoes = how, (), True
        written = [s for s in self.storages if s.leaf.path in self.choices.written]
        state = [] if undoes else [(storage.initial, storage.value) for storage in written]
        if not undoes:
            others = (s for s in self.storages if s.value is not s.initial)
            self._unchecked.update(s.leaf.path for s in others if s not in written)
        place = self.noted_place()
        self.graph.check(condition, exception, message, list(values), state, *place)

    def demand(self, condition: Callable[[], Any], exception: str) -> None:
        """Leave the call to NumPy where a condition doesn't hold, ahead of all loops and branches.

        Parameters
        ----------
        condition : callable
            Gives the 0-d boolean graph value, which is computed from what `is_of_call` alone.
        exception : str
            What the plain function raises then, if it comes to it.
        """
        with self.ahead():
            value = condition()
            if id(value) not in self._demanded:
                self._demanded[id(value)] = value
                text = f"{exception}, if a loop or branch comes to it"
                self.graph.check(value, RAISED_IN_NUMPY, text, [], [], *self.noted_place())

    def routine(self, kind: str, operands: list, axis: int, sizes: Any = ()) -> list:
        """The results of a library's routine; the last one says whether it has failed, if it may.

        Parameters
        ----------
        axis : int
            Where the routine's axes begin among those of the operands.
        sizes : sequence
            Those of axes that only results have.
        """
        return self.results("routine", operands, {"kind": kind, "axis": axis, "sizes": list(sizes)})

    def results(self, name: str, operands: list, attributes: dict[str, Any]) -> list:
        """All results of an operation; those of an equal one around it are the same."""
        key = (name, *map(id, operands), *_attribute_keys(attributes))
        known = self._known(key)
        self._count(known is None)
        if known is not None:
            return list(known[0])
        results = self.graph.op(name, operands, attributes, *self.noted_place())
        self._made[-1][key] = (tuple(results), operands)  # which have to keep their identity
        return results

    def note_failure(self) -> None:
        """Note that the program may end here with an exception.

        Raises
        ------
        Unsafe
            While both of two values are computed, of which Python computes one.
        """
        if self.speculates:
            raise Unsafe
        self.checks += 1

    def cast(self, value: Any, dtype: str) -> Any:
        """`value` with another dtype.

        Raises
        ------
        UnsupportedError
            Where imaginary parts would be lost: NumPy warns of that from wherever it casts.
        """
        if value.dtype == dtype:
            return value
        if value.dtype.startswith("complex") and not dtype.startswith(("complex", "bool")):
            self.refuse_lost_parts()
        return self.op("cast", [value], dtype=dtype)

    def narrowed(self, value: Any, dtype: str) -> Any:
        """`value` with another dtype, of which it is where anyone looks: no part is lost there."""
        if value.dtype.startswith("complex") and not dtype.startswith("complex"):
            value = self.op("real", [value])
        return self.cast(value, dtype)

    def refuse_lost_parts(self) -> NoReturn:
        """Leave it to NumPy to make real numbers of complex ones."""
        self.fail(
            "real numbers of complex ones, of which NumPy warns", "take the real parts: z.real"
        )

    def constant(self, array: np.ndarray | np.generic) -> Any:
        """The value of a small array known now, of a dtype of ours; equal ones are shared."""
        if array.dtype.name not in NAMES or not array.dtype.isnative:
            self.fail(f"dtype {array.dtype}", f"use {TEXT}")
        array = np.ascontiguousarray(array).reshape(np.shape(array))
        data = array.tobytes()
        key = (data, array.dtype.name, array.shape)
        known = self._known(key)
        if known is None:
            value = self.graph.constant(data, array.dtype.name, list(array.shape))
            known = self._made[-1][key] = (value, ())
            self.comes_from(value, frozenset())
            self.constants.note(value, array)
        return known[0]

    def watch(self, container: set, path: str) -> Any:
        """A set of an argument's, or from outside, which nobody may change."""
        self.sets.append((container, items_of(container), path))
        return container

    def add_container(self, outer: OuterContainer) -> OuterContainer:
        """Take note of a list or dict from outside."""
        self._containers[id(outer.leaf.obj)] = outer
        self.containers.append(outer)
        return outer

    def container_of(self, leaf: Leaf) -> OuterContainer | None:
        """What is known of the list or dict of a leaf."""
        return self._containers.get(id(leaf.obj))

    def is_container(self, obj: Any) -> bool:
        """Whether an object stands for a list or dict from outside."""
        return any(outer.shown is obj for outer in self.containers)

    def note_copy(self, obj: Any, copy: Any) -> None:
        """Note that a loop or branch has made a list or dict of one, which may be from outside."""
        if self.is_container(obj):
            self.copied_containers.append((copy, items_of(copy), obj))

    def note_change(self, obj: Any, is_open: bool = False) -> None:
        """Note that a list, dict or set is about to be changed, which may be from outside.

        Parameters
        ----------
        is_open : bool
            Whether that may be done without looking at what else it holds.

        Raises
        ------
        Restart
            Where nobody has known of one, so that loops and branches may have made others of it.
        UnsupportedError
            For a set from outside.
        """
        for known, _, path in self.sets:
            if known is obj:
                self.fail(f"changing the set `{path}`", "return a new one")
        copies = (original for copy, _, original in self.copied_containers if copy is obj)
        obj = next(copies, obj)
        for outer in self.containers:
            path = outer.leaf.path
            if outer.obj is obj and path not in self.choices.changed:
                raise Restart(changed=[path], looked=[] if is_open else [path])

    def note_effects(self) -> None:
        """Note whether something outside has been changed by now, arrays apart."""
        if not self.is_assigned:
            self.is_assigned = any(outer.is_changed for outer in self.containers)

    def note_written(self, leaf: Leaf) -> None:
        """Note that the program writes to an argument.

        Raises
        ------
        Retype
            Where a check that was made before has to know it: one in a loop, of which an earlier
            turn may have written to the argument.
        """
        if leaf.path in self.choices.written:
            return
        self.choices.written.add(leaf.path)
        if leaf.path in self._unchecked and self.interpreter.rolled:
            self.interpreter.rolled[0].again_with_checks()

    def is_watched(self, storage: Any) -> bool:
        """Whether the loops around have taken memory for another's, or another's for it."""
        return any(storage in watched for watched in self.watched)

    def check_watched(self, storage: Any) -> None:
        """Tell the loops around that memory is written which they have taken for another's."""
        for watched in reversed(self.watched):
            if storage in watched:
                watched[storage]()

    def check_listed(self, storage: Any, copies: bool = False) -> None:
        """Begin anew, with Python's list, where a list that grows has a copy of some memory.

        That may not be written; where only `copies` count, nobody may see which memory it is.
        """
        site, is_copy = self.listed.get(storage, (None, False))
        if site is not None and (is_copy or not copies):
            raise Restart(growing={("plain", site)})

    @contextmanager
    def ahead(self) -> Iterator[None]:
        """Have operations ahead of all loops and branches around, and what they make be from there.

        They are of what is from outside, and write to nothing.
        """
        made, taken = self._made, self.taken
        self._made, self.taken, self.is_ahead = made[:1], None, True
        self.graph.begin_ahead()
        try:
            yield
        finally:
            self.graph.end_ahead()
            self._made, self.taken, self.is_ahead = made, taken, False

    def open_region(self) -> None:
        """Forget, when the region closes, what is made from here on."""
        self._made.append({})

    def close_region(self) -> None:
        """The end of the innermost region."""
        self._made.pop()

    @property
    def region(self) -> Any:
        """What names the innermost region."""
        return self._made[-1]

    def regions_within(self, region: Any) -> int | None:
        """How many regions have been opened inside of one; None where that one is closed."""
        for count, made in enumerate(reversed(self._made)):
            if made is region:
                return count
        return None

    def close_regions(self, depth: int) -> None:
        """The end of all regions but the outermost ones."""
        del self._made[depth + 1 :]

    @property
    def depth(self) -> int:
        """How many regions are open."""
        return len(self._made) - 1

    def name(self, obj: Any, name: str) -> None:
        """Give the graph the user's name of an array, for readable code."""
        if "storage" not in getattr(type(obj), "__slots__", ()):  # which is no look at the object
            return
        storage = obj.storage
        if storage.leaf is not None or hasattr(storage, "condition"):
            return
        if not obj.views:
            self.graph.name(storage.value, name)
        elif obj._version == storage.version:
            self.graph.name(obj._value, name)


def _attribute_keys(attributes: dict[str, Any]) -> Iterator[Any]:
    """Attributes of an operation in a form that can be looked up."""
    for name, value in attributes.items():
        yield name, tuple(value) if type(value) is list else value
