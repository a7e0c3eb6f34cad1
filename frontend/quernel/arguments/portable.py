"""Signatures and patterns that are the same in any process."""

from __future__ import annotations

from typing import Any

from ..describe import describe
from .leaf_kinds import FUNCTION, IDENTITY, OBJECT
from .leaves import Pattern


def portable(signature: Any, attributes: bool = True) -> Any:
    """A signature as it is in any process: without the identities of what has a text.

    Parameters
    ----------
    attributes : bool
        Whether it has those of objects, of which a process may know nothing yet.
    """
    if type(signature) is not tuple:
        return signature
    if len(signature) == 3 and signature[0] == IDENTITY.name:
        return (IDENTITY.name, signature[2])
    if len(signature) == 4 and signature[0] == FUNCTION.name:
        return (FUNCTION.name, signature[2], portable(signature[3], attributes))
    if len(signature) == 4 and signature[0] == OBJECT.name:
        return (OBJECT.name, signature[2], *(signature[3:] if attributes else ()))
    return tuple(portable(part, attributes) for part in signature)


def identity_pattern(obj: Any) -> Pattern:
    """The pattern of an object that is compared by identity.

    Raises
    ------
    Undescribable
    """
    return [IDENTITY.name, describe(obj)]
