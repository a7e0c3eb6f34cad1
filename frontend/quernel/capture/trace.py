"""One capture from beginning to end, with its restarts."""

from __future__ import annotations

import sys
import types
from collections.abc import Callable
from typing import Any, NoReturn

from ..arguments.calls import Call
from ..arguments.leaf_kinds import NO_OBJECT, Leaf, Pattern, ProgramFacts, Wrapper
from ..arguments.leaves import NOTHING, Blamed
from ..arguments.looking import identity_pattern, leave_open, refused_parts, take_items
from ..arguments.simple_kinds import MOST_SMALL, bits_of, symbol_name
from ..describe import Undescribable, type_text
from ..dtypes import PYTHON_KINDS
from ..errors import UnsupportedError
from ..options import Options
from ..signals import let_out
from ..traced.array import TracedArray
from ..traced.broadcasting import unified
from ..traced.dispatch import dispatch
from ..traced.memory import C_ORDER, Layout
from ..traced.numbers import DATA, SymbolicNumber
from ..traced.objects import begin_counting
from ..traced.outer_containers import OuterContainer, has_changed, only_gets
from ..traced.restarts import Choices, Restart
from ..traced.storage import Storage
from ..traced.symbols import identifier
from ..traced.tracer import Tracer
from ..wrapped import Wrapped
from . import (  # noqa: F401  (these give numbers and arrays their operators)
    arithmetic,
    memory_methods,
    methods,
    powers,
)
from .alike import spread
from .class_stand_ins import WORDS
from .contents import reached
from .given_lists import GivenList
from .interpreter import DeepStack
from .list_rooms import begin_with_wanted
from .open_containers import Appended, Keyed
from .paths import copies_of
from .plan import lists_of, plan_text
from .reads import Read
from .rebuild import Rebuilder
from .results import ResultTree

_RESTART_LIMIT = 64


class Captured:
    """A finished graph and all that is needed to call its program.

    Attributes
    ----------
    parameters : list of pattern
    reads : list of (Read, pattern)
    result : JSON tree
    notes : list of str
        What the report should say.
    plan : str
        What has been decided about loops, branches and lists.
    floats : list
        The kinds of floating-point events that the program may have to warn of: see `FloatStates`.
    callers : list of tuple
        The calls in which operations stand: see `Callers`.
    leaves_paths : bool
        Whether calls are left to NumPy that come to some path.
    storable : bool
        Whether another process may use the program.
    changed : list of str
        The lists and dicts from outside, by path, that the program changes and is made for all
        items of.
    """

    def __init__(self, tracer: Tracer, call: Call, rebuilder: Rebuilder) -> None:
        self.graph = tracer.graph
        self.operations = tracer.operations
        self.notes = tracer.notes
        self.plan = plan_text([*tracer.plan, *lists_of(tracer)])
        self.leaves_paths = tracer.leaves_paths
        self.symbols = len(tracer.symbols)
        self._patterns = Patterns(tracer)
        self.parameters = [self._patterns.of(leaf) for leaf in call.parameters]
        reads = [read for read in rebuilder.reads if not read.is_refused]
        self.reads = [(read, self._patterns.of_read(read)) for read in reads]
        self.storable = all(read.owner is not None for read in reads)
        self.floats = tracer.floats.described()
        self.callers = tracer.callers.described()
        self.outputs: list[list[Any]] = []
        self.result: Any = None
        self.aliases: set[int] = set()
        self.changed = [
            outer.leaf.path for outer in tracer.containers if outer.is_changed and not outer.is_open
        ]


