"""The options of `quernel.compile`, checked when the function is decorated."""

from __future__ import annotations

import copy
from collections.abc import Iterable
from typing import Any, NoReturn

from . import _runtime
from .cache.libraries import bundled, nvrtc_folders
from .cache.target import chosen_device, host_target
from .devices import driver
from .devices.selection import CPU, index_of, parse

_FLAGS = ("fullgraph", "fastmath", "background", "verify")


class Options:
    """How one function is compiled; see `quernel.compile`."""

    beside_numpy = True  # whether programs run in a process that has NumPy

    def __init__(
        self,
        *,
        device: Any = None,
        fullgraph: bool = False,
        dynamic: bool | None = None,
        default_float: str | None = None,
        fastmath: bool = False,
        threads: int | None = None,
        background: bool = False,
        verify: bool = False,
        compile_limit: float | None = 5.0,
        signatures: str | Iterable[str] = (),
        **unknown: Any,
    ) -> None:
        for name in unknown:
            _refuse_name(name)
        self.device, self.fullgraph, self.dynamic = parse(device), fullgraph, dynamic
        self.default_float, self.fastmath, self.threads = default_float, fastmath, threads
        self.background, self.verify = background, verify
        for name in _FLAGS:
            _check_type(name, getattr(self, name), bool)
        if self.dynamic is not None:
            _check_type("dynamic", self.dynamic, bool)
        _check_threads(self.threads)
        _check_limit(compile_limit)
        self.compile_limit = compile_limit
        if self.default_float not in (None, "float32", "float64"):
            raise ValueError(
                f"default_float must be 'float32', 'float64' or None, not {self.default_float!r}"
            )
        one = isinstance(signatures, str)
        self.signatures: tuple[str, ...] = (signatures,) if one else tuple(signatures)

    def check_device(self) -> None:
        """See that calls can run on the device that they are to run on.

        Raises
        ------
        DeviceError
        """
        if self.device_number() is not None and chosen_device() is None:
            driver.check_there(self.device)

    def device_number(self) -> int | None:
        """The number of the device that functions are compiled for; None for this processor."""
        return None if self.device in (None, CPU) else index_of(self.device)

    def target(self) -> str:
        """What functions are compiled for, as the compiler names it.

        Raises
        ------
        DeviceError
            Where the device isn't there, and nobody has chosen what to compile for.
        """
        number = self.device_number()
        if number is None:
            return host_target()
        wanted = chosen_device()
        if wanted is not None:
            return wanted
        major, minor = driver.info(number).capability
        return f"sm_{major}{minor}"

    def on(self, device: str) -> Options:
        """The same options for a device."""
        made = copy.copy(self)
        made.device = device
        return made

    def alone(self) -> Options:
        """The same options for programs that run without Python."""
        made = copy.copy(self)
        made.beside_numpy = False
        return made

    def key(self) -> str:
        """What of the options changes the compiled code, beside the target."""
        names = ("fastmath", "default_float", "dynamic")
        return " ".join(f"{name}={getattr(self, name)}" for name in names)

    def compiler(self, target: str) -> dict[str, Any]:
        """The options that the compiler itself takes for a target."""
        return {
            "fastmath": self.fastmath,
            "threads": self.threads or _runtime.default_threads(),
            "libraries": list(bundled()),
            "nvrtc_path": nvrtc_folders() if target.startswith("sm_") else [],
        }


def _refuse_name(name: str) -> NoReturn:
    """Refuse an option that there isn't, with the one that was meant."""
    from difflib import get_close_matches  # which only a mistake needs

    known = list(Options.__init__.__kwdefaults__ or ())
    near = get_close_matches(name, known, 1)
    meant = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(known)}"
    raise TypeError(f"compile() has no option {name!r}: {meant}")


def _check_type(name: str, value: object, kind: type) -> None:
    if not isinstance(value, kind):
        raise TypeError(f"{name} must be {kind.__name__}, not {type(value).__name__}")


def _check_limit(limit: object) -> None:
    if limit is None:
        return
    if isinstance(limit, bool) or not isinstance(limit, (int, float)):
        raise TypeError(f"compile_limit must be a number or None, not {type(limit).__name__}")
    if not limit > 0:
        raise ValueError(f"compile_limit must be more than 0, not {limit}")


def _check_threads(threads: object) -> None:
    if threads is None:
        return
    if isinstance(threads, bool) or not isinstance(threads, int):
        raise TypeError(f"threads must be an int or None, not {type(threads).__name__}")
    if threads < 1:
        raise ValueError(f"threads must be at least 1, not {threads}")
