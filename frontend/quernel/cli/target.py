"""The function and the arguments that a command names, and the file that it writes."""

from __future__ import annotations

import ast
import contextlib
import importlib
import importlib.util
import inspect
import os
import sys
import traceback
import types
from collections.abc import Iterator
from typing import Any

from .. import _runtime, api
from ..errors import QuernelError, SignatureError

_UNREADABLE = (ValueError, SyntaxError, TypeError, MemoryError, RecursionError)


class UsageError(Exception):
    """The command line is wrong."""


class ProgramError(Exception):
    """The user's program can't be loaded, compiled or run."""


def add_function(parser: Any) -> None:
    """Add the argument FILE.py:FUNC."""
    parser.add_argument(
        "function", metavar="FILE.py:FUNC", help="a function in a Python file; also Class.method"
    )


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
    """The compiled function that FILE.py:FUNC or FILE.py:Class.method names.

    Raises
    ------
    UsageError
        Where there is no such file or function.
    ProgramError
        Where the file can't be run.
    """
    found = find(text)
    function = found.__wrapped__ if isinstance(found, _runtime.Function) else found
    return api.compile(function, **options)


def find(text: str) -> Any:
    """The function, compiled or not, that FILE.py:FUNC or package.module:FUNC names.

    Raises
    ------
    UsageError
        Where there is no such file, module or function.
    ProgramError
        Where the file can't be run.
    """
    path, colon, name = text.rpartition(":")
    if not colon or not path or not name:
        raise UsageError(f"{text!r} isn't of the form FILE.py:FUNC")
    found = _found(load_module(path), path, name)
    function = found.__wrapped__ if isinstance(found, _runtime.Function) else found
    if isinstance(function, types.MethodType):
        raise UsageError(f"{name!r} is a class method; name a function that is given no class")
    if not isinstance(function, types.FunctionType):
        raise UsageError(f"{name!r} is a {type(function).__name__}, not a function")
    return found


def find_all(path: str) -> list[tuple[str, Any]]:
    """The compiled functions of a file or module, by name."""
    members = vars(load_module(path)).items()
    return [(name, item) for name, item in members if isinstance(item, _runtime.Function)]


def load_module(path: str) -> Any:
    """The module that FILE.py or package.module names.

    Raises
    ------
    UsageError
    ProgramError
    """
    is_name = all(part.isidentifier() for part in path.split("."))
    if not is_name or os.path.exists(path) or (path.endswith(".py") and path.count(".") == 1):
        return load_file(path)
    with _running(path, os.getcwd(), "can't be imported"):
        module = _imported(path)
    if module is None:
        raise UsageError(f"there is no module {path}")
    return module


def _imported(name: str) -> types.ModuleType | None:
    """The module of a name; None where there is none."""
    importlib.invalidate_caches()  # the folder may have been looked at before the file was there
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name and (name == error.name or name.startswith(f"{error.name}.")):
            return None
        raise


@contextlib.contextmanager
def _running(path: str, folder: str, fault: str) -> Iterator[None]:
    """While a user's module runs, with a folder in front of those that modules are found in.

    Raises
    ------
    ProgramError
        For what the module raises.
    """
    sys.path.insert(0, folder)
    try:
        yield
    except SystemExit as stop:
        raise ProgramError(f"{path} ends the process: SystemExit: {stop}") from None
    except UsageError:
        raise
    except Exception as error:
        raise ProgramError(f"{path} {fault}:\n{_trace(error)}") from error
    finally:
        del sys.path[0]


def _found(module: types.ModuleType, path: str, name: str) -> Any:
    """What a dotted name stands for."""
    found: Any = module
    for step in name.split("."):
        if isinstance(found, (types.FunctionType, _runtime.Function)):
            raise UsageError(f"{path}: what the function {found.__name__!r} defines has no name")
        try:
            found = getattr(found, step)
        except AttributeError:
            raise UsageError(f"{path} has no function {name!r}") from None
    return found