class Patterns(ProgramFacts):
    """The patterns of a capture's leaves; what these ask of a capture."""

    def __init__(self, tracer: Tracer) -> None:
        self.tracer = tracer
        self._indices = {id(leaf): k for k, leaf in enumerate(tracer.inputs)}
        self._written = {id(storage.leaf) for storage in tracer.storages if storage.written}
        self._opaque: dict[int, int] = {}  # by the identity of the object

    def of(self, leaf: Leaf) -> Pattern:
        """The pattern of a leaf and all below it."""
        return leaf.kind.pattern(leaf, self)

    def index(self, leaf: Leaf) -> int | None:
        """The number of the program's input that an argument is; None where it is none."""
        return self._indices.get(id(leaf))

    def sizes(self, leaf: Leaf) -> list[int | str]:
        """The sizes of an array, with the names of those that are symbols."""
        return [
            size if number is None else symbol_name(number, self._least(number))
            for size, number, _ in dims_of(self.tracer, leaf)
        ]

    def _least(self, number: int) -> int:
        """The least size that a symbol stands for."""
        choices = self.tracer.choices
        if choices.any_size:
            return 0
        return 2 if choices.wide.isdisjoint(self.tracer.symbol_dims[number]) else MOST_SMALL + 1

    def is_written(self, leaf: Leaf) -> bool:
        """Whether the program writes to an array."""
        return id(leaf) in self._written

    def written(self) -> set[int]:
        """The inputs that the program writes to."""
        return {self._indices[leaf] for leaf in self._written}

    def has_strides(self, leaf: Leaf) -> bool:
        """Whether the strides of an array are part of the program."""
        return leaf.path in self.tracer.choices.values

    def flags(self, leaf: Leaf) -> int:
        """The flags of an array that are part of the program."""
        return self.tracer.seen_flags.get(leaf.path, 0)

    def instance(self, leaf: Leaf) -> tuple[int, bool]:
        """The number of an object, and whether this leaf is the first that leads to it."""
        return self.tracer.rebuilder.classes.number_of(leaf)

    def opaque(self, leaf: Leaf) -> int:
        """The number of an object that has no kind."""
        return self._opaque.setdefault(id(leaf.obj), len(self._opaque))

    def container(self, leaf: Leaf) -> tuple[int, bool] | None:
        """The same for a list or dict; None where the program doesn't number them."""
        if not self.tracer.counts_containers:
            return None
        return self.tracer.rebuilder.classes.number_of(leaf)

    def of_read(self, read: Read) -> Pattern:
        """The pattern of what the function reads from outside.

        Raises
        ------
        Undescribable
        """
        if read.obj is NOTHING:
            return [NO_OBJECT.name]
        return identity_pattern(read.obj) if read.leaf is None else self.of(read.leaf)


def dims_of(tracer: Tracer, leaf: Leaf) -> list[tuple[int, int | None, Any]]:
    """Of each axis of an array argument: size, number of its symbol or None, graph dimension."""
    dims: list[tuple[int, int | None, Any]] = []
    for axis, size in enumerate(leaf.shape):
        if tracer.is_symbolic(leaf.path, axis, size):
            dims.append((size, *tracer.symbol(leaf.path, axis, size)))
        else:
            dims.append((size, None, size))
    return dims


def capture(
    function: types.FunctionType,
    call: Call,
    options: Options,
    choices: Choices,
    symbolic: set[tuple[str, int]],
    compiler: Any,
    exact: bool = False,
) -> Captured:
    """Run a function on traced arrays until nothing more has to be known beforehand.

    Parameters
    ----------
    exact : bool
        Whether Python goes on with the results: they must alias what they do in NumPy.

    Raises
    ------
    UnsupportedError
        For constructs that can't be compiled.
    Exception
        Whatever the user's function raises.
    """
    choices.work = 0
    for _ in range(_RESTART_LIMIT):
        try:
            sizes = symbolic - choices.dims
            return _attempt(function, call, options, choices, sizes, compiler, exact)
        except Restart as restart:
            restart.unroll = copies_of(restart.unroll)
            if not choices.learn(restart):
                raise UnsupportedError("a number that can't be followed through") from None
        except Exception as error:
            let_out(error)
            is_new = choices.wanted or choices.give_up_growing() or choices.give_up_appending()
            if not is_new:
                raise
        finally:
            choices.end()
    raise UnsupportedError("the function's branches depend on too many of its arguments")


def _attempt(
    function: types.FunctionType,
    call: Call,
    options: Options,
    choices: Choices,
    symbolic: set,
    compiler: Any,
    exact: bool,
) -> Captured:
    tracer = Tracer(function, compiler, options, choices, symbolic, unified)
    rebuilder = Rebuilder(tracer, lambda leaf: wrap(tracer, rebuilder, leaf))
    try:
        with tracer, tracer.floats.listening(), DeepStack():
            try:
                return _captured(tracer, rebuilder, function, call, exact)
            except Restart as restart:
                spread(restart, tracer)
                raise
            except UnsupportedError as error:
                error.demands = _demands(tracer, call, rebuilder)
                _blame(error, function, rebuilder)
                raise
    finally:
        # Each refers to the other, so they, and all that was traced, would stay until Python looks
        # for such cycles: among what the user finds by `gc.get_objects`.
        vars(rebuilder).clear()
        vars(tracer).clear()


