"""Expressions, evaluated by Python's own operators on traced values."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Iterator
from typing import Any

from ..traced.array import TracedArray
from ..traced.iterators import guarded
from ..traced.open_types import open_types_of
from ..traced.scalars import bool_of, either_of, truth
from ..traced.undecided import Conflict, Either, Maybe
from .builtin import GlobalsOf, SetAttribute, SuperOf
from .class_stand_ins import lack_text
from .comprehension_values import ComprehensionValues
from .consumers import contains, listed
from .folding import folded
from .foreign import is_refused
from .formats import called_text, percent_text
from .generators import Generating, as_generator
from .identity import identical
from .memory_methods import class_of
from .sequence_comparisons import compared_by_items
from .settling import is_of_open_type
from .source import inner_definition
from .standins import is_of_program
from .tables import looked_up
from .texts import formatted, text_of
from .trees import walk

_BINARY = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
    ast.MatMult: operator.matmul,
    ast.LShift: operator.lshift,
    ast.RShift: operator.rshift,
    ast.BitAnd: operator.and_,
    ast.BitOr: operator.or_,
    ast.BitXor: operator.xor,
}
_UNARY = {ast.USub: operator.neg, ast.UAdd: operator.pos, ast.Invert: operator.invert}
_COMPARISONS: dict[type, Callable[[Any, Any], Any]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.In: lambda a, b: a in b,
    ast.NotIn: lambda a, b: a not in b,
}
_METHODS = {
    kind: f"_eval_{kind.__name__.lower()}" for kind in vars(ast).values() if isinstance(kind, type)
}
_HARMLESS = (
    ast.Name, ast.Constant, ast.Compare, ast.BoolOp, ast.UnaryOp, ast.BinOp, ast.Attribute,
    ast.expr_context, ast.boolop, ast.unaryop, ast.Eq, ast.NotEq, ast.Lt, ast.LtE, ast.Gt, ast.GtE,
    ast.Is, ast.IsNot,  # `in` uses up an iterator
    ast.Add, ast.Sub, ast.Mult, ast.BitAnd, ast.BitOr, ast.BitXor,
)  # fmt: skip


def is_harmless(node: ast.AST) -> bool:
    """Whether an expression can be evaluated also where Python wouldn't."""
    return all(isinstance(part, _HARMLESS) or _is_length(part) for part in walk(node))


