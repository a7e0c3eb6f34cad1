"""Comprehensions and generator expressions, evaluated item by item, or as generators."""

from __future__ import annotations

import ast
import types
from collections.abc import Iterator
from typing import Any

from ..errors import UnsupportedError
from ..traced.iterables import Computed, turns_of
from ..traced.iterators import Iterating
from .comprehensions import ask_for_loop, chosen_loops, site_of
from .consumers import listed
from .environment import Environment, forgotten
from .generators import SOURCE, Generating, Mode, as_generator, can_generate, generator_of
from .scopes import scope_of
from .short_loops import BUDGET

_END = object()


class ComprehensionValues:
    """The part of a frame that evaluates comprehensions."""

    def _eval_listcomp(self, node: ast.ListComp) -> list:
        site = site_of(node, self.definition.file)
        may_loop = site in self.definition.loopable
        source = as_generator(self.evaluate(node.generators[0].iter))
        if type(source) is Generating:
            if may_loop:
                ask_for_loop(site)
            return listed(self.tracer, self._generating(node, node.elt, source))
        turns = turns_of(self.tracer, source) if may_loop else None
        count = 1 if turns is None or type(turns.count) is not int else turns.count
        before, made = self.tracer.operations, []
        try:
            for item in self._comprehended(node, node.elt, source):
                made.append(item)
                if len(made) == 1 and (self.tracer.operations - before) * count > BUDGET:
                    ask_for_loop(site)
        except UnsupportedError:
            if may_loop:
                ask_for_loop(site)
            raise
        return made

    def _eval_generatorexp(self, node: ast.GeneratorExp) -> Any:
        source = as_generator(self.evaluate(node.generators[0].iter))
        site = site_of(node, self.definition.file)
        if type(source) is Generating or chosen_loops(frozenset([site])):
            return self._generating(node, node.elt, source)
        turns = turns_of(self.tracer, source) if _is_of_each(node) else None
        mode = self.mode
        if turns is None:
            return Iterating(self._lazily(node, iter(source), mode), [source], lazy=True)

        def lazily() -> Iterator[Any]:
            return self._lazily(node, self.interpreter.stand_in(iter)(source), mode)

        def value(item: Any) -> Any:
            before = self._switch(mode)
            try:
                (made,) = self._comprehended(node, node.elt, [item])
            finally:
                self._switch(before)
            return made

        return Computed(lazily, [source], turns, value, types.GeneratorType)

    def _eval_setcomp(self, node: ast.SetComp) -> set:
        source = as_generator(self.evaluate(node.generators[0].iter))
        if type(source) is Generating:
            return set(listed(self.tracer, self._generating(node, node.elt, source)))
        return set(self._comprehended(node, node.elt, source))

    def _eval_dictcomp(self, node: ast.DictComp) -> dict:
        pair = ast.Tuple([node.key, node.value], ast.Load())
        source = as_generator(self.evaluate(node.generators[0].iter))
        if type(source) is Generating:
            pair = ast.copy_location(pair, node)
            return dict(listed(self.tracer, self._generating(node, pair, source)))
        return dict(self._comprehended(node, ast.copy_location(pair, node), source))

    def _generating(self, node: Any, element: ast.expr, source: Any) -> Generating:
        """The items of a comprehension over a generator, as a generator."""
        definition = generator_of(node, element, self.definition.file)
        return Generating(definition, self.namespace, self.around, {SOURCE: source})

    def _comprehended(self, node: Any, element: ast.expr, source: Any) -> Iterator[Any]:
        """The items of a comprehension, evaluated in a scope of its own."""
        outer = self.environment
        inner = Environment(scope_of(node), self.around)
        self.environment = inner
        try:
            with forgotten(self.tracer, inner, bool(inner.scope.captured)):
                yield from self._generated(node.generators, element, source)
        finally:
            self.environment = outer

    def _inner_environment(self, node: Any) -> Environment:
        inner = Environment(scope_of(node), self.around)
        self.tracer.environments[self.tracer.tick()] = inner
        return inner

    def _lazily(self, node: ast.GeneratorExp, first: Iterator[Any], mode: Mode) -> Iterator[Any]:
        """The items of a generator expression, each evaluated when it is asked for.

        Those of which data decide whether they are there are taken by loops, as a generator's are.
        """
        before = self._switch(mode)
        inner, site = self._inner_environment(node), site_of(node, self.definition.file)
        self._switch(before)
        items = self._generated(node.generators, node.elt, first)
        while True:
            outer, self.environment = self.environment, inner
            before = self._switch(mode)
            try:
                item = next(items, _END)
            except UnsupportedError:
                if can_generate(node):
                    ask_for_loop(site)
                raise
            finally:
                self.environment = outer
                self._switch(before)
            if item is _END:
                return
            yield item

    def _generated(self, generators: list, element: ast.expr, items: Any) -> Iterator[Any]:
        part, *others = generators
        self.at(element)
        for item in items:
            self.interpreter.step()
            self.assign(part.target, item)
            if not all(self._passes(test) for test in part.ifs):
                continue
            if others:
                yield from self._generated(others, element, self.evaluate(others[0].iter))
            else:
                yield self.evaluate(element)

    def _passes(self, test: ast.expr) -> bool:
        condition = self.truth(test)
        if isinstance(condition, bool):
            return condition
        self.tracer.know_behind([condition])
        self.tracer.fail("a comprehension that selects by data", "use np.where")


def _is_of_each(node: ast.GeneratorExp) -> bool:
    """Whether a generator expression gives one item for each of what it runs over."""
    return len(node.generators) == 1 and not node.generators[0].ifs