def _captured(
    tracer: Tracer, rebuilder: Rebuilder, function: types.FunctionType, call: Call, exact: bool
) -> Captured:
    begin_counting(tracer)
    rebuilt = rebuilder.function(function, ())
    arguments = [wrap(tracer, rebuilder, leaf) for leaf in call.parameters]
    named = dict(zip(call.kwnames, arguments[call.nargs :], strict=True))
    returned = _run(tracer, rebuilt, arguments[: call.nargs], named)
    begin_with_wanted()
    _check_effects(tracer, rebuilder)
    _put_back_generators(rebuilder)
    _check_chosen_lists(tracer)
    _count_containers(tracer, returned)
    _number_objects(call, rebuilder)
    tree = ResultTree(tracer, exact)
    result = tree.of(returned, rebuilder.classes.arguments)
    if tracer.failure is not None:
        raise tracer.failure
    try:
        captured = Captured(tracer, call, rebuilder)
    except Undescribable as error:
        raise UnsupportedError(
            f"what the program depends on has {error}", "hand over an object that has a name"
        ) from None
    _finish(tracer, captured, tree)
    captured.result = result
    return captured


def _put_back_generators(rebuilder: Rebuilder) -> None:
    if any(WORDS in vars(obj) for obj in rebuilder.classes.arguments):
        from .python_random import put_back

        put_back(rebuilder)


def _number_objects(call: Call, rebuilder: Rebuilder) -> None:
    reads = [read.leaf for read in rebuilder.reads if read.leaf is not None]
    rebuilder.classes.number([*call.parameters, *reads])


def _demands(tracer: Tracer, call: Call, rebuilder: Rebuilder) -> dict[str, Any] | None:
    """What a refusal depends on, as an entry has it; None where another process can't look at it.

    Of what can't be described the type counts, and the file of the module that it is read from.
    """
    _number_objects(call, rebuilder)
    patterns = Patterns(tracer)
    demands: dict[str, Any] = {"reads": [], "types": [], "files": [], "blamed": None}
    try:
        demands["parameters"] = [patterns.of(leaf) for leaf in call.parameters]
    except Undescribable:
        return None
    for read in rebuilder.reads:
        if read.owner is None:
            return None
        place = read.place()
        try:
            demands["reads"].append([place, patterns.of_read(read)])
        except Undescribable:
            demands["types"].append([place, type_text(read.obj)])
            names = read.namespace if type(read.namespace) is dict else {}
            demands["files"].append(names.get("__file__") or "")
    return demands


def _blame(error: UnsupportedError, function: types.FunctionType, rebuilder: Rebuilder) -> None:
    """Say what the function reads that holds what no program takes, if anything does."""
    for read in rebuilder.reads:
        if read.owner is None or read.leaf is None or not any(refused_parts(read.leaf)):
            continue
        error.read = Blamed(function, read.place(), read.leaf)
        places = [place for place, _ in error.demands["reads"]] if error.demands else []
        if read.place() in places:
            error.demands["blamed"] = places.index(read.place())
        return


def _finish(tracer: Tracer, captured: Captured, tree: ResultTree) -> None:
    patterns = captured._patterns
    updates = [(s.initial, s.value) for s in tracer.storages if s.written]
    tree.hand_over()
    tracer.describe_lines()
    if updates:
        tracer.graph.finish(tree.values, updates=updates)
    else:
        tracer.graph.finish(tree.values)
    seen = {k for k, leaf in enumerate(tracer.inputs) if leaf.path in tracer.seen_bytes}
    captured.aliases = tree.aliases | patterns.written() | seen
    for k, value in enumerate(tree.values):
        shape = [dim if isinstance(dim, int) else None for dim in value.shape]
        axes = [list(tree.axes[k])] if k in tree.axes else []
        captured.outputs.append([value.dtype, shape, *axes])


def _run(tracer: Tracer, function: Any, args: list[Any], named: dict[str, Any]) -> Any:
    tracer.running = sys._getframe()
    try:
        return function(*args, **named)
    finally:
        tracer.running = None


