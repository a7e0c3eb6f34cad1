"""Statements: assignments and imports; exceptions, loops, branches have files of their own."""

from __future__ import annotations

import ast
import operator
from types import FunctionType
from typing import Any

from ..traced.array import TracedArray
from ..traced.open_types import open_types_of
from ..traced.tags import tag_of
from ..traced.undecided import Conflict, Either, Maybe
from .builtin import refuse_import
from .class_stand_ins import is_stand_in
from .contents import keeps_attribute
from .exceptions import Exceptions
from .foreign import named
from .growing import ask_to_grow, site_of
from .judging import check_attribute
from .jumps import BROKE, CONTINUED, FLAGS, RESULT, RETURNED
from .operations import check_count, unpacked
from .scopes import assigned
from .state import Fork, State
from .tables import is_of_data

_IN_PLACE = {
    ast.Add: operator.iadd,
    ast.Sub: operator.isub,
    ast.Mult: operator.imul,
    ast.Div: operator.itruediv,
    ast.FloorDiv: operator.ifloordiv,
    ast.Mod: operator.imod,
    ast.Pow: operator.ipow,
    ast.MatMult: operator.imatmul,
    ast.LShift: operator.ilshift,
    ast.RShift: operator.irshift,
    ast.BitAnd: operator.iand,
    ast.BitOr: operator.ior,
    ast.BitXor: operator.ixor,
}


class UnderWay:
    """A statement that is carried out.

    Attributes
    ----------
    depth : int
        How many regions of the program it is in.
    key : tuple
        The path of its block, and the identity of its node.
    met : dict
        How often calls and choices have been met in it, by path.
    is_forked : bool
        Whether it is carried out once for each side of a branch, as a statement within this one.
    """

    __slots__ = ("depth", "key", "met", "is_forked")

    def __init__(self, depth: int, key: tuple) -> None:
        self.depth, self.key = depth, key
        self.is_forked = False
        self.met: dict[tuple, int] = {}


