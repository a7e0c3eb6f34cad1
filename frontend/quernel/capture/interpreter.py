"""Calls of functions whose statements are interpreted, one after the other, on traced values."""

from __future__ import annotations

import ast
import sys
import types
from typing import Any, NoReturn

from .branches import Branches
from .environment import UNBOUND, Conflict, Either, Environment, Maybe
from .expressions import Expressions
from .loops import Loops
from .scopes import Liveness
from .source import Definition
from .standins import stand_ins
from .state import Facts, Fork
from .statements import Statements, UnderWay
from .tracer import Restart, Tracer

_DEPTH_LIMIT = 200
_FORK_LIMIT = 12
_PARTS_LIMIT = 10_000
_STACK_LIMIT = 20_000
_STEP_LIMIT = 20_000
_REPLACED_KINDS = (type, types.BuiltinFunctionType)


class Interpreter:
    """What the interpreted functions of one capture share.

    Attributes
    ----------
    path : list
        Where the interpretation is: calls, loops, branches and turns, each by its node.
    """

    def __init__(self, tracer: Tracer, rebuilder: Any) -> None:
        from ..numpy.registry import constructors

        self.tracer, self.rebuilder = tracer, rebuilder
        tracer.interpreter = self
        self.path: list[Any] = []
        self.depth = 0
        self.held: list[Any] = []  # what the loops that are captured run over
        self.statements = [UnderWay(0, ((), 0))]  # the last one is carried out, within the others
        self.decisions: dict[tuple, bool] = {}  # by path of a branch: the side that is captured
        self._facts: dict[tuple, Facts] = {}
        self._steps = 0
        self._raised: Any = None
        self._stand_ins = {**constructors(), **stand_ins(tracer)}

    def step(self) -> None:
        """Count a call or a turn: capturing a function ends, whatever its loops do."""
        self._steps += 1
        if self._steps > _STEP_LIMIT:
            self.tracer.fail(
                f"more than {_STEP_LIMIT} calls and turns that are captured one by one",
                "compute what doesn't depend on arrays outside, or use loops over ranges",
            )

    def stand_in(self, function: Any) -> Any:
        """What is called in place of a function that can't take numbers of the program."""
        if type(function) in _REPLACED_KINDS:
            return self._stand_ins.get(function, function)
        return function

    def facts(self) -> Facts:
        """What is known about the loop or branch at the current path."""
        return self._facts.setdefault(tuple(self.path), Facts())

    def forget_targets(self) -> None:
        """Forget what was made within the current path, which is captured again."""
        place = tuple(self.path)
        for path, facts in self._facts.items():
            if len(path) > len(place) and path[: len(place)] == place:
                facts.targets.clear()

    def raising(self, error: Any) -> Any:
        """Remember an exception that the user's own code raises."""
        self._raised = error
        return error

    def has_raised(self, error: Exception) -> bool:
        """Whether the user's own code has raised an exception, not a function that it calls."""
        raised = self._raised
        return raised is error or (isinstance(raised, type) and type(error) is raised)

    # Capturing the sides of a branch apart

    def plain_path(self) -> tuple:
        """The path of the current branch, without the steps into forks around it."""
        *around, last = self.path
        return (*(step for step in around if step[0] not in ("fork", "split")), last)

    def fork_places(self) -> list[tuple]:
        """The statements from which on the sides of the current branch can be captured apart.

        Each with the branch's path, the innermost one first: those under way that aren't outside
        of a loop or branch of the program that the branch is in.
        """
        path, depth = self.plain_path(), self.tracer.depth
        inwards = reversed(self.statements[1:])
        return [(item.key, path) for item in inwards if item.depth == depth]

    def apart(self, value: Either, name: str) -> NoReturn:
        """Read a value that data choose and that isn't one value: capture both ways.

        Raises
        ------
        Restart
        """
        forks = self.tracer.choices.forks
        blocks = {item.key[0] for item in self.statements[1:]}
        place = next((place for place in value.places if place[0][0] in blocks), None)
        if place is not None and place not in forks and len(forks) < _FORK_LIMIT:
            raise Restart(forks=[place])
        self.tracer.fail(f"{name} {value.reason}", "bind it to values of one kind only")

    def forks_at(self, key: tuple) -> bool:
        """Whether the sides of some branch within a statement have to be captured apart."""
        forks = self.tracer.choices.forks
        return any(where == key and path not in self.decisions for where, path in forks)

    def decided(self, condition: Any) -> bool | None:
        """The side of the branch at the current path that is captured; None where both are.

        Raises
        ------
        Fork
            Where the statement around has to be captured once for each side.
        """
        if not self.tracer.choices.forks:
            return None
        path = self.plain_path()
        if path in self.decisions:
            return self.decisions[path]
        forks = self.tracer.choices.forks
        place = next((place for place in self.fork_places() if place in forks), None)
        if place is not None:
            raise Fork(place[0], path, condition)
        return None

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

    def choice(self, key: tuple, condition: Any) -> tuple[bool | None, list[tuple]]:
        """The side of a choice between two values that is captured, and where it can be forked."""
        self.path.append(key)
        try:
            return self.decided(condition), self.fork_places()
        finally:
            self.path.pop()

    def function(
        self,
        definition: Definition,
        namespace: Any,
        outer: Environment | None,
        defaults: tuple | None,
        named: dict[str, Any] | None,
    ) -> types.FunctionType:
        """A Python function that interprets a definition."""
        binder = types.FunctionType(definition.binder, {}, definition.name, defaults)
        binder.__kwdefaults__ = named

        def call(*args: Any, **kwargs: Any) -> Any:
            return self.call(definition, namespace, outer, binder(*args, **kwargs))

        call.__name__, call.__qualname__ = definition.name, definition.binder.co_name
        call.__module__ = namespace.get("__name__") or call.__module__
        if isinstance(definition.node, ast.FunctionDef):
            call.__doc__ = ast.get_docstring(definition.node)
        return call

    def call(
        self, definition: Definition, namespace: Any, outer: Environment | None, values: dict
    ) -> Any:
        """Interpret a call with bound arguments."""
        tracer, place = self.tracer, self.tracer.location
        if self.depth >= _DEPTH_LIMIT:
            tracer.fail(
                f"a recursion of more than {_DEPTH_LIMIT} calls of {definition.name}()",
                "end it by a condition on shapes or numbers, or write a loop",
            )
        self.step()
        self.depth += 1
        self.path.append(self.numbered("call", id(definition.node)))
        try:
            return Frame(self, definition, namespace, outer, values).run()
        finally:
            self.path.pop()
            self.depth -= 1
            tracer.location = place