def _check_effects(tracer: Tracer, rebuilder: Rebuilder) -> None:
    """Refuse functions that change something outside of themselves that programs can't change.

    Raises
    ------
    UnsupportedError
    Restart
        Where nobody has known by now that a list or dict is changed.
    """
    for namespace in rebuilder._globals.values():
        for name in namespace.assigned():
            tracer.fail(f"assigning to the global `{name}`", "return the value")
    for cell, content, name in rebuilder.cells:
        if cell.cell_contents is not content:
            tracer.fail(f"assigning to the outer variable `{name}`", "return the value")
    for outer in tracer.containers:
        if outer.is_changed:
            tracer.note_change(outer.obj, is_open=only_gets(outer))
    for known, before, _ in tracer.sets:
        if has_changed(known, before):
            tracer.note_change(known)
    for copy, before, original in tracer.copied_containers:
        if has_changed(copy, before):
            tracer.note_change(original)


def _count_containers(tracer: Tracer, returned: Any) -> None:
    """Number the lists and dicts from outside where the program changes one, or gives one back.

    Others may then not be the same ones.
    """
    if not tracer.containers or tracer.counts_containers:
        return
    roots = [returned]
    for stand_in in tracer.rebuilder.classes.arguments:
        roots += [value for _, value in stand_in._quernel.changes(stand_in)]
    roots += [value for _, _, value in tracer.rebuilder.classes.assigned()]
    known = {id(outer.shown) for outer in tracer.containers}
    tracer.counts_containers = any(container.is_changed for container in tracer.containers) or any(
        id(obj) in known for _, obj in reached([((), root) for root in roots], paths=False)
    )


def _check_chosen_lists(tracer: Tracer) -> None:
    """Begin anew where a list is changed for which, or for a choice of which, another one stands.

    Raises
    ------
    Restart
    """
    changed = {
        key
        for key, lists in tracer.chosen_lists
        for obj, snapshot in lists
        if has_changed(obj, snapshot)
    }
    if changed:
        raise Restart(apart=changed)


def wrap(tracer: Tracer, rebuilder: Rebuilder, leaf: Leaf) -> Any:
    """The traced form of a leaf."""
    return leaf.kind.wrapped(leaf, Traced(tracer, rebuilder))


