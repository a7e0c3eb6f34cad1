"""The bytes of arrays on their way between the host and a device."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..dtypes import TEXT, name_of
from .driver import runtime
from .headers import Layout


def usable(dtype: np.dtype) -> np.dtype:
    """The dtype that elements of a dtype have on a device: the same in the processor's byte order.

    Raises
    ------
    TypeError
        Where programs have none for it.
    """
    if name_of(dtype) is None or dtype.fields is not None:
        raise TypeError(f"an array on a device can't have dtype {dtype}; use {TEXT}")
    return dtype.newbyteorder("=")


def upload(host: np.ndarray, device: int) -> tuple[Any, Layout]:
    """Copy an array to a device.

    Axes keep their order in memory, as in copies of NumPy's with ``order="K"``.

    Returns
    -------
    buffer : DeviceBuffer
    layout : Layout

    Raises
    ------
    TypeError
        For a dtype that programs don't have.
    DeviceError
        Where the device isn't there, or has no memory left.
    """
    dense = np.array(host, dtype=usable(host.dtype), order="K", copy=None, subok=False)
    order = Layout(0, dense.shape, dense.strides).order()
    if not dense.transpose(order).flags.c_contiguous:
        dense = dense.copy(order="K")
        order = Layout(0, dense.shape, dense.strides).order()
    buffer = runtime().DeviceBuffer(device, dense.nbytes)
    if dense.nbytes:
        buffer.copy_from(dense.transpose(order).reshape(-1).view(np.uint8))
    return buffer, Layout(0, dense.shape, dense.strides)


def download(buffer: Any, layout: Layout, dtype: np.dtype) -> np.ndarray:
    """A host array of the elements: one of its own, whose axes have the same order in memory.

    The bytes between the first element and the last one are copied, those in between included.
    """
    if layout.size == 0:
        return np.empty(layout.shape, dtype)
    _, seen = _span(buffer, layout, dtype)
    return seen if layout.is_dense(dtype.itemsize) else seen.copy(order="K")


def duplicate(buffer: Any, layout: Layout, itemsize: int) -> tuple[Any, Layout]:
    """A copy on the same device of an array without gaps between its elements.

    Returns
    -------
    buffer : DeviceBuffer
    layout : Layout
    """
    begin, end = layout.extent(itemsize)
    copied = runtime().DeviceBuffer(buffer.device, end - begin)
    if end > begin:
        copied.copy_device(buffer, end - begin, begin)
    return copied, layout._replace(offset=layout.offset - begin)


def write(buffer: Any, layout: Layout, dtype: np.dtype, value: Any) -> None:
    """Assign a host value to the elements, as ``array[...] = value`` does.

    Raises
    ------
    ValueError
        Where it can't be broadcast.
    """
    if layout.size == 0:
        np.empty(layout.shape, dtype)[...] = value
        return
    begin, end = layout.extent(dtype.itemsize)
    if layout.is_dense(dtype.itemsize):  # all of the bytes are written
        span = np.empty(end - begin, np.uint8)
        seen = _seen(span, layout, dtype)
    else:
        span, seen = _span(buffer, layout, dtype)
    seen[...] = value
    buffer.copy_from(span, begin)


def _span(buffer: Any, layout: Layout, dtype: np.dtype) -> tuple[np.ndarray, np.ndarray]:
    """The bytes that an array spans, copied to the host, and the array in them."""
    begin, end = layout.extent(dtype.itemsize)
    span = np.empty(end - begin, np.uint8)
    buffer.copy_to(span, begin)
    return span, _seen(span, layout, dtype)


def _seen(span: np.ndarray, layout: Layout, dtype: np.dtype) -> np.ndarray:
    offset = layout.offset - layout.extent(dtype.itemsize)[0]
    return np.ndarray(layout.shape, dtype, span.data, offset, layout.strides)
