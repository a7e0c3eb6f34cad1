"""A call's program at each stage of the compiler."""

from __future__ import annotations

from typing import Any

from ..arguments import Call
from ..errors import UnsupportedError
from ..fallback import placed
from ..target import host_target

STAGES = ("quernel", "kernels", "loops", "cpp", "cuda", "asm", "ptx")
_DEVICE_STAGES = ("cuda", "ptx")
_DEVICE = "sm_80"


class Lowered:
    """The program of one kind of call; each text is made from a new capture."""

    def __init__(self, dispatcher: Any, call: Call) -> None:
        self._dispatcher = dispatcher
        self._call = call

    def text(self, stage: str = "cpp", target: str | None = None) -> str:
        """The program after a stage.

        Parameters
        ----------
        stage : {"quernel", "kernels", "loops", "cpp", "cuda", "asm", "ptx"}
        target : str, optional
            Such as ``"x86-64-v3"`` or ``"sm_90"``; by default this machine, and ``"sm_80"`` for
            CUDA.

        Raises
        ------
        ValueError
            For a stage that doesn't exist.
        UnsupportedError
            Where the target can't run the program.
        """
        from ..build import compiler

        if stage not in STAGES:
            raise ValueError(f"stage must be one of {', '.join(STAGES)}, not {stage!r}")
        if target is None:
            target = _DEVICE if stage in _DEVICE_STAGES else host_target()
        options = self._dispatcher.options.compiler()
        try:
            return compiler().lower(self._graph(), stage, target, options)
        except NotImplementedError as error:
            raise UnsupportedError(
                str(error), "run it on the CPU, or write the loop as array operations"
            ) from None

    def compile(self) -> Any:
        """Make the program ready and return the function."""
        generic = self._call.signature(set(), shapes=False)
        self._dispatcher.prepare(self._call, generic)
        return self._dispatcher.face

    def _graph(self) -> Any:
        from ..build import captured_call

        generic = self._call.signature(set(), shapes=False)
        return captured_call(self._dispatcher, self._call, generic).graph


def lower(dispatcher: Any, args: tuple, kwargs: dict[str, Any]) -> Lowered:
    """The `Lowered` of a call.

    Raises
    ------
    UnsupportedError
        Where the call can't be compiled.
    """
    try:
        return Lowered(dispatcher, Call(dispatcher.plain, args, kwargs))
    except UnsupportedError as error:
        raise placed(error, dispatcher.plain) from None
