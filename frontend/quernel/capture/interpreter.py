"""Calls of functions whose statements are interpreted, one after the other, on traced values."""

from __future__ import annotations

import ast
import sys
import types
from typing import Any

import numpy as np

from ..signals import let_out
from ..traced.array import TracedArray
from ..traced.dispatch import dispatch
from ..traced.effort import Unrolling
from ..traced.location import public_name
from ..traced.numbers import DATA, graph_dim, origins
from ..traced.restarts import Restart
from ..traced.tracer import Tracer
from ..traced.undecided import UNBOUND, Conflict, Either, Maybe
from . import consumers, folding
from .branches import Branches
from .contents import BINDER, reached
from .environment import Environment, forgotten
from .expressions import Expressions
from .generators import GENERATES, Generating, Generators, Mode, Seen
from .growing import SHORT
from .grown import handed_out
from .handlers import Handlers
from .jumps import BROKE, RETURNED
from .loops import Loops
from .operations import Operations
from .ordering import ordering
from .paths import whole_loop
from .raising import is_of_operation
from .scopes import Liveness, spelled
from .source import Definition
from .standins import on_sequences, stand_ins
from .state import Facts, Hints
from .statements import Statements, UnderWay
from .tables import Table, table_of
from .tallies import tallying
from .texts import Text
from .unbound import METHODS, unbound

_OWN_MODULES = (folding.__name__, consumers.__name__)  # what stands for Python's own functions
_DEPTH_LIMIT = 200
_NESTED = 3  # calls of one function in one another, by conditions that nobody knows
_NESTED_BY_DATA = 12
_CHOICES = ("if", "unless", "choose", "case", "turns")  # steps of a path into one of two sides
_STACK_LIMIT = 20_000
_STEP_LIMIT = 20_000
_REPLACED_KINDS = (type, types.BuiltinFunctionType, types.FunctionType)


