"""What ``quernel record`` wants to know: the functions and the signatures of installed programs."""

from __future__ import annotations

import ast
import json
import os
import re
import sys
import types
from typing import Any


class _NoSignature(Exception):
    """A signature can't say what a program demands."""


def note(path: str, function: types.FunctionType, entry: dict[str, Any], named: tuple) -> None:
    """Add a line to a file: the name of a function, the signature of its program, or why not."""
    name, signature, reason = _name(function), "", ""
    try:
        if "<" in name.rpartition(":")[2]:
            raise _NoSignature("the function has no name that leads to it")
        if named:
            raise _NoSignature(f"the argument {named[0]} is given by name")
        signature = ", ".join(_argument(pattern) for pattern in entry["parameters"])
    except _NoSignature as error:
        reason = str(error)
    line = json.dumps([name, signature, reason]) + "\n"
    file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        os.write(file, line.encode())  # at once, so that processes don't mix their lines
    finally:
        os.close(file)


def _name(function: types.FunctionType) -> str:
    """``package.module:FUNC``, or ``FILE.py:FUNC`` where that is how the program was started."""
    module = function.__module__
    if module == "__main__":
        module = os.path.relpath(function.__code__.co_filename)
    elif "." not in module and not hasattr(sys.modules.get(module), "__path__"):
        file = getattr(sys.modules.get(module), "__file__", None) or ""
        beside = os.path.relpath(file) if file else ""
        module = beside if beside.endswith(".py") and not beside.startswith("..") else module
    return f"{module}:{function.__qualname__}"


def _argument(pattern: list[Any]) -> str:
    kind, *parts = pattern
    if kind == "array":
        _, dtype, sizes, layout, _, *flags = parts
        if layout != "C" or flags:
            raise _NoSignature("an array isn't C-contiguous, or its flags are asked for")
        # A signature's sizes may be any, whatever follows the name of a symbol.
        return f"{dtype}[{','.join(re.sub('[?>].*', '', str(size)) for size in sizes)}]"
    if kind == "scalar":
        return parts[1].removeprefix("np.")
    if kind == "value":
        return _value(parts[0])
    raise _NoSignature(f"an argument is a {kind}, of which signatures have no text")


def _value(text: str) -> str:
    """The text of a value that a program depends on, from its description."""
    kind, _, rest = text.partition(":")
    if kind == "none":
        return "None"
    if kind == "int":
        return rest
    if kind == "bool":
        return str(rest == "1")
    if kind == "float":
        number = float.fromhex(rest)
        if number - number == 0:  # finite
            return repr(number)
    if kind == "str" and not {"'", '"', "\n"} & set(ast.literal_eval(rest)):
        return repr(ast.literal_eval(rest))
    raise _NoSignature(f"an argument is {text}, of which signatures have no text")
