"""Arrays in the memory of a device."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from .. import _runtime
from ..signals import let_out
from . import exchange, headers, memory
from .dispatch import run
from .driver import check_there
from .functions import METHODS, VIEWS, WITHOUT_ELEMENTS
from .headers import Layout
from .selection import CPU, parse

_COPIED, _READ_ONLY = 2, 1  # flags of DLPack


class DeviceArray(np.lib.mixins.NDArrayOperatorsMixin):
    """An array in the memory of a CUDA device; `quernel.to_device` makes one.

    It has the attributes and methods of NumPy's arrays. Slices with integers, ``None`` and ``...``,
    axes in another order and other shapes are views without a copy. Operators and NumPy's functions
    run on the device, compiled. Elements reach the host by `to_host` alone: NumPy doesn't convert
    such an array by itself.

    Attributes
    ----------
    shape, strides : tuple of int
        The strides are in bytes.
    dtype : numpy.dtype
    ndim, size, itemsize, nbytes : int
    device : str
        ``"cuda:0"``.
    T, mT : DeviceArray
        A view with the axes in the other order; of the last two alone.
    """

    __slots__ = ("__weakref__", "_buffer", "_dtype", "_header", "_is_writeable", "_layout")

    def __init__(
        self, buffer: Any, layout: Layout, dtype: np.dtype, is_writeable: bool = True
    ) -> None:
        self._buffer, self._layout, self._dtype = buffer, layout, dtype
        self._is_writeable = is_writeable

    @classmethod
    def _from_header(cls, header: Any, buffer: Any, address: int, is_whole: bool) -> DeviceArray:
        """The array of a header; `is_whole` where the header's base is the buffer itself."""
        layout = Layout(address - buffer.address, header.shape, header.strides)
        made = cls(buffer, layout, header.dtype, header.flags.writeable)
        if is_whole:
            made._header = header
        return made

    def header(self) -> np.ndarray:
        """An array of NumPy's of the same sizes at the same address.

        The host can't read its elements: it is for those who ask for sizes, strides and addresses.
        """
        try:
            return self._header
        except AttributeError:
            pass
        self._header = _runtime.device_header(
            self._buffer, self.address, self.shape, self.strides, self._dtype, self._is_writeable
        )
        return self._header

    def beside(self, header: np.ndarray) -> DeviceArray:
        """The array of another header in the same memory."""
        address = header.__array_interface__["data"][0]
        return DeviceArray._from_header(header, self._buffer, address, is_whole=False)

    # What it is like

    @property
    def shape(self) -> tuple[int, ...]:
        """Its sizes."""
        return self._layout.shape

    @property
    def strides(self) -> tuple[int, ...]:
        """Steps from element to element along each axis, in bytes."""
        return self._layout.strides

    @property
    def dtype(self) -> np.dtype:
        """The type of its elements."""
        return self._dtype

    @property
    def ndim(self) -> int:
        """The number of its axes."""
        return len(self._layout.shape)

    @property
    def size(self) -> int:
        """The number of its elements."""
        return self._layout.size

    @property
    def itemsize(self) -> int:
        """Bytes of an element."""
        return self._dtype.itemsize

    @property
    def nbytes(self) -> int:
        """Bytes of all elements."""
        return self.size * self.itemsize

    @property
    def device(self) -> str:
        """The device that it is on."""
        return f"cuda:{self._buffer.device}"

    @property
    def address(self) -> int:
        """Where its first element is in the device's memory."""
        return self._buffer.address + self._layout.offset

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("len() of unsized object")
        return self.shape[0]

    def __iter__(self) -> Iterator[DeviceArray]:
        if not self.shape:
            raise TypeError("iteration over a 0-d array")
        return (self[k] for k in range(len(self)))

    def __repr__(self) -> str:
        text = repr(self.to_host()).replace("\n", "\n" + " " * len("Device"))
        return f"DeviceA{text[1:-1]}, device={self.device!r})"

    # Views

    def _view(self, make: Callable[[np.ndarray], np.ndarray]) -> DeviceArray:
        return self._at(headers.view(self._layout, self.itemsize, make))

    def _at(self, layout: Layout, dtype: np.dtype | None = None) -> DeviceArray:
        dtype = self._dtype if dtype is None else dtype
        return DeviceArray(self._buffer, layout, dtype, self._is_writeable)

    def view(self, dtype: Any = None) -> DeviceArray:
        """The same bytes as elements of another dtype."""
        wanted = self._dtype if dtype is None else memory.usable(np.dtype(dtype))
        named = f"V{wanted.itemsize}"
        made = headers.view(self._layout, self.itemsize, lambda whole: whole.view(named))
        return self._at(made, wanted)

    @property
    def real(self) -> DeviceArray:
        """The real parts, as a view."""
        if self._dtype.kind != "c":
            return self
        return self._at(self._layout, np.empty(0, self._dtype).real.dtype)

    @property
    def imag(self) -> DeviceArray:
        """The imaginary parts: of complex numbers as a view."""
        if self._dtype.kind != "c":
            return run(np.imag, self)
        part = self._layout._replace(offset=self._layout.offset + self.itemsize // 2)
        return self._at(part, np.empty(0, self._dtype).imag.dtype)

    @property
    def T(self) -> DeviceArray:  # noqa: N802
        """A view with the axes in the other order."""
        return self.transpose()

    @property
    def mT(self) -> DeviceArray:  # noqa: N802
        """A view with the last two axes in the other order."""
        return self._view(lambda whole: whole.mT)

    def transpose(self, *axes: Any) -> DeviceArray:
        """A view with the axes in another order, as of NumPy's arrays."""
        return self._view(lambda whole: whole.transpose(*axes))

    def swapaxes(self, axis1: int, axis2: int) -> DeviceArray:
        """A view with two axes exchanged."""
        return self._view(lambda whole: whole.swapaxes(axis1, axis2))

    def squeeze(self, axis: Any = None) -> DeviceArray:
        """A view without axes of size 1."""
        return self._view(lambda whole: whole.squeeze(axis))

    def reshape(self, *shape: Any, order: str = "C", copy: bool | None = None) -> DeviceArray:
        """The elements in another shape: a view where strides can say it, else a copy.

        Raises
        ------
        ValueError
            Where there are not as many elements, or ``copy=False`` and no view will do.
        """
        if copy:
            return self.copy(order).reshape(*shape, order=order)
        if copy is False or self._can_be(shape, order):
            return self._view(lambda whole: whole.reshape(*shape, order=order, copy=False))
        # A copy whose elements lie in the order in which the shape takes them.
        return self.copy(order).reshape(*shape, order=order, copy=False)

    def _can_be(self, shape: tuple, order: str) -> bool:
        """Whether a view has the shape; where nothing has it, too, so that NumPy says so."""
        stand_in = np.lib.stride_tricks.as_strided(np.empty((), bool), self.shape, (0,) * self.ndim)
        wanted = stand_in.reshape(*shape, order=order).shape
        try:
            self._view(lambda whole: whole.reshape(wanted, order=order, copy=False))
        except ValueError as error:
            let_out(error)
            return False
        return True

    def ravel(self, order: str = "C") -> DeviceArray:
        """The elements in one row: a view where strides can say it, else a copy."""
        return self.reshape(-1, order=order)

    def flatten(self, order: str = "C") -> DeviceArray:
        """A copy of the elements in one row."""
        return self.copy(order).reshape(-1, order=order)

    def __getitem__(self, key: Any) -> DeviceArray:
        basic = headers.basic_key(key)
        if basic is None:
            return run(_item, self, key)
        return self._at(headers.element(self._layout, self.itemsize, basic))

    def __setitem__(self, key: Any, value: Any) -> None:
        self._check_writeable()
        basic = headers.basic_key(key)
        if basic is None or isinstance(value, DeviceArray):
            run(_set_item, self, key, value)
        else:
            part = self._at(headers.element(self._layout, self.itemsize, basic))
            memory.write(part._buffer, part._layout, part._dtype, value)

    def _check_writeable(self) -> None:
        if not self._is_writeable:
            raise ValueError("assignment destination is read-only")

    # Copies

    def to_host(self, out: np.ndarray | None = None) -> np.ndarray:
        """Copy the elements to the host.

        Parameters
        ----------
        out : ndarray, optional
            Of the same shape, into which the elements are copied, also as another dtype.

        Returns
        -------
        ndarray
            A new array, whose axes have the same order in memory; or `out`.

        Raises
        ------
        ValueError
            Where `out` has another shape.
        """
        host = memory.download(self._buffer, self._layout, self._dtype)
        if out is None:
            return host
        if out.shape != self.shape:
            raise ValueError(f"out has the shape {out.shape}, and the array {self.shape}")
        out[...] = host
        return out

    copy_to_host = to_host

    def copy(self, order: str = "C") -> DeviceArray:
        """Copy the elements to an array of its own on the same device."""
        if self._lies_in(order):
            copied = memory.duplicate(self._buffer, self._layout, self.itemsize)
            return DeviceArray(*copied, self._dtype)
        host = self.to_host().copy(order)
        return DeviceArray(*memory.upload(host, self._buffer.device), self._dtype)

    def _lies_in(self, order: str) -> bool:
        """Whether the elements lie in an order already, without gaps."""
        if order == "K":
            return self._layout.is_dense(self.itemsize)
        is_c = self.strides == headers.c_strides(self.shape, self.itemsize)
        turned = headers.c_strides(self.shape[::-1], self.itemsize)
        is_f = self.strides[::-1] == turned
        return {"C": is_c, "F": is_f, "A": is_c or is_f}.get(order, False)

    def to_device(self, device: Any, /, *, stream: Any = None) -> Any:
        """The array on another device: itself if it is there, a host array for ``"cpu"``.

        Raises
        ------
        DeviceError
            Where the device isn't there.
        ValueError
            Where a stream is given.
        """
        if stream is not None:
            raise ValueError("The stream argument in to_device() is not supported")
        name = parse(device)
        if name == CPU:
            return self.to_host()
        if name in (None, self.device):
            return self
        return DeviceArray(*memory.upload(self.to_host(), check_there(name)), self._dtype)

    def __copy__(self) -> DeviceArray:
        return self.copy("K")

    def __deepcopy__(self, memo: dict) -> DeviceArray:
        return self.copy("K")

    def __reduce__(self) -> tuple:
        return _restored, (self.to_host(), self.device)

    # What Python asks of numbers

    def _only(self) -> np.ndarray:
        return self.to_host() if self.size == 1 else np.empty(self.shape, self._dtype)

    def __bool__(self) -> bool:
        return bool(self._only())

    def __int__(self) -> int:
        return int(self._only())

    def __float__(self) -> float:
        return float(self._only())

    def __complex__(self) -> complex:
        return complex(self._only())

    def __index__(self) -> int:
        return self._only().__index__()

    def __format__(self, spec: str) -> str:
        return format(self.to_host(), spec) if self.ndim == 0 else super().__format__(spec)

    def __contains__(self, value: Any) -> bool:
        return bool((self == value).any())

    __hash__ = None  # type: ignore[assignment]

    def item(self, *args: Any) -> Any:
        """One element as a Python number, as of NumPy's arrays."""
        return self.to_host().item(*args)

    def tolist(self) -> Any:
        """The elements as nested lists of Python numbers."""
        return self.to_host().tolist()

    # What NumPy asks

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        raise TypeError(
            "an array on a device isn't made a NumPy array by itself: call its to_host()"
        )

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **kwargs: Any) -> Any:
        out = kwargs.get("out", ())
        if not all(map(_is_known, (*inputs, *out))):
            return NotImplemented
        for array in (*out, *(inputs[:1] if method == "at" else ())):
            if isinstance(array, DeviceArray):
                array._check_writeable()
        function = ufunc if method == "__call__" else getattr(ufunc, method)
        return run(function, *inputs, **kwargs)

    def __array_function__(
        self, function: Any, types: Any, args: tuple, kwargs: dict[str, Any]
    ) -> Any:
        if not all(issubclass(kind, (DeviceArray, np.ndarray)) for kind in types):
            return NotImplemented
        if function in VIEWS and args and isinstance(args[0], DeviceArray):
            return args[0]._view(lambda whole: function(whole, *args[1:], **kwargs))
        if function in WITHOUT_ELEMENTS and args and isinstance(args[0], DeviceArray):
            return WITHOUT_ELEMENTS[function](*args, **kwargs)
        return run(function, *args, **kwargs)

    def __array_namespace__(self, *, api_version: str | None = None) -> Any:
        """NumPy, whose functions take these arrays."""
        return np.empty(0).__array_namespace__(api_version=api_version)

    # What other libraries ask

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        """The array for CuPy, Numba and PyTorch, without a copy; all is done that it waits for."""
        self._buffer.wait()  # as not all who take such an array look at its stream
        return {
            "shape": self.shape,
            "strides": self.strides,
            "typestr": self._dtype.str,
            "descr": [("", self._dtype.str)],
            "data": (self.address if self.size else 0, not self._is_writeable),
            "stream": None,
            "version": 3,
        }

    def __dlpack_device__(self) -> tuple[int, int]:
        """DLPack's kind of the device, and its number."""
        return exchange.CUDA_DEVICE, self._buffer.device

    def __dlpack__(
        self,
        *,
        stream: int | None = None,
        max_version: tuple[int, int] | None = None,
        dl_device: tuple[int, int] | None = None,
        copy: bool | None = None,
    ) -> Any:
        """A capsule for `from_dlpack` of other libraries; the consumer keeps the memory.

        Parameters
        ----------
        stream : int, optional
            The consumer's, which waits on the device for all that the array waits for; None is the
            default one, and -1 one that doesn't wait.
        max_version : tuple of int, optional
            The highest version that the consumer knows.
        dl_device : tuple of int, optional
            Where it wants the array: the same device, or ``(1, 0)`` for a copy on the host.
        copy : bool, optional

        Raises
        ------
        BufferError
            For another device, and where nothing says that the array mustn't be written.
        ValueError
            For a host array with ``copy=False``.
        """
        if dl_device is not None and tuple(dl_device) == (exchange.CPU_DEVICE, 0):
            if copy is False:
                raise ValueError("an array on a device reaches the host by a copy alone")
            return self.to_host().__dlpack__(max_version=max_version)
        if dl_device is not None and tuple(dl_device) != self.__dlpack_device__():
            raise BufferError(f"the array is on {self.device}: copy it with to_device() first")
        lent = self.copy("K") if copy else self
        if stream != -1:
            lent._buffer.lend(exchange.DEFAULT_STREAM if stream is None else stream)
        is_versioned = max_version is not None and max_version[0] >= 1
        if not is_versioned and not lent._is_writeable:
            raise BufferError("the array is read-only, which older versions of DLPack can't say")
        flags = (_COPIED if copy else 0) | (0 if lent._is_writeable else _READ_ONLY)
        return exchange.capsule(
            lent._buffer, lent._layout, lent._dtype, lent.__dlpack_device__(), is_versioned, flags
        )


def _method(function: Any) -> Any:
    """A method that runs a function of NumPy's."""

    def method(self: DeviceArray, *args: Any, **kwargs: Any) -> Any:
        return run(function, self, *args, **kwargs)

    method.__name__ = method.__qualname__ = function.__name__
    method.__doc__ = f"See `numpy.{function.__name__}`; it runs on the device."
    return method


for _name, _function in METHODS.items():
    setattr(DeviceArray, _name, _method(_function))


def _is_known(obj: Any) -> bool:
    """Whether an operand is none that has its own way with NumPy's functions."""
    if isinstance(obj, (DeviceArray, np.ndarray, np.generic)):
        return True
    return not hasattr(type(obj), "__array_ufunc__")


def _item(array: Any, key: Any) -> Any:
    return array[key]


def _set_item(array: Any, key: Any, value: Any) -> None:
    array[key] = value


def _restored(host: np.ndarray, device: str) -> DeviceArray:
    """An array that was pickled; it is on the device that it was on."""
    return DeviceArray(*memory.upload(host, check_there(device)), host.dtype)


_runtime.register_device_array(DeviceArray)
