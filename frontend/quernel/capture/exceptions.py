"""Statements that raise and catch exceptions, and contexts."""

from __future__ import annotations

import ast
import contextlib
import sys
from collections.abc import Callable, Iterator
from typing import Any

from ..errors import UnsupportedError
from ..signals import let_out
from .handlers import Watcher
from .jumps import HIDDEN


class Exceptions:
    """The part of a frame that raises and catches exceptions."""

    def _exec_raise(self, node: ast.Raise) -> None:
        if node.exc is None:
            raise self._raised_again()
        error = self._exception(node.exc)
        cause = None if node.cause is None else self.evaluate(node.cause)
        self.at(node)
        self._refuse_exits(error)
        self.interpreter.raising(error)
        if node.cause is not None:
            raise error from cause
        raise error

    def _raised_again(self) -> BaseException:
        """What a `raise` without an exception raises: only the caller knows it outside of handlers.

        Then the plain function raises it.
        """
        error = sys.exc_info()[1] if self.interpreter.handling else None
        if error is None:
            error = self.interpreter.raising(RuntimeError("No active exception to reraise"))
            self.interpreter.chained.append(error)
        return error

    def _refuse_exits(self, error: Any) -> None:
        """Leave it to Python to raise what ends a process: it would end the capture's, too."""
        kind = error if isinstance(error, type) else type(error)
        if issubclass(kind, BaseException) and not issubclass(kind, Exception):
            self.tracer.fail(f"raising {kind.__name__}", "raise it outside", is_rare=True)

    def _exception(self, node: ast.expr) -> Any:
        """The value of an expression that is raised, or is the text of what is raised."""
        with self.interpreter.raises_next():
            return self.evaluate(node)

    def _exec_assert(self, node: ast.Assert) -> None:
        condition = self.truth(node.test)
        if condition is True:
            return

        def fail() -> None:
            message = () if node.msg is None else (self._exception(node.msg),)
            self.at(node)
            raise self.interpreter.raising(AssertionError(*message))

        if condition is False:
            fail()
        key, raises = ("assert", id(node)), (False, True)
        self.either(key, condition, lambda: None, fail, None, raises)

    def _exec_try(self, node: ast.Try) -> None:
        try:
            with self._watching(None) if node.finalbody else contextlib.nullcontext():
                self._attempt(node)
        except UnsupportedError:
            raise
        except Exception as error:
            if not self.interpreter.may_raise(error):
                raise  # a fault of the capture, which no jump may hide
            with self.interpreter.handles():
                self._finally(node, error)
        else:
            self._finally(node, None)

    @contextlib.contextmanager
    def _watching(self, catches: Callable[[Exception], bool] | None) -> Iterator[None]:
        """What the statement under way sees exceptions of; see `Watcher`."""
        interpreter = self.interpreter
        watcher = Watcher(interpreter.statements[-1], catches, interpreter.tracer.loops)
        interpreter.watchers.append(watcher)
        try:
            yield
        finally:
            interpreter.watchers.pop()

    def _attempt(self, node: ast.Try) -> None:
        def handler_of(error: Exception) -> ast.ExceptHandler | None:
            return next((h for h in node.handlers if self._catches(h, error)), None)

        try:
            with self._watching(lambda error: handler_of(error) is not None):
                self.block(node.body)
        except UnsupportedError:
            raise
        except Exception as error:
            if not self.interpreter.may_raise(error):
                raise  # a fault of the capture, which no handler may hide
            handler = handler_of(error)
            if handler is None:
                raise
            with self.interpreter.handles():
                self._handle(handler, error)
        else:
            self._unless_jumped(node.orelse)

    def _unless_jumped(self, body: list[ast.stmt]) -> None:
        """Carry statements out where none before them has jumped."""
        jumped = self.jumped()
        if jumped is False:
            self.block(body)
        elif jumped is not True:
            self.unless(jumped, body)

    def _catches(self, handler: ast.ExceptHandler, error: Exception) -> bool:
        return handler.type is None or isinstance(error, self.evaluate(handler.type))

    def _handle(self, handler: ast.ExceptHandler, error: Exception) -> None:
        if handler.name:
            self.store(handler.name, error)
        self.block(handler.body)
        if handler.name:
            self.environment.values.pop(handler.name, None)

    def _finally(self, node: ast.Try, error: Exception | None) -> None:
        """Carry out the last part of a `try`; what is under way goes on where that doesn't jump.

        Parameters
        ----------
        error : Exception, optional
            What is raised meanwhile; else it may be a jump.
        """
        values = self.environment.values
        kept = {name: values.pop(name) for name in HIDDEN if name in values}
        self.block(node.finalbody)
        jumped = self.jumped()

        def go_on() -> None:
            for name in HIDDEN:
                values.pop(name, None)
            values.update(kept)
            if error is not None:
                with self.interpreter.handles():
                    raise self.interpreter.raising(error)

        if jumped is False:
            go_on()
        elif jumped is not True:
            live = self.liveness.passed.get(node)
            self.either(("finally", id(node)), jumped, lambda: None, go_on, live)

    def _exec_with(self, node: ast.With) -> None:
        self._with(node.items, node.body)

    def _with(self, items: list[ast.withitem], body: list[ast.stmt]) -> None:
        if not items:
            self.block(body)
            return
        manager = self.evaluate(items[0].context_expr)
        self.at(items[0].context_expr)
        entered = type(manager).__enter__(manager)
        try:
            with self._watching(getattr(manager, "catches", None)):
                if items[0].optional_vars is not None:
                    self.assign(items[0].optional_vars, entered)
                self._with(items[1:], body)
        except UnsupportedError:
            _abandon(manager)
            raise
        except Exception as error:
            let_out(error)
            with self.interpreter.handles():
                if not type(manager).__exit__(manager, *sys.exc_info()):
                    raise
        except BaseException:  # the capture begins anew, here or from the statement on
            _abandon(manager)
            raise
        else:
            type(manager).__exit__(manager, None, None, None)


def _abandon(manager: Any) -> None:
    if hasattr(manager, "abandon"):
        manager.abandon()
