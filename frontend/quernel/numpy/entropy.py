"""Streams that the operating system has seeded: what generators without a seed draw from.

A program that makes such a generator at each call draws from a stream that goes on from call to
call: nobody can tell its numbers from those of a generator with a seed of its own. There is one of
each kind of bit generator, read from outside as a global of the user's is.
"""

from __future__ import annotations

import os

import numpy as np

from .. import _runtime

_KINDS = ("PCG64", "PCG64DXSM", "Philox", "SFC64", "MT19937")


def renew() -> None:
    """Make new streams: a forked child's would give the numbers of its parent."""
    for kind in _KINDS:
        globals()[kind] = np.random.Generator(getattr(np.random, kind)())
    globals()["RandomState"] = np.random.RandomState()


def position() -> list[bytes]:
    """What is another one as soon as somebody has drawn."""
    return [_runtime.read_stream(globals()[name]).tobytes() for name in (*_KINDS, "RandomState")]


renew()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=renew)
