"""Generators of the user's: a loop over one carries out its body, and its own at each `yield`."""

from __future__ import annotations

import ast
import types
from typing import Any, NamedTuple, NoReturn

from ..traced.iterators import Iterating
from ..traced.scalars import bool_of, truth
from ..traced.tracer import current
from .class_stand_ins import is_stand_in
from .environment import Environment
from .jumps import CONTINUED, RETURNED
from .merging import Inlined, Leave, Yielding, merged
from .scopes import Scope
from .source import Definition
from .trees import walk

GENERATES = "%generates"  # the attribute of what stands for a generator function
_MOST_LEVELS = 100  # of generators that go on with one another
_TWICE = "a generator that is consumed in two places", "call the generator function for each"
_ONE_BY_ONE = "going on with a generator one item after the other", "use a loop over it, or list()"
_OVER = "a variable of a generator that has ended, in a function made in it", "pass it as a default"


class Generating(Iterating):
    """What a call of a generator function gives: its arguments are bound, and nothing is done yet.

    Parameters
    ----------
    definition : Definition
    namespace : dict
        Where the function finds globals.
    outer : Environment or None
        The variables around the function.
    values : dict
        The arguments, by name.
    """

    def __init__(self, definition: Any, namespace: Any, outer: Any, values: dict) -> None:
        super().__init__(None, [values], lazy=True)
        self.definition, self.namespace, self.outer = definition, namespace, outer

    @property
    def __class__(self) -> type:
        return types.GeneratorType

    @property
    def content(self) -> list[Any]:
        """What its being consumed changes."""
        return [self._native, self.position, self._left, self._region, self.held]

    @content.setter
    def content(self, content: list[Any]) -> None:
        self._native, self.position, self._left, self._region, self.held = content

    def _claim_own(self) -> None:
        if self._left:
            current().fail(*_TWICE)
        super()._claim_own()

    def consumed(self) -> dict[str, Any]:
        """The arguments, for the one loop that goes on with it."""
        self._claim_own()
        (values,) = self.held
        self._left, self.held = True, []
        return values

    def __next__(self) -> NoReturn:
        current().fail(*_ONE_BY_ONE)

    def __repr__(self) -> str:
        current().fail("the text of a generator", "make a list of its items")

    def __getattr__(self, name: str) -> Any:
        if name in ("send", "throw", "close"):
            current().fail(f"`.{name}` of a generator", "use a loop over it")
        raise AttributeError(f"'generator' object has no attribute '{name}'", name=name, obj=self)


SOURCE = "%source"  # what a comprehension runs over
_OF_COMPREHENSIONS: dict[int, tuple[ast.AST, Definition]] = {}


def can_generate(node: ast.AST) -> bool:
    """Whether a comprehension binds no names around it."""
    return not any(isinstance(part, ast.NamedExpr) for part in walk(node))


def generator_of(node: Any, element: ast.expr, file: str) -> Definition:
    """The generator function that does what a comprehension does."""
    if not can_generate(node):
        current().fail("a name that a comprehension binds around it", "bind it in a loop")
    if id(node) not in _OF_COMPREHENSIONS:
        made: Any = ast.Expr(ast.Yield(element))
        for part in reversed(node.generators):
            for test in reversed(part.ifs):
                made = ast.If(test, [made], [])
            made = ast.For(part.target, part.iter, [made], [])
        made.iter = ast.Name(SOURCE, ast.Load())
        args = ast.arguments([], [ast.arg(SOURCE)], None, [], [], None, [])
        function = ast.FunctionDef("<genexpr>", args, [made], [])
        placed = ast.fix_missing_locations(ast.copy_location(function, node))
        definition = Definition(placed, file, "<genexpr>", "<genexpr>")
        _OF_COMPREHENSIONS[id(node)] = node, definition
    return _OF_COMPREHENSIONS[id(node)][1]


def as_generator(obj: Any) -> Any:
    """The generator that `__iter__` of an object of the user's gives; other objects as they are."""
    method = getattr(type(obj), "__iter__", None) if is_stand_in(obj) else None
    is_function = isinstance(method, types.FunctionType)
    return iter(obj) if is_function and GENERATES in vars(method) else obj


class Mode(NamedTuple):
    """Whose statements a frame carries out: those of its own function, or of a generator."""

    definition: Any
    namespace: Any
    seen: Seen | None
    is_users: bool
    is_generators: bool