class Statements(Exceptions):
    """The part of a frame that carries out statements."""

    def block(self, body: list[ast.stmt]) -> None:
        """Carry out statements until one of them jumps."""
        blocks = self.interpreter.blocks
        blocks.append((tuple(self.interpreter.path), body))
        try:
            rest = body
            while rest:
                rest = self._statement(rest[0], rest[1:])
                jumped = self.jumped()
                if jumped is True:
                    return
                if jumped is not False:
                    self.unless(jumped, rest)
                    return
        finally:
            blocks.pop()

    def _statement(self, node: ast.stmt, rest: list[ast.stmt]) -> list[ast.stmt]:
        """Carry out a statement, and those of its block that have to be with it; what is left."""
        interpreter = self.interpreter
        key = (tuple(interpreter.path), id(node))
        interpreter.statements.append(UnderWay(self.tracer.depth, key))
        self.tracer.choices.effort.check(self.tracer)
        head = State(self.tracer) if interpreter.forks_at(key) else None
        try:
            try:
                self._settle_behind_loop(node)
                if isinstance(node, ast.If):
                    return [] if self.branch(node, rest) else rest
                self.execute(node)
                if rest and isinstance(node, (ast.For, ast.While)):
                    self.note_behind(node, rest)
                return rest
            except Fork as fork:
                if fork.key != key or head is None:
                    raise
                point = fork.with_traceback(None)  # it would keep the names of calls alive
            head.restore()
            head.retire()
            interpreter.statements[-1].is_forked = True
            body = interpreter.forked(key, [node, *rest])
            self.fork(point, body)
            return rest[len(body) - 1 :]
        finally:
            interpreter.statements.pop()

    def note_behind(self, loop: ast.stmt, rest: list[ast.stmt]) -> None:
        """Note which statements follow a loop."""
        self.interpreter.behind[id(rest[0])] = loop

    def _settle_behind_loop(self, node: ast.stmt) -> None:
        """Where a name is one of two values behind a loop, go on with the one that is captured.

        The sides of a fork that begins at this statement have one value each; the loop isn't a part
        of it.
        """
        loop = self.interpreter.behind.get(id(node))
        values = self.environment.values
        if loop is None or not any(type(value) is Either for value in values.values()):
            return
        steps: dict[int, tuple] = {}
        for name in sorted(assigned([loop]) & values.keys()):
            while type(values.get(name)) is Either:
                either = values[name]
                step = steps.setdefault(id(either.condition), ("behind", id(node), len(steps)))
                side, places = self.interpreter.choice(step, either.condition)
                if side is None:
                    either.places = [*places, *(x for x in either.places if x not in places)]
                    break
                values[name] = either.first if side else either.second

    def execute(self, node: ast.stmt) -> None:
        """Carry out a statement."""
        method = getattr(self, f"_exec_{type(node).__name__.lower()}", None)
        self.at(node)
        if method is None:
            self.tracer.fail(*_REFUSED.get(type(node), (f"a {type(node).__name__} statement",)))
        method(node)

    # Jumps

    def live_behind_jump(self) -> frozenset[str] | None:
        """The names that may be read after the jump that is under way; None where none is."""
        values = self.environment.values
        if values.get(RETURNED) is True:  # by any one, and not all leave the function
            jumps = tuple(self.jumps[RETURNED])
        elif values.get(BROKE) is True:
            jumps = self.last_breaks
        else:
            return None
        return frozenset().union(*(self.liveness.jumped[node] for node in jumps))

    def note_jump(self, flag: str, node: ast.stmt | None = None) -> None:
        """Note that a jump is under way: one, or any of those that have been carried out."""
        self.environment.values[flag] = True
        if node is not None:
            self.jumps[flag][node] = None
        if flag == BROKE:
            self.last_breaks = tuple(self.jumps[BROKE]) if node is None else (node,)

    def jumped(self) -> Any:
        """Whether a jump is under way: a bool, or a zero-dimensional graph value."""
        conditions = [self.environment.values.get(name, False) for name in FLAGS]
        if any(item is True for item in conditions):
            return True
        values = [item.value for item in conditions if item is not False]
        if not values:
            return False
        answer = values[0]
        for value in values[1:]:
            answer = self.tracer.op("logical_or", [answer, value])
        return answer

    def returned(self) -> Any:
        """What the function has returned."""
        values = self.environment.values
        flag = values.get(RETURNED, False)
        result = values.get(RESULT)
        result = result.value if type(result) is Maybe else result  # bound where the flag holds
        if flag is False or flag is True:
            return result if flag else None
        if result is None:
            return None
        name = self.definition.name
        reason = f"is nothing where {name}() returns nothing, which data decide"
        return Either(flag.value, result, None, reason)

    def _exec_return(self, node: ast.Return) -> None:
        values = self.environment.values
        values[RESULT] = None if node.value is None else self.evaluated(node.value)
        if self.interpreter.depth == 1:
            self._decide_types(values[RESULT])
        self.note_jump(RETURNED, node)

    def _decide_types(self, result: Any) -> None:
        """Capture both ways where the type of a number that the program returns isn't known."""
        pending = [result]
        for part in pending:
            if type(part) in (tuple, list):
                pending += part
            elif type(part) is Conflict:
                self.interpreter.apart_at(part.places)
            elif open_types_of(part) and tag_of(self.tracer, part, part.open.kinds) is None:
                self.tracer.decide(part.value)

    def _exec_break(self, node: ast.Break) -> None:
        self.note_jump(BROKE, node)

    def _exec_continue(self, node: ast.Continue) -> None:
        self.environment.values[CONTINUED] = True

    # Assignments

    def _exec_expr(self, node: ast.Expr) -> None:
        self.evaluate(node.value)

    def _exec_pass(self, node: ast.Pass) -> None:
        pass

    def _exec_global(self, node: ast.Global) -> None:
        pass

    _exec_nonlocal = _exec_global

    def _exec_assign(self, node: ast.Assign) -> None:
        value = self.evaluated(node.value)
        for target in node.targets:
            self.assign(target, value)

    def _exec_annassign(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self.assign(node.target, self.evaluate(node.value))

    def assign(self, target: Any, value: Any) -> None:
        """Bind a target: a name, an attribute, elements, or several of these."""
        if isinstance(target, ast.Name):
            self.store(target.id, value)
        elif isinstance(target, ast.Subscript):
            value = self.settled(value)
            owner, key = self.evaluate(target.value), self.evaluate(target.slice)
            self.at(target)
            self.tracer.note_change(owner, is_open=type(owner) is dict)
            self._ask_for_places(owner, key)
            self.carried_out(operator.setitem, owner, key, value)
        elif isinstance(target, ast.Attribute):
            owner = self.evaluate(target.value)
            self.at(target)
            self.set_attribute(owner, target.attr, value)
        else:
            self._unpack(target.elts, value)

    def _ask_for_places(self, owner: Any, key: Any) -> None:
        """Begin anew with a list as memory of the program's, if an item is set that data choose."""
        if type(owner) is list and is_of_data(key):
            environments = [(env, env.values) for env in self.tracer.environments.values()]
            ask_to_grow([site_of(environments, owner)])

    def _unpack(self, targets: list[ast.expr], value: Any) -> None:
        items = self.carried_out(unpacked, self.items_of(value))
        stars = [k for k, part in enumerate(targets) if isinstance(part, ast.Starred)]
        if not stars:
            check_count(len(targets), len(items), "")
            for target, item in zip(targets, items, strict=True):
                self.assign(target, item)
            return
        (at,) = stars
        after = len(targets) - at - 1
        if len(items) < at + after:
            check_count(at + after, len(items), "at least ")
        for target, item in zip(targets[:at], items, strict=False):
            self.assign(target, item)
        end = len(items) - after
        self.assign(targets[at].value, items[at:end])  # type: ignore[attr-defined]
        for target, item in zip(targets[at + 1 :], items[end:], strict=True):
            self.assign(target, item)

    def _exec_augassign(self, node: ast.AugAssign) -> None:
        target, apply = node.target, _IN_PLACE[type(node.op)]
        if isinstance(target, ast.Name):
            old = self.evaluate(target)
            new = self.evaluate(node.value)
            self.at(node)
            self.tracer.note_change(old, is_open=type(node.op) in (ast.Add, ast.BitOr))
            self.store(target.id, self.carried_out(apply, old, new))
        elif isinstance(target, ast.Subscript):
            owner, key = self.evaluate(target.value), self.evaluate(target.slice)
            self.at(node)
            self.tracer.note_change(owner, is_open=type(owner) is dict)
            self._ask_for_places(owner, key)
            old = self.carried_out(operator.getitem, owner, key)
            new = self.evaluate(node.value)
            self.at(node)
            self.carried_out(operator.setitem, owner, key, self.carried_out(apply, old, new))
        else:
            owner = self.evaluate(target.value)
            old = self.attribute_of(owner, target)
            new = self.evaluate(node.value)
            self.at(node)
            self.tracer.note_change(old, is_open=type(node.op) in (ast.Add, ast.BitOr))
            self.set_attribute(owner, target.attr, self.carried_out(apply, old, new))

    def set_attribute(self, owner: Any, name: str, value: Any) -> None:
        """Assign to an attribute that can be put back, or that looks after itself."""
        check_attribute(setattr, owner, name)
        is_outside = (
            isinstance(owner, FunctionType) and owner in self.interpreter.rebuilder.originals
        )
        if is_outside or not keeps_attribute(owner, name):
            kind = type(owner)
            is_ours = is_outside or kind.__module__.partition(".")[0] in ("numpy", "quernel")
            hint = "change it outside of the function" if is_ours else "use a variable, or a dict"
            self.tracer.fail(f"changing `.{name}` of {named(owner)}", hint)
        self.interpreter.rebuilder.classes.note_assignment(owner, name)
        self.carried_out(setattr, owner, name, value)
        if type(value) is TracedArray:
            self.tracer.name(value, name)

    def _exec_delete(self, node: ast.Delete) -> None:
        for target in node.targets:
            if isinstance(target, ast.Name):
                self.delete(target.id)
            elif isinstance(target, ast.Subscript):
                owner, key = self.evaluate(target.value), self.evaluate(target.slice)
                self.tracer.note_change(owner)
                self.carried_out(operator.delitem, owner, key)
            else:
                owner = self.evaluate(target.value)
                self.at(target)
                check_attribute(delattr, owner, target.attr)
                if not is_stand_in(owner):
                    self.tracer.fail("deleting an attribute", "leave it as it is")
                self.interpreter.rebuilder.classes.note_assignment(owner, target.attr)
                self.attribute(owner, target.attr)
                self.carried_out(delattr, owner, target.attr)

    # Functions and modules

    def _exec_functiondef(self, node: ast.FunctionDef) -> None:
        function = self.closure(node)
        for decorator in reversed(node.decorator_list):
            function = self.interpreter.stand_in(self.evaluate(decorator))(function)
        self.store(node.name, function)

    def _exec_import(self, node: ast.Import) -> None:
        for alias in node.names:
            module = self._imported(node, alias.name)
            name = alias.name.split(".")[0]
            if alias.asname:
                for part in alias.name.split(".")[1:]:
                    module = getattr(module, part)
                name = alias.asname
            self.store(name, module)

    def _exec_importfrom(self, node: ast.ImportFrom) -> None:
        names = tuple(alias.name for alias in node.names)
        module = self._imported(node, node.module or "", names, node.level)
        for alias in node.names:
            if not hasattr(module, alias.name):
                refuse_import(self.tracer, alias.name)
            self.store(alias.asname or alias.name, getattr(module, alias.name))

    def _imported(self, node: ast.stmt, name: str, names: tuple = (), level: int = 0) -> Any:
        self.at(node)
        load = self.interpreter.rebuilder.builtins["__import__"]
        return load(name, self.namespace, None, names, level)


_REFUSED: dict[type, tuple[str, str]] = {
    ast.ClassDef: ("a class made inside of the function", "define it outside"),
    ast.AsyncFunctionDef: ("an asynchronous function", "use a plain function"),
}
