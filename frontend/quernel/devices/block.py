"""`quernel.device`, by which a block of code asks for a device."""

from __future__ import annotations

from .driver import check_there
from .selection import CPU, Device, enter, leave, parse


class device:  # noqa: N801 (users write it as a function)
    """Run compiled functions on a device in a ``with`` block, where they don't name another one.

    The block holds for the thread or the task that runs it. It may be entered again, also within
    itself.

    Parameters
    ----------
    device : {"cpu", "cuda", "cuda:N", None}
        None: as without a block, where the arguments of a function say which device it is.

    Raises
    ------
    DeviceError
        For what names no device, and, when the block is entered, for a device that isn't there.

    Examples
    --------
    >>> with qn.device("cuda"):
    ...     labels = nearest(points, means)
    """

    def __init__(self, device: str | Device | None) -> None:
        self.name = parse(device)

    def __enter__(self) -> device:
        if self.name not in (None, CPU):
            check_there(self.name)
        enter(self.name)
        return self

    def __exit__(self, *raised: object) -> None:
        leave()

    def __repr__(self) -> str:
        return f"quernel.device({self.name!r})"
