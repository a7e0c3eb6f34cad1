"""What arrays say of their memory, and the views of its bytes."""

from __future__ import annotations

import math
import operator
from typing import Any, NoReturn

import numpy as np

from ..arguments.layouts import FLAGS, array_flags
from ..dtypes import NAMES, TEXT
from ..primitives.elementwise import apply
from ..primitives.layouts import laid_as
from ..primitives.operands import refuse_open
from ..primitives.sizes import require
from ..traced.array import TracedArray, constant, fresh
from ..traced.byte_views import DtypeView
from ..traced.dispatch import dispatch
from ..traced.doubts import know_sizes, learn_strides
from ..traced.memory import last_step, note_bytes, storages_of
from ..traced.views import View

_through = TracedArray.view
_NO_SHAPE = "Changing the dtype of a 0d array is only supported if the itemsize is unchanged"
_APART = "To change to a dtype of a different size, the last axis must be contiguous"
_NO_DIVISOR = (
    "When changing to a larger dtype, its size must be a divisor of the total size in bytes of the "
    "last axis of the array."
)


def _view(self: TracedArray, dtype: Any = None, *args: Any, **kwargs: Any) -> TracedArray:
    if isinstance(dtype, View):
        return _through(self, dtype, *args, **kwargs)
    kind = kwargs.pop("type", *(args or (np.ndarray,)))
    if isinstance(dtype, type) and issubclass(dtype, np.ndarray):
        dtype, kind = None, dtype
    if kwargs or kind is not np.ndarray:
        self.tracer.fail("`.view()` of an array as another class", "use np.ndarray")
    new = np.dtype(self.dtype if dtype is None else dtype)
    if new == self.dtype:
        return self if self.is_scalar else self[...]
    if new.name not in NAMES or not new.isnative:
        swapped = new.name in NAMES
        hint = f"use .view('{new.name}').byteswap()" if swapped else f"use {TEXT}"
        self.tracer.fail(f"`.view()` of an array as {new}", hint)
    if self.open is not None:
        refuse_open(self.open.kinds, self.value)
    _require_elements(self, new)
    note_bytes(self)
    if self.is_scalar:
        view = DtypeView(self.dtype, new, self.shape)
        return fresh(self.tracer, view.read(self.tracer, self.value), is_scalar=True)
    return _seen_as(self, new)


def _seen_as(array: TracedArray, new: np.dtype) -> TracedArray:
    """The view of an array; of an array that is such a view, that of what it shows."""
    views, shape = array.views, array.shape
    if views and type(views[-1]) is DtypeView:
        views, shape = views[:-1], views[-1].base
    base = TracedArray(array.tracer, array.storage, views, shape)
    return base.again() if base.dtype == new else base.view(DtypeView(base.dtype, new, shape))


def _require_elements(array: TracedArray, new: np.dtype) -> None:
    """NumPy's errors where an array's bytes aren't those of whole elements of another dtype."""
    old = array.dtype
    if old.itemsize == new.itemsize:
        return
    if not array.ndim:
        raise ValueError(_NO_SHAPE)
    lone = type(array.shape[-1]) is int and array.shape[-1] == 1
    step = 1 if lone or array.contiguous else last_step(*array.lying)
    if step is None:
        found = array.standing_for()
        if found is None:
            array.tracer.fail(
                "`.view()` as a dtype of another size where only data say how the array lies",
                "copy it first",
            )
        step = found.strides[-1] if found.size else 1
    if step != 1:
        raise ValueError(_APART)
    if new.itemsize > old.itemsize:
        ratio = new.itemsize // old.itemsize
        rest = array.shape[-1] % ratio
        require(array.tracer, rest, "equal", 0, ValueError(_NO_DIVISOR))


