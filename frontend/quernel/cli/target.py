"""The function and the arguments that a command names."""

from __future__ import annotations

import importlib.util
import os
import sys
import traceback
from typing import Any

from .. import api
from ..errors import QuernelError, SignatureError


class UsageError(Exception):
    """The command line is wrong."""


class ProgramError(Exception):
    """The user's program can't be loaded, compiled or run."""


def add_function(parser: Any) -> None:
    """Add the argument FILE.py:FUNC."""
    parser.add_argument("function", metavar="FILE.py:FUNC", help="a function in a Python file")


def add_arguments(parser: Any) -> None:
    """Add the option --arg."""
    parser.add_argument(
        "--arg",
        action="append",
        default=[],
        metavar="TYPE",
        help="an argument, such as 'float64[2000000,2]', 'int64', 'float' or '3.5'; once for each",
    )


def load(text: str, **options: Any) -> Any:
    """The compiled function that FILE.py:FUNC names.

    Raises
    ------
    UsageError
        Where there is no such file or function.
    ProgramError
        Where the file can't be run.
    """
    path, colon, name = text.rpartition(":")
    if not colon or not path or not name:
        raise UsageError(f"{text!r} isn't of the form FILE.py:FUNC")
    function = getattr(load_file(path), name, None)
    if function is None:
        raise UsageError(f"{path} has no function {name!r}")
    return _compiled(getattr(function, "__wrapped__", function), name, options)


def _compiled(function: Any, name: str, options: dict[str, Any]) -> Any:
    try:
        return api.compile(function, **options)
    except TypeError:
        raise UsageError(f"{name!r} is a {type(function).__name__}, not a function") from None


def load_file(path: str) -> Any:
    """Run a Python file as a module."""
    if not os.path.isfile(path):
        raise UsageError(f"there is no file {path}")
    name = os.path.splitext(os.path.basename(path))[0]
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise UsageError(f"{path} isn't a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules.setdefault(name, module)
    sys.path.insert(0, os.path.dirname(os.path.abspath(path)))
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        raise ProgramError(f"{path} can't be run:\n{_trace(error)}") from error
    finally:
        del sys.path[0]
    return module


def _trace(error: Exception) -> str:
    return "".join(traceback.format_exception(error)).rstrip()


def example(texts: list[str]) -> tuple:
    """Arguments for capture from --arg texts; their arrays take no memory."""
    from ..signatures import Example

    arguments: list[Any] = []
    for text in texts:
        value = literal(text)
        if value is None:
            try:
                value = Example(text).args[0]
            except SignatureError as error:
                raise UsageError(f"--arg {error}") from None
        arguments.append(value)
    return tuple(arguments)


def literal(text: str) -> Any:
    """The Python value that a text spells out, or None."""
    import ast

    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return None


def guarded(action: Any, *args: Any, **kwargs: Any) -> Any:
    """Carry out what may fail because of the user's program.

    Raises
    ------
    ProgramError
    """
    try:
        return action(*args, **kwargs)
    except QuernelError as error:
        raise ProgramError(str(error)) from error
    except Exception as error:
        raise ProgramError(f"{type(error).__name__}: {error}") from error