class Seen(Environment):
    """The names that the body of a generator sees: its own, which lie in the consumer's frame.

    Attributes
    ----------
    prefix : str
        What the generator's own names begin with.
    is_over : bool
        Whether the generator has ended.
    """

    __slots__ = ("_frame", "prefix", "is_over")

    def __init__(
        self, frame: Environment, prefix: str, scope: Scope, outer: Environment | None
    ) -> None:
        super().__init__(scope, outer)
        self._frame, self.prefix, self.is_over = frame, prefix, False

    def owner(self, name: str) -> Environment | None:
        """The environment that a name belongs to; None for a global name."""
        if name.startswith("%"):
            if self.is_over:
                current().fail(*_OVER)
            return self._frame
        return super().owner(name)

    def chain(self) -> list[Environment]:
        """The environments of its names."""
        return [self._frame, *([] if self.outer is None else self.outer.chain())]


class Generators:
    """The part of a frame that consumes generators.

    Attributes
    ----------
    consumers : list of Mode
        Those of the loops over generators that are under way.
    inner : dict
        By level: the modes of generators that are begun.
    mode : Mode
    passing : tuple
        The last exception that a consumer has raised, and the level of its loop.
    """

    def _consume(self, node: Any, items: Generating) -> None:
        """Carry out a loop over a generator."""
        tracer, level = self.tracer, len(self.consumers)
        definition = items.definition.with_growing(tracer)
        made = merged(node, definition, level)
        if made.why is not None:
            tracer.fail(*made.why)
        values = items.consumed()
        self._check_levels(definition, values)
        names = self.environment.values
        self.environment.scope = self.environment.scope.with_names(made.names, made.growable)
        names.update({made.inlined.prefix + name: value for name, value in values.items()})
        self.liveness.extend(node, made.body)
        scope = definition.scope.without_own()
        seen = Seen(self.environment, made.inlined.prefix, scope, items.outer)
        is_users = tracer.owns(definition.file)
        self.inner[level] = Mode(definition, items.namespace, seen, is_users, True)
        path = self.interpreter.path
        path.append(self.interpreter.numbered("call", id(definition.node)))
        try:
            self.block(made.body)
        finally:
            path.pop()
            seen.is_over = True
        for name in made.names:
            names.pop(name, None)

    def _check_levels(self, definition: Any, values: dict) -> None:
        """See that generators that go on with themselves end."""
        self.interpreter.step()
        self.interpreter.check_recursion(definition, values)
        if len(self.consumers) >= _MOST_LEVELS:
            self.tracer.fail(
                f"more than {_MOST_LEVELS} generators that go on with one another",
                "end the recursion by a condition on shapes or numbers, or write a loop",
            )

    def _switch(self, mode: Mode) -> Mode:
        """Go on with the statements of another function; whose they were."""
        before, self.mode = self.mode, mode
        self.definition, self.namespace, self.seen, self.is_users, is_generators = mode
        self.interpreter.generating = is_generators
        return before

    def _exec_inlined(self, node: Inlined) -> None:
        before = self._switch(self.inner[node.level])
        self.consumers.append(before)
        try:
            self.block(node.body)
        except StopIteration as error:
            passing, level = self.passing
            if passing is not error or level > node.level:
                self.tracer.fail("StopIteration that a generator raises", "use return")
            raise
        finally:
            self.consumers.pop()
            self._switch(before)
        if node.leaves:
            self._end_of(node)

    def _end_of(self, node: Inlined) -> None:
        """Go on behind a generator that has been left, unless what is around it was, too."""
        values = self.environment.values
        left = values.get(f"{node.prefix}left") if node.passes else True
        flag = values.get(RETURNED, False)
        if flag is False:
            return
        stays = self.negated(truth(self.tracer, left))
        if stays is False:
            del values[RETURNED]
        elif stays is not True:
            if flag is not True:
                stays = self.tracer.op("logical_and", [flag.value, stays])
            values[RETURNED] = bool_of(self.tracer, stays)

    def _exec_yielding(self, node: Yielding) -> None:
        value = self.evaluated(node.value)
        before = self._switch(self.consumers[node.level])
        try:
            self.assign(node.target, value)
            self.block(node.body)
        except StopIteration as error:
            self.passing = error, node.level
            raise
        finally:
            self._switch(before)
        self.environment.values.pop(CONTINUED, None)

    def _exec_leave(self, node: Leave) -> None:
        self.note_jump(RETURNED, node)

    def _exec_skip(self, node: Any) -> None:
        self.environment.values[CONTINUED] = True