def _getfield(self: TracedArray, dtype: Any, offset: Any = 0) -> TracedArray:
    old, new = self.dtype, np.dtype(dtype)
    np.empty(0, old).getfield(new, offset)  # NumPy's own errors
    if new.itemsize == old.itemsize:
        return self.view(new)
    if self.is_scalar:
        return element(_getfield(fresh(self.tracer, self.value), dtype, offset))
    line = self[..., None]
    if offset % new.itemsize:
        return line.view(np.uint8)[..., offset : offset + new.itemsize].view(new)[..., 0]
    return line.view(new)[..., offset // new.itemsize]


def element(array: TracedArray) -> TracedArray:
    """A NumPy number of what an array without axes holds."""
    return fresh(array.tracer, array.value, is_scalar=True)


def _setfield(self: TracedArray, val: Any, dtype: Any, offset: Any = 0) -> None:
    _getfield(self, dtype, offset)[...] = val


def _byteswap(self: TracedArray, inplace: bool = False) -> TracedArray:
    note_bytes(self)
    swapped = _swapped(self)
    if inplace and not self.is_scalar:
        self.require_writeable("array to be byte-swapped is read-only")
        self[...] = swapped
        return self
    return laid_as(fresh(self.tracer, swapped.value, self.is_scalar), self, "A")


def _swapped(array: TracedArray) -> TracedArray:
    """The elements with the bytes of each number in the other order."""
    if array.dtype.kind == "c":
        parts = [_swapped(part).value for part in (array.real, array.imag)]
        return fresh(array.tracer, array.tracer.op("complex", parts))
    size = array.itemsize
    if size == 1:
        return array
    word = np.dtype(f"u{size}")
    bits = fresh(array.tracer, array.value).view(word)
    for shift in (8, 16, 32)[: size.bit_length() - 1]:
        ones = sum(((1 << shift) - 1) << k for k in range(0, 8 * size, 2 * shift))
        mask, step = word.type(ones), word.type(shift)
        upper = apply(np.left_shift, apply(np.bitwise_and, bits, mask), step)
        lower = apply(np.bitwise_and, apply(np.right_shift, bits, step), mask)
        bits = apply(np.bitwise_or, upper, lower)
    return fresh(array.tracer, bits.value).view(array.dtype)


def _strides(self: TracedArray) -> tuple:
    note_bytes(self)
    if self.contiguous and not self.views:
        sizes = self.shape[1:]
        return tuple(self.itemsize * math.prod(sizes[k:]) for k in range(self.ndim))
    know_sizes(self)
    array = self.standing_for()
    if array is None:
        self.tracer.fail(
            "the array attribute `.strides` where data decide the size or the memory",
            "compute with sizes",
        )
    return tuple(step * self.itemsize for step in array.strides)


_REFERENCED = """cannot resize an array that references or is referenced
by another array in this way.
Use the np.resize function or refcheck=False"""
_FLAGS = {
    "C": "c_contiguous",
    "CONTIGUOUS": "c_contiguous",
    "F": "f_contiguous",
    "FORTRAN": "f_contiguous",
    "O": "owndata",
    "W": "writeable",
    "A": "aligned",
    "X": "writebackifcopy",
    "B": "behaved",
    "CA": "carray",
    "FA": "farray",
}


class Flags:
    """`x.flags`, which can't be changed."""

    def __init__(self, array: TracedArray) -> None:
        object.__setattr__(self, "_array", array)

    def __setattr__(self, name: str, value: Any) -> None:
        self._array.tracer.fail(
            f"changing `.{name}` of an array's flags", "change it outside of the function"
        )

    def __setitem__(self, name: str, value: Any) -> None:
        setattr(self, name, value)

    def __getitem__(self, name: str) -> bool:
        known = _FLAGS.get(name, name.lower() if name.isupper() else "")
        if known not in Flags.__dict__ or known in ("contiguous", "fortran"):
            raise KeyError("Unknown flag")
        return getattr(self, known)

    def _lies_in(self, order: str) -> bool:
        array = self._array
        answer = array.lies_in(order)
        if answer is None:
            learn_strides(array.tracer, array.storage.layout.causes)
            array.tracer.fail("the order of an array of which only data say how it lies")
        return bool(answer)

    @property
    def c_contiguous(self) -> bool:
        """Whether the elements are one behind the other in C order."""
        return self._lies_in("C")

    contiguous = c_contiguous

    @property
    def f_contiguous(self) -> bool:
        """The same in Fortran order."""
        return self._lies_in("F")

    @property
    def owndata(self) -> bool:
        """Whether the array isn't a view."""
        return self._array.is_scalar or _owns(self._array)

    @property
    def writeable(self) -> bool:
        """Whether elements may be assigned to."""
        array = self._array
        if any(view.kind in ("broadcast_to", "windows") for view in array.views):
            return False
        return not array.is_scalar and _flag(array, "writeable")

    aligned = True
    writebackifcopy = False

    @property
    def fnc(self) -> bool:
        """Whether the order is Fortran's and not C's."""
        return self.f_contiguous and not self.c_contiguous

    fortran = f_contiguous

    @property
    def forc(self) -> bool:
        """Whether the order is Fortran's or C's."""
        return self.f_contiguous or self.c_contiguous

    @property
    def behaved(self) -> bool:
        """Whether it is aligned and may be written."""
        return self.writeable

    @property
    def carray(self) -> bool:
        """The same in C order."""
        return self.writeable and self.c_contiguous

    @property
    def farray(self) -> bool:
        """The same in Fortran order alone."""
        return self.writeable and self.fnc

    @property
    def num(self) -> int:
        """All of them, as bits."""
        found = {1: self.c_contiguous, 2: self.f_contiguous, 4: self.owndata, 1024: self.writeable}
        return 256 + sum(bit for bit, holds in found.items() if holds)


def _flag(array: TracedArray, name: str) -> bool:
    """A flag of the memory of an array; that of an argument becomes a part of the program."""
    tracer, bit, found = array.tracer, FLAGS[name], set()
    for storage in storages_of(array):
        if storage.leaf is None:
            found.add(True)
            continue
        path = storage.leaf.path
        tracer.seen_flags[path] = tracer.seen_flags.get(path, 0) | bit
        found.add(bool(array_flags(storage.leaf) & bit))
    if len(found) > 1:
        tracer.fail(f"the flag {name.upper()} where data choose the array", "ask before the choice")
    return found.pop()


def class_of(obj: Any) -> Any:
    """Python's ``obj.__class__``; that of an argument becomes a part of the program."""
    if type(obj) is TracedArray and not obj.is_scalar and not _flag(obj, "plain"):
        path = next(iter(storages_of(obj))).leaf.path
        obj.tracer.fail(f"the class of `{path}`, a memmap", f"pass np.asarray({path})")
    return obj.__class__


def is_instance_of(array: TracedArray, classes: Any) -> bool:
    """Python's ``isinstance(array, classes)``."""
    answer = issubclass(array.__class__, classes)
    if not array.is_scalar and answer != issubclass(np.memmap, classes):
        class_of(array)
    return answer


def _of_file(name: str) -> property:
    """What memmaps have beside arrays."""

    def read(self: TracedArray) -> NoReturn:
        kind = class_of(self)
        raise AttributeError(f"'numpy.{kind.__name__}' object has no attribute {name!r}")

    return property(read)


def _owns(array: TracedArray) -> bool:
    """Whether an array isn't a view of another one."""
    return not array.is_scalar and not array.is_view and _flag(array, "owndata")


def _base(self: TracedArray) -> Any:
    if self.is_scalar or _owns(self):
        return None
    storage = self.storage
    hidden = any(view.kind in ("windows", "strided") for view in self.views)
    if storage.is_chosen or hidden:
        self.tracer.fail("`.base` of a view that NumPy makes from another object", "keep the array")
    if not _flag(TracedArray(self.tracer, storage), "owndata"):
        self.tracer.fail(f"`.base` of `{storage.leaf.path}`, which is a view", "pass its base, too")
    return TracedArray(self.tracer, storage)


def _set_dtype(self: TracedArray, value: Any) -> NoReturn:
    self.tracer.fail("assigning to `.dtype`", "use x = x.view(dtype)")


def _set_strides(self: TracedArray, value: Any) -> NoReturn:
    self.tracer.fail("assigning to `.strides`", "use np.lib.stride_tricks.as_strided")


def _resize(self: TracedArray, *new_shape: Any, refcheck: Any = True) -> None:
    tracer = self.tracer
    sizes = new_shape[0] if len(new_shape) == 1 else new_shape
    if sizes is None or not new_shape:
        return
    sizes = tuple(map(operator.index, sizes if isinstance(sizes, tuple | list) else (sizes,)))
    if any(size < 0 for size in sizes):
        raise ValueError("negative dimensions not allowed")
    know_sizes(self)
    old, new = math.prod(self.shape), math.prod(sizes)
    if old == new:
        self.shape = sizes
        return
    if self.is_view:
        raise ValueError("cannot resize this array: it does not own its data")
    if tracer.depth:
        tracer.fail("resizing an array inside of a loop or branch", "use x = np.resize(...)")
    if any(storage.leaf is not None for storage in storages_of(self)) or type(old) is not int:
        tracer.fail("resizing an argument, or an array whose size data say", "use np.resize")
    if not self.lies_in("C"):
        tracer.fail("resizing an array that isn't in C order", "copy it first")
    if refcheck and _names(self) > 1:
        raise ValueError(_REFERENCED)
    flat = self.reshape(-1)[: min(old, new)]
    rest = constant(tracer, np.zeros(max(new - old, 0), self.dtype))
    row = dispatch.function(np.concatenate, ([flat, rest],), {})
    other = fresh(tracer, row.reshape(sizes).value)
    self.storage, self.views, self._shape, self._version = other.storage, (), other.shape, -1


def _names(array: TracedArray) -> int:
    """How many variables, and items of containers in them, refer to an array's memory."""
    count = 0
    for environment in array.tracer.environments.values():
        pending = list(environment.values.values())
        seen = set()
        while pending:
            obj = pending.pop()
            if type(obj) is TracedArray:
                count += obj.storage is array.storage
            elif type(obj) in (tuple, list, dict) and id(obj) not in seen:
                seen.add(id(obj))
                pending += obj.values() if type(obj) is dict else obj
    return count


def _refused(name: str, why: str, hint: str) -> Any:
    def method(self: TracedArray, *args: Any, **kwargs: Any) -> NoReturn:
        self.tracer.fail(f"`.{name}()`, {why}", hint)

    return method


for _name in ("filename", "offset", "mode", "flush", "_mmap"):
    setattr(TracedArray, _name, _of_file(_name))
TracedArray.view = _view
TracedArray.getfield = _getfield
TracedArray.setfield = _setfield
TracedArray.byteswap = _byteswap
TracedArray.strides = property(_strides, _set_strides)
TracedArray.flags = property(Flags)
TracedArray.base = property(_base)
TracedArray.dtype = TracedArray.dtype.setter(_set_dtype)
TracedArray.resize = _resize
TracedArray.setflags = _refused(
    "setflags", "which changes the flags of an array", "copy what mustn't change"
)
TracedArray.tobytes = _refused(
    "tobytes", "which gives bytes of Python's", "use .view(np.uint8), or do it outside"
)