class DeepStack:
    """Room for the interpreter's own calls."""

    def __enter__(self) -> None:
        self._limit = sys.getrecursionlimit()
        sys.setrecursionlimit(max(self._limit, _STACK_LIMIT))

    def __exit__(self, *details: object) -> None:
        sys.setrecursionlimit(self._limit)


class Frame(Expressions, Statements, Branches, Loops):
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
        self.definition = definition
        self.namespace = namespace
        self.environment = Environment(definition.scope, outer)
        self.environment.values.update(values)
        self.tracer.environments[self.tracer.tick()] = self.environment

    @property
    def liveness(self) -> Liveness:
        """Which names are needed where."""
        return self.definition.liveness

    def run(self) -> Any:
        """Interpret the body and return what it returns."""
        self.block(self.definition.body)
        return self.returned()

    def at(self, node: Any) -> None:
        """Say which line is at work."""
        if self.definition.is_users:
            self.tracer.location = (self.definition.file, node.lineno, self.definition.name)

    # Names

    def load(self, name: str) -> Any:
        """The value of a name, as Python looks it up."""
        owner = self.environment.owner(name)
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
            f"cannot access free variable '{name}' where it is not associated with a value in "
            "enclosing scope"
        )

    def _bound(self, value: Maybe, name: str) -> Any:
        self.tracer.check(value.bound, "UnboundLocalError", _unbound(name))
        return value.value

    def settled(self, value: Any, name: str = "a value") -> Any:
        """A value that is about to be read: one that exists, and is one."""
        if type(value) is Conflict:
            self.tracer.fail(f"{name} {value.reason}", "bind it to arrays of one kind only")
        if type(value) is Either:
            self.interpreter.apart(value, name)
        return self._bound(value, name) if type(value) is Maybe else value

    def settle_parts(self, parts: Any) -> None:
        """See that a function that isn't interpreted gets no value that isn't one."""
        pending = list(parts)
        for part in pending:
            if type(part) in (tuple, list) and len(pending) < _PARTS_LIMIT:
                pending += part
            elif type(part) in (Either, Conflict, Maybe):
                self.settled(part, "a part of an argument")

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
        self.tracer.name(value, name)

    def delete(self, name: str) -> None:
        """Unbind a name."""
        self.load(name)
        del self._owner(name).values[name]

    def _owner(self, name: str) -> Environment:
        owner = self.environment.owner(name)
        if owner is None:
            self.tracer.fail(f"assigning to the global `{name}`", "return the value")
        if owner.fixed:
            self.tracer.fail(f"assigning to the outer variable `{name}`", "return the value")
        return owner


def _unbound(name: str) -> str:
    if sys.version_info < (3, 11):
        return f"local variable '{name}' referenced before assignment"
    return f"cannot access local variable '{name}' where it is not associated with a value"