class Traced(Wrapper):
    """Makes what captured code gets in place of arguments, for the kinds of these."""

    def __init__(self, tracer: Tracer, rebuilder: Rebuilder) -> None:
        self._tracer, self._rebuilder = tracer, rebuilder

    def array(self, leaf: Leaf) -> TracedArray:
        """An argument of the program."""
        return _wrap_array(self._tracer, leaf)

    def number(self, leaf: Leaf) -> Any:
        """A number of the program, or the number itself where that is part of the program."""
        return _wrap_scalar(self._tracer, leaf)

    def stream(self, leaf: Leaf) -> Any:
        """What stands for a random generator, of which the program draws."""
        tracer = self._tracer
        streams = [known for known in tracer.inputs if known.kind is leaf.kind]
        if any(bits_of(known) is bits_of(leaf) for known in streams):
            tracer.fail(f"`{leaf.path}`, a random generator that is there twice", "pass it once")
        return dispatch.stream(_wrap_array(tracer, leaf), leaf.obj)

    def instance(self, leaf: Leaf) -> Any:
        """What stands for an object of a class of the user's."""
        return self._rebuilder.classes.instance(leaf)

    def numbers(self, leaf: Leaf, kind: type) -> Any:
        """A long list of numbers of a type, of which the program gets an array."""
        return GivenList(self.array(leaf), kind, leaf.path)

    def watched(self, container: Any, path: str) -> Any:
        """A set, which nobody may change."""
        return self._tracer.watch(container, path)

    def container(self, leaf: Leaf, make: Callable[[], Any]) -> Any:
        """What stands for a list or dict: one object, which is made for the first leaf of it."""
        known = self._tracer.container_of(leaf)
        if known is None:
            known = self._tracer.add_container(self._outer(leaf, make))
        elif known.leaf is not leaf:
            self._tracer.counts_containers = True
        return known.shown

    def _outer(self, leaf: Leaf, make: Callable[[], Any]) -> OuterContainer:
        choices, path = self._tracer.choices, leaf.path
        if path in choices.looked or not (leaf.is_open or path in choices.changed):
            try:
                take_items(leaf)
            except UnsupportedError as error:
                self._refuse(leaf, error)
            return OuterContainer(leaf, make())
        choices.changed.add(path)
        outer = OuterContainer(leaf, type(leaf.obj)())
        outer.shown = (Appended if type(leaf.obj) is list else Keyed)(outer)
        if leaf.is_open:
            values = (child.kind.wrapped(child, self) for child in leaf.children)
            outer.loaded = dict(zip(leaf.keys, values, strict=True))
        else:
            leave_open(leaf)
        return outer

    def refused(self, leaf: Leaf) -> NoReturn:
        """What no program takes, which a list or dict that has been looked at holds.

        Raises
        ------
        UnsupportedError
        """
        self._refuse(leaf, leaf.fault)

    def _refuse(self, leaf: Leaf, error: UnsupportedError) -> NoReturn:
        """Refuse what a list or dict holds, as where it stands alone."""
        if leaf.fixed or "." in leaf.path:
            outside = leaf.fixed and leaf.path.isidentifier()
            text = f"{error.reason}{', read from outside of the function' if outside else ''}"
            self._tracer.fail(text, error.hint)
        error.argument = leaf.path.split("[", maxsplit=1)[0]
        raise error from None

    def object(self, leaf: Leaf) -> Any:
        """What stands for a type, a function of NumPy or the like."""
        return self._rebuilder.replaced(leaf.obj, None, leaf.path, None)

    def opaque(self, leaf: Leaf) -> Any:
        """What stands for an object that has no kind."""
        return self._rebuilder.opaque(leaf, None)

    def key(self, key: Any) -> Any:
        """What stands for a key of a dict, or an item of a set."""
        return self._rebuilder.key(key)

    def function(self, leaf: Leaf, parts: Callable[[], dict[str, Any]]) -> Any:
        """What stands for a function of the user's, of which the parts are made when asked for."""
        return self._rebuilder.handed(leaf, parts)

    def value(self, obj: Any) -> Any:
        """A value that is part of the program."""
        is_plain = not callable(obj) and not isinstance(obj, types.ModuleType | Wrapped)
        return obj if is_plain else self._rebuilder.replaced(obj, None, "", None)


def _wrap_array(tracer: Tracer, leaf: Leaf) -> TracedArray:
    layout = _layout(tracer, leaf)
    dims = layout.in_memory([dim for _, _, dim in dims_of(tracer, leaf)])
    packed = "C" if layout.how == "dense" else "strided"
    value = tracer.graph.argument(identifier(leaf.path), leaf.dtype, list(dims), packed)
    tracer.inputs.append(leaf)
    storage = Storage(value, leaf, layout=layout)
    tracer.storages.append(storage)
    return TracedArray(tracer, storage)


def _layout(tracer: Tracer, leaf: Leaf) -> Layout:
    """How an argument's elements lie; any strides may do for the program that is captured."""
    if leaf.layout == "C":
        return C_ORDER
    kind, axes = (leaf.layout, ()) if leaf.layout == "strided" else leaf.layout
    order = None if list(axes) == sorted(axes) else tuple(axes)
    if kind == "dense":
        return Layout(order, "dense")
    if leaf.path in tracer.choices.values:
        return Layout(order, "strides", leaf.strides)
    how = "nested" if kind == "nested" else "unknown"
    return Layout(order, how, causes=frozenset([("argument", leaf.path)]))


def _wrap_scalar(tracer: Tracer, leaf: Leaf) -> Any:
    if leaf.path in tracer.choices.static():
        return leaf.obj
    kind = leaf.dtype
    dtype = PYTHON_KINDS.get(kind) or kind.removeprefix("np.")
    value = tracer.graph.scalar(identifier(leaf.path), dtype)
    tracer.inputs.append(leaf)
    varies = leaf.path in tracer.choices.varying
    origins = [DATA, ("varying", leaf.path)] if varies else [("value", leaf.path)]
    tracer.comes_from(value, frozenset(origins[-1:]))
    if kind.startswith("np."):
        return TracedArray(tracer, Storage(value), is_scalar=True)
    if not varies:
        tracer.parameters[id(value)] = value, leaf
    return SymbolicNumber(tracer, value, leaf.obj, origins)
