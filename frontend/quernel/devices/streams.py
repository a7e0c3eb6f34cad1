"""Streams of CUDA devices, which do what they are asked for in order, and events in them."""

from __future__ import annotations

from typing import Any

from ..errors import DeviceError
from .driver import check_there, runtime
from .selection import CPU, asked_for


def handle_of(stream: Any) -> int:
    """The driver's handle of a stream.

    Parameters
    ----------
    stream : int or object
        A handle, as other libraries tell it (``torch.cuda.current_stream().cuda_stream``), or an
        object with ``__cuda_stream__``.

    Raises
    ------
    TypeError
        For what is no stream.
    """
    told = getattr(stream, "__cuda_stream__", None)
    if told is not None:
        version, handle = told() if callable(told) else told
        if version != 0:
            raise TypeError(f"a stream whose __cuda_stream__ is of version {version} isn't known")
        return int(handle)
    if isinstance(stream, int) and not isinstance(stream, bool) and stream >= 0:
        return stream
    raise TypeError(f"expected a stream, or the handle of one, not {type(stream).__name__}")


def current_handle(device: int) -> int:
    """The handle of the stream that the calling thread asks a device in."""
    return runtime().device_stream(device)


def _number(device: Any) -> int:
    """The number of a device, or of the one that the block of code around asks for."""
    if device is None:
        device = asked_for()
        device = "cuda" if device in (None, CPU) else device
    return check_there(device)


class Stream:
    """A stream of a CUDA device: what is asked in it is done in order, and beside other streams.

    In a ``with`` block, what the thread asks of the device is asked in the stream: calls of
    compiled functions, and copies. Other threads, and the thread outside of the block, ask in a
    stream of the device's own. Arrays may be used in any stream: who reads one waits, on the
    device, for the stream that has written it, and who writes one for those that read it.

    Parameters
    ----------
    stream : int or object, optional
        Another library's stream: its handle, or an object with ``__cuda_stream__``; it has to be
        there while it is used. Without it, a new stream is made.
    device : int, str or Device, optional
        By default that of ``with quernel.device(…)``, else the first.

    Raises
    ------
    DeviceError
        Where the device isn't there, or has 63 such streams already.
    TypeError
        For what is no stream.

    Examples
    --------
    >>> with qn.cuda.Stream() as stream:
    ...     y = f(x)
    >>> stream.synchronize()
    """

    def __init__(self, stream: Any = None, *, device: Any = None) -> None:
        handle = None if stream is None else handle_of(stream)
        self._made = runtime().DeviceStream(_number(device), handle)

    @property
    def handle(self) -> int:
        """The driver's handle, which other libraries take."""
        return self._made.handle

    @property
    def device(self) -> str:
        """The device that it is of."""
        return f"cuda:{self._made.device}"

    def __enter__(self) -> Stream:
        self._made.enter()
        return self

    def __exit__(self, *raised: object) -> None:
        self._made.leave()

    def __cuda_stream__(self) -> tuple[int, int]:
        """The version of the protocol, and the handle."""
        return 0, self.handle

    def __repr__(self) -> str:
        return f"quernel.cuda.Stream({self.handle:#x}, device={self.device!r})"

    def synchronize(self) -> None:
        """Wait until all is done that the stream was asked for.

        Raises
        ------
        DeviceError
            Where something of it has failed.
        """
        self.record().synchronize()

    def query(self) -> bool:
        """Whether all is done that the stream was asked for."""
        return self._made.query()

    def record(self) -> Event:
        """An event behind all that the stream was asked for until now."""
        event = Event(device=self._made.device)
        event.record(self)
        return event

    def wait(self, event: Event | Stream) -> None:
        """Have what the stream is asked for from now on wait for an event, or for another stream.

        The host doesn't wait. An event that wasn't recorded isn't waited for.
        """
        event = event.record() if isinstance(event, Stream) else event
        event._made.hold(self.handle)


class Event:
    """A point in what a stream is asked for.

    Parameters
    ----------
    device : int, str or Device, optional
        By default that of ``with quernel.device(…)``, else the first.

    Raises
    ------
    DeviceError
        Where the device isn't there.
    """

    def __init__(self, *, device: Any = None) -> None:
        self._made = runtime().DeviceEvent(_number(device))
        self._is_recorded = False

    @property
    def device(self) -> str:
        """The device that it is of."""
        return f"cuda:{self._made.device}"

    def record(self, stream: Any = None) -> None:
        """Put the event behind all that a stream was asked for until now.

        Parameters
        ----------
        stream : Stream, int or object, optional
            Also another library's; by default the one that the thread asks in.
        """
        device = self._made.device
        self._made.record(current_handle(device) if stream is None else handle_of(stream))
        self._is_recorded = True

    def synchronize(self) -> None:
        """Wait until the event has come; one that wasn't recorded isn't waited for.

        Raises
        ------
        DeviceError
            Where something before it has failed.
        """
        self._made.synchronize()

    def query(self) -> bool:
        """Whether the event has come."""
        return self._made.query()

    def elapsed_time(self, end: Event) -> float:
        """The milliseconds until another event; both are waited for.

        Raises
        ------
        DeviceError
            Where one of them wasn't recorded.
        """
        if not (self._is_recorded and end._is_recorded):
            raise DeviceError("the time between two events needs both of them recorded")
        self.synchronize()
        end.synchronize()
        return self._made.elapsed(end._made)
