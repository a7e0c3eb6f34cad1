"""A call's program at each stage of the compiler."""

from __future__ import annotations

import re
from typing import Any

from ..arguments.calls import Call
from ..cache.target import host_target
from ..call.builder import builder
from ..call.fallback import placed
from ..errors import DeviceError, UnsupportedError
from ..signals import let_out

STAGES = ("plan", "quernel", "kernels", "loops", "cpp", "cuda", "asm", "ptx")
_DEVICE_STAGES = ("cuda", "ptx")
_HOST_STAGES = ("cpp", "asm")
_DEVICE = "sm_80"
_DEVICE_TARGET = re.compile(r"sm_\d{2,3}[af]?")


class Lowered:
    """The program of one kind of call; each text is made from a new capture."""

    def __init__(self, dispatcher: Any, call: Call) -> None:
        self._dispatcher = dispatcher
        self._call = call

    def text(self, stage: str = "cpp", target: str | None = None) -> str:
        """The program after a stage; as a plan, what its capture has decided.

        Parameters
        ----------
        stage : {"plan", "quernel", "kernels", "loops", "cpp", "cuda", "asm", "ptx"}
        target : str, optional
            Such as ``"x86-64-v3"`` or ``"sm_90"``; for C++ also ``"aarch64"``. By default this
            machine, and ``"sm_80"`` for CUDA.

        Raises
        ------
        ValueError
            For a stage that doesn't exist.
        DeviceError
            For a target that doesn't exist, or that the stage isn't for.
        UnsupportedError
            Where the target can't run the program.
        """
        if stage not in STAGES:
            raise ValueError(f"stage must be one of {', '.join(STAGES)}, not {stage!r}")
        if target is None:
            target = _DEVICE if stage in _DEVICE_STAGES else host_target()
        _check_target(stage, target)
        if stage == "plan":
            return self._captured().plan
        options = self._dispatcher.options.compiler(target)
        try:
            return builder().compiler().lower(self._captured().graph, stage, target, options)
        except NotImplementedError as error:
            raise UnsupportedError(str(error), builder().OTHER_DEVICE) from None
        except RuntimeError as error:
            let_out(error)
            if "--gpu-architecture" in str(error):  # NVRTC knows which ones there are
                raise DeviceError(f"NVRTC has no target {target!r}") from None
            raise

    def compile(self) -> Any:
        """Make the program ready and return the function."""
        generic = self._call.signature(set(), shapes=False)
        self._dispatcher.prepare(self._call, generic)
        return self._dispatcher.face

    def _captured(self) -> Any:
        generic = self._call.signature(set(), shapes=False)
        return builder().captured_call(self._dispatcher, self._call, generic)


def _check_target(stage: str, target: str) -> None:
    is_device = _DEVICE_TARGET.fullmatch(target) is not None
    if stage in _DEVICE_STAGES:
        if not is_device:
            raise DeviceError(f"{stage!r} needs a CUDA target such as sm_90, not {target!r}")
        return
    compiler = builder().compiler()
    known = compiler.targets()
    if stage == "cpp":
        known += compiler.text_targets()
    if target not in known and (stage in _HOST_STAGES or not is_device):
        raise DeviceError(f"{stage!r} needs one of the targets {', '.join(known)}, not {target!r}")


def lower(dispatcher: Any, args: tuple, kwargs: dict[str, Any]) -> Lowered:
    """The `Lowered` of a call.

    Raises
    ------
    UnsupportedError
        Where the call can't be compiled.
    """
    try:
        return Lowered(dispatcher, dispatcher.call_of(args, kwargs))
    except UnsupportedError as error:
        raise placed(error, dispatcher.plain) from None