class Interpreter(Handlers):
    """What the interpreted functions of one capture share.

    Attributes
    ----------
    path : list
        Where the interpretation is: calls, loops, branches and turns, each by its node.
    """

    def __init__(self, tracer: Tracer, rebuilder: Any) -> None:
        super().__init__()
        self.tracer, self.rebuilder = tracer, rebuilder
        tracer.interpreter = self
        self.depth = 0
        self.calls: list[tuple] = []  # those under way
        self.endless: set[tuple] = set()  # functions that data may have call themselves on and on
        self.held: list[Any] = []  # what the loops that are captured run over
        self.statements = [UnderWay(0, ((), 0))]
        self._facts: dict[tuple, Facts] = {}
        self._steps = 0
        self.column = 0  # of what is at work
        self.generating = False  # whether a generator's body is carried out
        self._raised: Any = None
        self.rolled: list[Any] = []  # the loops under way, each a `Rolled`
        self.unrolled: list[Unrolling] = []  # those that are captured iteration by iteration
        self._stand_ins = {**stand_ins(tracer), **tallying(tracer), sorted: ordering(tracer)}
        self._mathematics: dict[Any, Any] | None = None

    def step(self) -> None:
        """Count a call or a turn: capturing a function ends, whatever its loops do."""
        self._steps += 1
        self.tracer.choices.effort.check(self.tracer)
        if self._steps > _STEP_LIMIT:
            self.tracer.fail(
                f"more than {_STEP_LIMIT} calls and turns that are captured one by one",
                "compute what doesn't depend on arrays outside, or use loops over ranges",
            )

    def stand_in(self, function: Any) -> Any:
        """What is called in place of a function that can't take numbers of the program."""
        if type(function) in _REPLACED_KINDS:
            if getattr(function, "__module__", None) in ("math", "cmath"):
                return self._mathematical(function)
            made = self._stand_ins.get(function)
            if made is None and isinstance(function, type):
                made = dispatch.stand_in(function, is_called=True)
            return made or on_sequences(function)
        if type(function) is np.ufunc:
            return on_sequences(function)
        return unbound(function) if type(function) in METHODS else function

    def handed_out(self, grown: tuple) -> Any:
        """A list that the program fills as those see it who only read."""
        return handed_out(grown)

    def table(self, sequence: Any) -> Table | None:
        """What a loop of the program can run over in place of one of Python's own sequences."""
        return table_of(self.tracer, sequence)

    def _mathematical(self, function: Any) -> Any:
        if self._mathematics is None:
            from .mathematics import mathematics

            self._mathematics = mathematics(self.tracer)
        return self._mathematics.get(function, function)

    def facts(self) -> Facts:
        """What is known about the loop or branch at the current path."""
        path = tuple(self.path)
        if path not in self._facts:
            seen = self.tracer.choices.hints.setdefault(whole_loop(path), Hints())
            self._facts[path] = Facts(seen)
        return self._facts[path]

    def rolled_within(self, depth: int) -> list[tuple]:
        """The keys of the loops under way that were begun inside of so many regions."""
        return [loop.key for loop in self.rolled if loop.depth >= depth]

    def is_for_message(self, keys: set[tuple]) -> bool:
        """Whether it is an exception for which long loops would be unrolled.

        Then whoever raises the exception makes its text: the call is left to NumPy.
        """
        counts = {loop.key: loop.count for loop in self.rolled}
        long = (type(turns) is not int or turns > SHORT for turns in map(counts.get, keys))
        return self.is_raising and any(long)

    def forget_targets(self) -> None:
        """Forget what was made within the current path, which is captured again."""
        place = tuple(self.path)
        for path, facts in self._facts.items():
            if len(path) > len(place) and path[: len(place)] == place:
                facts.forget()

    def raising(self, error: Any) -> Any:
        """Remember an exception that the user's own code raises; that of a handler goes out."""
        if isinstance(error, Exception):
            let_out(error)
        self._raised = error
        return error

    def has_raised(self, error: Exception) -> bool:
        """Whether the user's own code has raised an exception, not a function that it calls."""
        raised = self._raised
        return raised is error or (isinstance(raised, type) and type(error) is raised)

    def may_raise(self, error: Exception) -> bool:
        """Whether an error is one that the user's code raises, or an operation that it carries out.

        Any other error is a fault of the capture. What the handler of a signal has raised goes out.
        """
        let_out(error)
        return self.has_raised(error) or is_of_operation(error)

    # Steps of the path

    def numbered(self, *key: Any) -> tuple:
        """A step of the path, another one each time that a statement meets the same key there."""
        statement = self.statements[-1]
        place = (*self.path, key)
        statement.met[place] = statement.met.get(place, 0) + 1
        return (*key, statement.key[1], statement.met[place])

    def forget_steps(self) -> None:
        """Number anew what is met within the current path: it is captured once more."""
        place, met = tuple(self.path), self.statements[-1].met
        for path in [path for path in met if path[: len(place)] == place]:
            del met[path]

    def function(
        self,
        definition: Definition,
        namespace: Any,
        outer: Environment | None,
        defaults: tuple | None,
        named: dict[str, Any] | None,
        original: types.FunctionType | None = None,
    ) -> types.FunctionType:
        """A Python function that interprets a definition.

        Parameters
        ----------
        original : function, optional
            What it stands for, if that was made before the capture.
        """
        binder = types.FunctionType(definition.binder, {}, definition.name, defaults)
        binder.__kwdefaults__ = named

        def call(*args: Any, **kwargs: Any) -> Any:
            try:
                values = binder(*args, **kwargs)
            except TypeError as error:
                raise self.raising(error) from None
            if definition.generates:
                return Generating(definition, namespace, outer, values)
            return self.call(definition, namespace, outer, values, original or call)

        vars(call)[BINDER] = binder
        if definition.generates:
            vars(call)[GENERATES] = True

        call.__name__, call.__qualname__ = definition.name, definition.binder.co_name
        call.__module__ = namespace.get("__name__") or call.__module__
        if isinstance(definition.node, ast.FunctionDef):
            call.__doc__ = ast.get_docstring(definition.node)
        return call

    def call(
        self,
        definition: Definition,
        namespace: Any,
        outer: Environment | None,
        values: dict,
        function: types.FunctionType,
    ) -> Any:
        """Interpret a call of a function with bound arguments.

        Raises
        ------
        Restart
            Where a function calls itself under a condition that isn't known, while sizes or
            numbers are symbols: where those end the recursion, it is captured with them known.
        """
        tracer = self.tracer
        is_own = tracer.owns(definition.file) or function.__module__ in _OWN_MODULES
        library = "" if is_own else public_name(function)
        self.check_recursion(definition, values)
        if self.depth >= _DEPTH_LIMIT:
            tracer.fail(
                f"a recursion of more than {_DEPTH_LIMIT} calls of {definition.name}()",
                "end it by a condition on shapes or numbers, or write a loop",
            )
        self.step()
        self.depth += 1
        self.calls.append(_call_of(definition, values))
        self.path.append(self.numbered("call", id(definition.node)))
        try:
            frame = Frame(self, definition, namespace, outer, values)
            captured = bool(definition.scope.captured)
            with (
                tracer.callers.calling(library),
                forgotten(tracer, frame.environment, captured),
            ):
                answer = frame.run()
                return handed_out(answer) if self.depth > 1 else answer
        finally:
            self.path.pop()
            self.calls.pop()
            self.depth -= 1

    def check_recursion(self, definition: Definition, values: dict) -> None:
        """See that calls of a function within one another end.

        Raises
        ------
        Restart
        """
        name = ("call", id(definition.node))
        nested = sum(step[:2] == name for step in self.path)
        if nested >= _NESTED and self.tracer.depth:
            self._know_what_ends(definition, values, nested)

    def _know_what_ends(self, definition: Definition, values: dict, nested: int) -> None:
        """Begin anew with the sizes and numbers known that may end a recursion."""
        tracer = self.tracer
        if tracer.symbolic:
            raise Restart(dims=tracer.symbolic)
        arrays = [item for item in values.values() if type(item) is TracedArray]
        found = origins(*values.values(), *(size for array in arrays for size in array.shape))
        name = ("call", id(definition.node))
        most = _NESTED if name in self.endless else _NESTED_BY_DATA
        if arrays and self.calls.count(_call_of(definition, values)) >= most:
            found |= {DATA}
        first = next(k for k, step in enumerate(self.path) if step[:2] == name)
        choices = sum(step[0] in _CHOICES for step in self.path[first:])
        if choices < nested or not found:
            return  # it ends by itself
        if DATA not in found:
            tracer.need(found)
        elif nested >= most:
            self.endless.add(name)
            tracer.fail(
                f"a recursion of {definition.name}() of which data decide how deep it is",
                "write a loop",
            )


