"""The way to the compiler, which an installation that only runs programs hasn't got."""

from __future__ import annotations

import types

from ..errors import no_compiler


def builder() -> types.ModuleType:
    """The module that captures and compiles calls.

    Raises
    ------
    NoCompilerError
    """
    try:
        from . import build
    except ModuleNotFoundError as error:
        raise no_compiler(error) from None
    return build
