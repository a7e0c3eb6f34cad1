"""The cache of compiled programs on disk, for users: ``quernel.cache``."""

from __future__ import annotations

import os
import warnings
from typing import Any

from .. import _runtime
from ..errors import CacheError
from ..signals import let_out
from . import store
from .target import capability, host_target, runnable

path: str


def __getattr__(name: str) -> Any:
    if name == "path":
        return store.cache_path()
    raise AttributeError(f"module 'quernel.cache' has no attribute {name!r}")


def info() -> dict[str, Any]:
    """What the cache holds: its path, the number of programs, their bytes."""
    found = dict(store.own().info())
    found["path"] = store.cache_path()
    return found


def verify() -> Any:
    """Check every record's digest; what is corrupt is reported and counts as missing."""
    return store.own().verify()


def prune(max_bytes: int = store.USUAL_BYTES) -> Any:
    """Remove the programs that were used the longest ago until the rest fits in `max_bytes`."""
    return store.own().prune(max_bytes)


def clear() -> None:
    """Remove every program, and what is known of them."""
    store.own().clear()


def use(bundle: str | os.PathLike[str]) -> None:
    """Answer calls from a bundle, too, from now on; the compiler isn't needed for these.

    One of another build of Quernel, or of another version of NumPy or Python, costs a warning.

    Raises
    ------
    CacheError
        Where there is no such file, where it is damaged, or where others may write it or put
        another one in its place.
    """
    from .bundles import Bundle

    opened = Bundle(os.path.abspath(os.fspath(bundle)))
    misfit = opened.misfit()
    if misfit:
        warnings.warn(misfit, RuntimeWarning, stacklevel=2)
        return
    is_for_devices = any(map(capability, opened.targets))
    if not is_for_devices and not runnable(opened.targets, host_target()):
        raise CacheError(
            f"the bundle {opened.path} has programs for {', '.join(opened.targets)}; "
            f"this processor runs {', '.join(_runtime.usable_targets())}"
        )
    store.used.insert(0, opened)


def bundle(target: str | os.PathLike[str]) -> str:
    """Put all of the cache's programs into a bundle, and return its path.

    Raises
    ------
    CacheError
        Where the file can't be written.
    """
    from . import bundles

    path = os.path.abspath(os.fspath(target))
    try:
        records = bundles.records_in(store.cache_path())
        targets = sorted({host_target(), *bundles.targets_in(records)})
        bundles.write(path, bundles.about(targets, []), records)
    except OSError as error:
        let_out(error)
        reason = error.strerror or error  # of a record that isn't trusted there is a text alone
        raise CacheError(f"the bundle {path} can't be written: {reason}") from error
    return path