def _is_length(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "len"


class Expressions(ComprehensionValues):
    """The part of a frame that evaluates expressions."""

    def evaluate(self, node: Any) -> Any:
        """The value of an expression, to be read."""
        value = self.evaluated(node)
        if type(value) in (Either, Conflict, Maybe):
            self.at(node)
            name = f"`{node.id}`" if isinstance(node, ast.Name) else "a value"
            return self.settled(value, name)
        return value

    def evaluated(self, node: Any) -> Any:
        """The value of an expression, to be bound or returned: perhaps one of two."""
        method = getattr(self, _METHODS[type(node)], None)
        if method is None:
            self.at(node)
            self.tracer.fail(f"a {type(node).__name__} expression")
        value = method(node)
        return self.interpreter.of_one_type(value, node) if is_of_open_type(value) else value

    def truth(self, node: ast.expr) -> Any:
        """The truth of an expression: a bool, or a zero-dimensional graph value."""
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            return self.negated(self.truth(node.operand))
        value = self.evaluate(node)
        self.at(node)
        return truth(self.tracer, value)

    def negated(self, condition: Any) -> Any:
        """The opposite of a condition."""
        if isinstance(condition, bool):
            return not condition
        tracer = self.tracer
        answer = tracer.op("logical_not", [condition])
        tracer.claim(answer, tracer.claimed(condition, False), tracer.claimed(condition, True))
        return answer

    # Plain values

    def _eval_constant(self, node: ast.Constant) -> Any:
        return node.value

    def _eval_name(self, node: ast.Name) -> Any:
        self.at(node)
        return self.load(node.id)

    def _eval_attribute(self, node: ast.Attribute) -> Any:
        owner = self.evaluate(node.value)
        self.at(node)
        if open_types_of(owner):
            self._settle_attribute(owner, node.attr)
        if node.attr == "__class__":
            return class_of(owner)
        return self.attribute_of(owner, node)

    def attribute_of(self, owner: Any, node: ast.Attribute) -> Any:
        """An attribute that is read, and that data may have decided whether an object has."""
        value = self.attribute(owner, node.attr)
        if type(value) is not Maybe:
            return value
        others = self.interpreter.rebuilder.classes.others(owner, node.attr)
        return self._first_bound(others, owner, node)

    def _first_bound(self, values: list[Any], owner: Any, node: ast.Attribute) -> Any:
        """The first of the values that is there: the last one, if all others may be missing."""
        first, *rest = values
        if type(first) is not Maybe:
            return first
        if not rest:
            text = lack_text(owner, node.attr)
            self.tracer.check(first.bound, "AttributeError", text)
            return first.value
        other = lambda: self._first_bound(rest, owner, node)  # noqa: E731
        return self.choose(first.bound, lambda: first.value, other, len(rest) == 1, node)

    def _settle_attribute(self, number: Any, name: str) -> None:
        """Capture an attribute apart for each type that a number may have: it is another's."""
        text = number.open.text()
        self.tracer.decide(number.value)
        self.tracer.fail(f"`.{name}` of a number that is {text}, as data decide", "convert it")

    def _eval_tuple(self, node: ast.Tuple) -> tuple:
        return tuple(self._items(node.elts))

    def _eval_list(self, node: ast.List) -> list:
        return list(self._items(node.elts))

    def _eval_set(self, node: ast.Set) -> set:
        return set(self._items(node.elts))

    def _eval_dict(self, node: ast.Dict) -> dict:
        answer: dict = {}
        for key, value in zip(node.keys, node.values, strict=True):
            if key is None:
                answer.update(self.evaluate(value))
            else:
                name = self.evaluate(key)
                answer[name] = self.evaluate(value)
        return answer

    def _items(self, nodes: list[ast.expr]) -> Iterator[Any]:
        for node in nodes:
            if isinstance(node, ast.Starred):
                yield from self.items_of(self.evaluate(node.value))
            else:
                yield self.evaluated(node)

    def _eval_joinedstr(self, node: ast.JoinedStr) -> Any:
        return text_of(self.tracer, [self.evaluate(part) for part in node.values])

    def _eval_formattedvalue(self, node: ast.FormattedValue) -> Any:
        value = self.evaluate(node.value)
        spec = "" if node.format_spec is None else str(self.evaluate(node.format_spec))
        conversion = "" if node.conversion < 0 else chr(node.conversion)
        self.at(node)
        self.refuse_functions([value])
        return formatted(self.tracer, value, conversion, spec, self.interpreter.is_raising)

    def items_of(self, value: Any) -> Any:
        """What an iterable's items can be taken of at once."""
        value = as_generator(value)
        return listed(self.tracer, value) if type(value) is Generating else value

    # Operators

    def _eval_binop(self, node: ast.BinOp) -> Any:
        left, right = self.evaluate(node.left), self.evaluate(node.right)
        self.at(node)
        if type(left) is str and isinstance(node.op, ast.Mod):
            text = percent_text(self.tracer, left, right, self.interpreter.is_raising)
            if text is not NotImplemented:
                return text
        return self.carried_out(_BINARY[type(node.op)], left, right)

    def _eval_unaryop(self, node: ast.UnaryOp) -> Any:
        if isinstance(node.op, ast.Not):
            return bool_of(self.tracer, self.truth(node))
        operand = self.evaluate(node.operand)
        self.at(node)
        return self.carried_out(_UNARY[type(node.op)], operand)

    def _eval_compare(self, node: ast.Compare) -> Any:
        left = self.evaluate(node.left)
        return self._chain(node, left, list(zip(node.ops, node.comparators, strict=True)))

    def _chain(self, node: ast.Compare, left: Any, rest: list) -> Any:
        (op, right_node), *others = rest
        right = self.evaluate(right_node)
        self.at(node)
        first = self._compared(op, left, right)
        if not others:
            return first
        condition = truth(self.tracer, first)
        harmless = all(is_harmless(part) for _, part in others)
        return self._shortcut(
            condition, first, True, harmless, lambda: self._chain(node, right, others), node
        )

    def _compared(self, op: ast.cmpop, left: Any, right: Any) -> Any:
        if isinstance(op, (ast.Is, ast.IsNot)):
            found = truth(self.tracer, identical(self.tracer, left, right))
            return bool_of(self.tracer, found if isinstance(op, ast.Is) else self.negated(found))
        inside = isinstance(op, (ast.In, ast.NotIn))
        if (
            inside and type(right) is TracedArray and not right.is_scalar
        ):  # `in` itself would insist on a bool
            found = truth(self.tracer, right.__contains__(left))
            return bool_of(self.tracer, found if isinstance(op, ast.In) else self.negated(found))
        if inside and type(right) is Generating:
            found = truth(self.tracer, folded(self.tracer, contains, right, left))
            return bool_of(self.tracer, found if isinstance(op, ast.In) else self.negated(found))
        if inside and type(right) in (tuple, list) and is_of_program(left):
            conditions = [truth(self.tracer, left == item) for item in right]
            found = either_of(self.tracer, conditions)
            return bool_of(self.tracer, found if isinstance(op, ast.In) else self.negated(found))
        if not inside:
            found = compared_by_items(self.tracer, _COMPARISONS[type(op)], left, right)
            if found is not None:
                return bool_of(self.tracer, found)
        return self.carried_out(_COMPARISONS[type(op)], left, right)

    def _eval_boolop(self, node: ast.BoolOp) -> Any:
        return self._connected(node, node.values)

    def _connected(self, node: ast.BoolOp, values: list[ast.expr]) -> Any:
        first = self.evaluate(values[0])
        if len(values) == 1:
            return first
        self.at(node)
        condition = truth(self.tracer, first)
        rest = values[1:]
        harmless = all(map(is_harmless, rest))
        goes_on = isinstance(node.op, ast.And)
        return self._shortcut(
            condition, first, goes_on, harmless, lambda: self._connected(node, rest), node
        )

    def _shortcut(
        self, condition: Any, first: Any, goes_on: bool, harmless: bool, rest: Any, node: ast.AST
    ) -> Any:
        """`rest` where the condition is `goes_on`, else `first`."""
        if isinstance(condition, bool):
            return rest() if condition is goes_on else first
        if goes_on:
            return self.choose(condition, rest, lambda: first, harmless, node)
        return self.choose(condition, lambda: first, rest, harmless, node)

    def _eval_ifexp(self, node: ast.IfExp) -> Any:
        condition = self.truth(node.test)
        if isinstance(condition, bool):
            return self.evaluated(node.body if condition else node.orelse)
        harmless = is_harmless(node.body) and is_harmless(node.orelse)
        return self.choose(
            condition,
            lambda: self.evaluated(node.body),
            lambda: self.evaluated(node.orelse),
            harmless,
            node,
        )

    def _eval_namedexpr(self, node: ast.NamedExpr) -> Any:
        value = self.evaluate(node.value)
        self.store(node.target.id, value)
        return value

    # Calls

    def _eval_call(self, node: ast.Call) -> Any:
        function = self.evaluate(node.func)
        if is_refused(function):
            self.at(node)
            function()
        args = list(self._items(node.args))
        kwargs: dict[str, Any] = {}
        for keyword in node.keywords:
            value = self.evaluate(keyword.value)
            if keyword.arg is None:
                kwargs.update(value)
            elif keyword.arg in kwargs:
                raise TypeError(f"got multiple values for keyword argument '{keyword.arg}'")
            else:
                kwargs[keyword.arg] = value
        self.at(node)
        if type(function) is SuperOf and not args:
            args = self._of_super()
        if type(function) is GlobalsOf and not args:
            args = [self.namespace]
        if type(function) is SetAttribute and len(args) == 3 and type(args[1]) is str:
            return self.set_attribute(*args)
        text = called_text(self.tracer, function, args, kwargs, self.interpreter.is_raising)
        if text is not NotImplemented:
            return text
        self.settle_parts([*args, *kwargs.values()], function)
        name = node.func.attr if isinstance(node.func, ast.Attribute) else ""
        answer = self.called(function, name, args, kwargs)
        return guarded(answer, [*args, *kwargs.values()], function)

    def _of_super(self) -> list[Any]:
        """What a call of `super` without arguments is given: the class and the first argument."""
        args = self.definition.node.args
        first = next(iter((*args.posonlyargs, *args.args)), None)
        if first is None:
            raise RuntimeError("super(): no arguments")
        prefix = "" if self.seen is None else self.seen.prefix
        return [self.load("__class__"), self.load(prefix + first.arg)]

    def _eval_lambda(self, node: ast.Lambda) -> Any:
        return self.closure(node)

    def closure(self, node: Any) -> Any:
        """The function that a definition inside of this one makes."""
        definition = inner_definition(node, self.definition.file, self.definition.name)
        args = node.args
        defaults = tuple(self.evaluate(item) for item in args.defaults) or None
        named = {
            arg.arg: self.evaluate(item)
            for arg, item in zip(args.kwonlyargs, args.kw_defaults, strict=True)
            if item is not None
        }
        return self.interpreter.function(
            definition, self.namespace, self.around, defaults, named or None
        )

    # Subscripts

    def _eval_subscript(self, node: ast.Subscript) -> Any:
        owner, key = self.evaluate(node.value), self.evaluate(node.slice)
        self.at(node)
        found = looked_up(self.tracer, owner, key)
        return self.carried_out(operator.getitem, owner, key) if found is None else found

    def _eval_slice(self, node: ast.Slice) -> slice:
        parts = (node.lower, node.upper, node.step)
        return slice(*(None if part is None else self.evaluate(part) for part in parts))


def leading_test(node: Any) -> ast.expr | None:
    """The test of an ``if …: break`` that a loop's turns begin with and that can't go wrong.

    It becomes a part of the loop's condition; a loop with `else` has to know how it ended.
    """
    first = node.body[0]
    if node.orelse or not isinstance(first, ast.If) or first.orelse:
        return None
    only_breaks = len(first.body) == 1 and isinstance(first.body[0], ast.Break)
    return first.test if only_breaks and is_harmless(first.test) else None