def _call_of(definition: Definition, values: dict) -> tuple:
    """A call, by all that a condition which isn't one on data may depend on."""
    return id(definition.node), *map(_known_of, values.values())


def _known_of(value: Any) -> Any:
    """What is known of an argument: of arrays dtype and shape, of containers how long they are."""
    if type(value) is TracedArray:
        return value.dtype, tuple(map(graph_dim, value.shape))
    if type(value) in (list, tuple, dict):
        return type(value), len(value)
    return (type(value), value) if type(value) in (int, float, bool, str) else id(value)


class DeepStack:
    """Room for the interpreter's own calls, and for long expressions that Python compiles."""

    def __enter__(self) -> None:
        self._limit = sys.getrecursionlimit()
        sys.setrecursionlimit(max(self._limit, _STACK_LIMIT))

    def __exit__(self, *details: object) -> None:
        sys.setrecursionlimit(self._limit)


class Frame(Operations, Expressions, Statements, Branches, Loops, Generators):
    """One call that is interpreted."""

    def __init__(
        self,
        interpreter: Interpreter,
        definition: Definition,
        namespace: Any,
        outer: Environment | None,
        values: dict[str, Any],
    ) -> None:
        self.interpreter = interpreter
        self.tracer = interpreter.tracer
        self.graph = self.tracer.graph
        self.definition = definition.with_growing(self.tracer)
        self.namespace = namespace
        self.own = self.environment = Environment(self.definition.scope, outer)
        self.environment.values.update(values)
        self.is_users = self.tracer.owns(definition.file)
        self.whole = self.definition  # which stays, whoever's statements are carried out
        self.seen: Seen | None = None
        is_generators = interpreter.generating
        self.mode = Mode(self.definition, namespace, None, self.is_users, is_generators)
        self.consumers: list[Mode] = []
        self.inner: dict[int, Mode] = {}
        self.passing: tuple = (None, 0)
        self.last_breaks: tuple = ()  # the last `break`, or those of which it is any one
        self.jumps: dict[str, dict] = {RETURNED: {}, BROKE: {}}  # those that have been carried out

    @property
    def liveness(self) -> Liveness:
        """Which names are needed where."""
        return self.whole.liveness

    @property
    def around(self) -> Environment:
        """Where names are looked up: in a generator's body not among those of the consumer."""
        is_own = self.seen is not None and self.environment is self.own
        return self.seen if is_own else self.environment  # type: ignore[return-value]

    def run(self) -> Any:
        """Interpret the body and return what it returns."""
        self.block(self.definition.body)
        return self.returned()

    def at(self, node: Any) -> None:
        """Say which line is at work."""
        place = (self.definition.file, node.lineno, self.definition.name)
        self.interpreter.column = node.col_offset
        if self.is_users:
            self.tracer.callers.location = place
        else:
            self.tracer.callers.within = place

    # Names

    def load(self, name: str) -> Any:
        """The value of a name, as Python looks it up."""
        owner = self.around.owner(name)
        if owner is None:
            return self._global(name)
        value = owner.values.get(name, UNBOUND)
        if type(value) is Maybe:
            value = owner.values[name] = self._bound(value, name)
        if value is not UNBOUND:
            return value
        if owner is self.environment:
            raise UnboundLocalError(_unbound(name))
        raise NameError(
            f"cannot access free variable '{spelled(name)}' where it is not associated with a "
            "value in enclosing scope"
        )

    def _bound(self, value: Maybe, name: str) -> Any:
        self.tracer.check(value.bound, "UnboundLocalError", _unbound(name))
        return value.value

    def settled(self, value: Any, name: str = "a value") -> Any:
        """A value that is about to be read: one that exists, and is one."""
        if type(value) in (Conflict, Either):
            self.interpreter.apart(value, name)
        return self._bound(value, name) if type(value) is Maybe else value

    def settle_parts(self, parts: Any, function: Any) -> None:
        """See that a function that isn't interpreted gets no value that isn't one.

        A text with numbers of the program is one for exceptions alone.
        """
        for _, part in reached([((), part) for part in parts], paths=False):
            if type(part) in (Either, Conflict, Maybe):
                self.settled(part, "a part of an argument")
            elif type(part) is Text and not _is_exception(function):
                part.known()

    def _global(self, name: str) -> Any:
        try:
            return self.namespace[name]
        except KeyError:
            pass
        try:
            return self.interpreter.rebuilder.builtins[name]
        except KeyError:
            raise NameError(f"name '{name}' is not defined") from None

    def store(self, name: str, value: Any) -> None:
        """Bind a name."""
        owner = self._owner(name)
        owner.values[name] = value
        if type(value) is TracedArray:
            self.tracer.name(value, spelled(name))

    def delete(self, name: str) -> None:
        """Unbind a name."""
        self.load(name)
        del self._owner(name).values[name]

    def _owner(self, name: str) -> Environment:
        owner = self.around.owner(name)
        if owner is None:
            self.tracer.fail(f"assigning to the global `{name}`", "return the value")
        if owner.fixed:
            self.tracer.fail(f"assigning to the outer variable `{name}`", "return the value")
        return owner


def _is_exception(obj: Any) -> bool:
    return isinstance(obj, type) and issubclass(obj, Exception)


def _unbound(name: str) -> str:
    name = spelled(name)
    if sys.version_info < (3, 11):
        return f"local variable '{name}' referenced before assignment"
    return f"cannot access local variable '{name}' where it is not associated with a value"
