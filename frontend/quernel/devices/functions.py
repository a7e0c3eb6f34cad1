"""Functions of NumPy's on arrays on devices: those without elements, and methods."""

from __future__ import annotations

from typing import Any

import numpy as np

#: Those whose result is a view of their first argument.
VIEWS = frozenset({
    np.broadcast_to, np.expand_dims, np.flip, np.fliplr, np.flipud, np.matrix_transpose,
    np.moveaxis, np.rollaxis, np.rot90, np.squeeze, np.swapaxes, np.transpose,
})  # fmt: skip


def _size(array: Any, axis: Any = None) -> int:
    return array.size if axis is None else array.shape[axis]


def _reshape(array: Any, /, shape: Any, order: str = "C", *, copy: bool | None = None) -> Any:
    return array.reshape(shape, order=order, copy=copy)


def _copyto(dst: Any, src: Any, casting: str = "same_kind", where: Any = True) -> None:
    if where is not True:
        raise TypeError("numpy.copyto takes no `where` for an array on a device")
    if not np.can_cast(getattr(src, "dtype", None) or np.asarray(src).dtype, dst.dtype, casting):
        raise TypeError(f"Cannot cast to {dst.dtype} according to the rule {casting!r}")
    dst[...] = src


#: Those that are answered without elements of their first argument, or with copies on the host.
WITHOUT_ELEMENTS = {
    np.shape: lambda a: a.shape,
    np.ndim: lambda a: a.ndim,
    np.size: _size,
    np.iscomplexobj: lambda x: x.dtype.kind == "c",
    np.isrealobj: lambda x: x.dtype.kind != "c",
    np.real: lambda val: val.real,
    np.reshape: _reshape,
    np.ravel: lambda a, order="C": a.ravel(order),
    np.copy: lambda a, order="K", subok=False: a.copy(order),
    np.copyto: _copyto,
    np.array_repr: lambda arr, *args, **named: repr(arr),
    np.array_str: lambda a, *args, **named: np.array_str(a.to_host(), *args, **named),
    np.array2string: lambda a, *args, **named: np.array2string(a.to_host(), *args, **named),
}

_NAMES = (
    "all", "any", "argmax", "argmin", "argpartition", "argsort", "astype", "choose", "clip",
    "compress", "conj", "conjugate", "cumprod", "cumsum", "diagonal", "dot", "max", "mean", "min",
    "nonzero", "prod", "repeat", "round", "searchsorted", "std", "sum", "take", "trace", "var",
)  # fmt: skip
#: The methods of arrays that run a function of the same name.
METHODS: dict[str, Any] = {name: getattr(np, name) for name in _NAMES}