def load_file(path: str) -> Any:
    """Run a Python file as a module; one in a package as the package's, as a program has it.

    The names of classes have the module's in them, and programs depend on these names.

    Raises
    ------
    UsageError
        Where the file can't be read.
    ProgramError
        Where it can't be run.
    """
    _check_readable(path)
    folder, name = _place_of(path)
    if name:
        with _running(path, folder, "can't be run"):
            module = _imported(name)
        file = getattr(module, "__file__", None) or ""
        if os.path.realpath(file) == os.path.realpath(path):
            return module  # else another package has that name
    return _run_alone(path)


def _place_of(path: str) -> tuple[str, str]:
    """The folder that a package is found in, and the name of the file's module; empty for none."""
    folder, file = os.path.split(os.path.abspath(path))
    names = [os.path.splitext(file)[0]]
    while os.path.isfile(os.path.join(folder, "__init__.py")):
        folder, package = os.path.split(folder)
        names.insert(0, package)
    is_in_package = len(names) > 1 and all(name.isidentifier() for name in names)
    if names[-1] == "__init__":
        del names[-1]
    return folder, ".".join(names) if is_in_package else ""


def _run_alone(path: str) -> Any:
    name = os.path.splitext(os.path.basename(path))[0]
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise UsageError(f"{path} isn't a Python file")
    module = importlib.util.module_from_spec(spec)
    is_first = sys.modules.setdefault(name, module) is module
    try:
        with _running(path, os.path.dirname(os.path.abspath(path)), "can't be run"):
            spec.loader.exec_module(module)
        is_first = False
    finally:
        if is_first:  # and can't be run
            del sys.modules[name]
    return module


def _check_readable(path: str) -> None:
    if not os.path.isfile(path):
        raise UsageError(f"there is no file {path}")
    try:
        with open(path, "rb"):
            pass
    except OSError as error:
        raise UsageError(f"{path} can't be read: {error.strerror}") from None


def _trace(error: Exception) -> str:
    """An exception with the user's frames alone."""
    trace = error.__traceback__
    while trace is not None and _is_loading(trace.tb_frame.f_code.co_filename):
        trace = trace.tb_next
    return "".join(traceback.format_exception(type(error), error, trace)).rstrip()


def _is_loading(file: str) -> bool:
    return file in (__file__, importlib.__file__) or file.startswith("<frozen importlib")


def example(function: Any, texts: list[str]) -> tuple:
    """Arguments for a function from --arg texts; their arrays take no memory.

    Raises
    ------
    UsageError
        Where a text can't be read, or the function takes other arguments.
    """
    arguments = tuple(_argument(text) for text in texts)
    plain = function.__wrapped__
    form = inspect.signature(plain)
    try:
        form.bind(*arguments)
    except TypeError as error:
        what = f"{plain.__qualname__}{form}"
        raise UsageError(f"{what} takes one --arg for each parameter: {error}") from None
    return arguments


def _argument(text: str) -> Any:
    from ..call.signatures import Example

    try:
        return ast.literal_eval(text)
    except _UNREADABLE:
        pass  # a type
    try:
        arguments = Example(text).args
    except SignatureError as error:
        raise UsageError(f"--arg {error}") from None
    if len(arguments) != 1:
        raise UsageError(f"--arg {text!r} has to be one argument; write --arg once for each")
    return arguments[0]


def guarded(action: Any, *args: Any, **kwargs: Any) -> Any:
    """Carry out what may fail because of the user's program.

    Raises
    ------
    ProgramError
    """
    try:
        return action(*args, **kwargs)
    except UsageError:
        raise
    except QuernelError as error:
        raise ProgramError(str(error)) from error
    except (Exception, SystemExit) as error:
        raise ProgramError(f"{type(error).__name__}: {error}") from error


def write_file(path: str, text: str) -> None:
    """Write a command's output.

    Raises
    ------
    UsageError
        Where there can't be such a file.
    OSError
        Where it can't be written whole.
    """
    opened = False
    try:
        with open(path, "w", encoding="utf-8", errors="backslashreplace") as file:
            opened = True
            file.write(text)
    except OSError as error:
        if not opened:
            raise UsageError(f"{path!r} can't be written: {error.strerror}") from None
        error.filename = path
        raise
