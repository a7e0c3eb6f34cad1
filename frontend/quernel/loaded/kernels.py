"""Kernels of the user's own, in CUDA C++: their launch shapes, and the texts around them.

A text becomes two. The one for the device is the user's, behind the header, with a check that each
kernel takes what its signature says. The other one is C++ for the host: an entry of the kernel ABI
for each kernel, which computes the launch shape of the sizes and launches the kernel.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from ..errors import SignatureError
from ..signals import let_out
from .glue import PARAMETERS, array_text, header, line_text, size_text, type_text
from .signatures import Signature, Size, expression

_AXES = 3
_MOST_THREADS = 1024


@dataclass(frozen=True)
class Kernel:
    """The signature of a kernel in CUDA C++ for `quernel.load`, and how it is launched.

    The kernel takes the arguments and then the results: numbers by value, and each array as a
    ``qn::array`` or as a pointer to its elements. Behind them it may take all sizes that are names
    or ``:``, an ``int64_t`` each, in the order in which the signature has them first.

    Parameters
    ----------
    signature : str
        What the function takes and gives, for example ``"float32[n], float32[n] -> float32[n]"``.
        Results hold anything before.
    grid : int, str, or tuple of up to three of them
        How many blocks there are: numbers, or sums, products and quotients of the signature's
        sizes, such as ``"(n + 255) // 256"``. Where nothing that the kernel writes has elements, it
        isn't launched.
    block : int, str, or tuple of up to three of them
        The threads of a block.
    shared : int or str
        Bytes of shared memory that a block gets besides what the kernel declares.

    Raises
    ------
    SignatureError
        For what can't be read, or is out of range.

    Examples
    --------
    >>> add = qn.load(text, add=qn.Kernel("float64[n], float64[n] -> float64[n]",
    ...                                   grid="(n + 255) // 256", block=256))
    """

    signature: str
    grid: Any
    block: Any
    shared: Any = 0
    read: Signature = field(init=False, repr=False)
    shape: tuple[Size, ...] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        read = Signature.of(self.signature)
        if read.takes_context or read.has_status:
            raise SignatureError(
                f"{self.signature!r}: `context` and `status` are for functions in C++, not for "
                "kernels"
            )
        for part in read.read:
            if part.is_array and not part.sizes:
                raise SignatureError(f"{self.signature!r}: write {part.dtype} for {part}")
            if not part.is_array and part.dtype.startswith("complex"):
                raise SignatureError(
                    f"{self.signature!r}: a kernel takes no complex number by value; write "
                    f"{part.dtype}[1], and give it an array"
                )
        grid, block = (self._extents(name, read) for name in ("grid", "block"))
        threads = 1
        for size in block:
            threads *= 1 if size.names else size.value({})
        if threads > _MOST_THREADS:
            raise SignatureError(
                f"block={self.block!r} has {threads} threads, and a device runs at most "
                f"{_MOST_THREADS} in a block"
            )
        shared = self._extent("shared", self.shared, read, 0)
        object.__setattr__(self, "read", read)
        object.__setattr__(self, "shape", (*grid, *block, shared))

    @property
    def text(self) -> str:
        """All that decides what the function is."""
        return f"{self.signature} {[size.text for size in self.shape]}"

    def _extents(self, name: str, read: Signature) -> list[Size]:
        given = getattr(self, name)
        extents = given if isinstance(given, tuple) else (given,)
        if not 1 <= len(extents) <= _AXES:
            raise SignatureError(f"{name} has one to three extents, not {len(extents)}")
        found = [self._extent(name, extent, read, 1) for extent in extents]
        return found + [expression("1")] * (_AXES - len(found))

    @staticmethod
    def _extent(name: str, given: Any, read: Signature, least: int) -> Size:
        is_number = isinstance(given, int) and not isinstance(given, bool)
        if not is_number and not isinstance(given, str):
            kind = type(given).__name__
            raise SignatureError(f"{name} is made of numbers and texts, not {kind}")
        if is_number and given < least:
            raise SignatureError(f"{name} has to be at least {least}, not {given}")
        try:
            size = expression(str(given))
        except ValueError as error:
            let_out(error)
            raise SignatureError(
                f"{name}: {given!r} is no size: write a number, a name, or a sum of them"
            ) from None
        for used in size.names:
            if used not in read.names:
                raise SignatureError(
                    f"{name}: no argument of {read.text!r} has an axis whose size is {used!r}"
                )
        return size


def device_text(text: str, name: str, kernels: dict[str, tuple[str, Kernel]]) -> str:
    """What is compiled for devices of a user's text.

    Parameters
    ----------
    name : str
        What diagnostics call the text.
    kernels : dict
        The kernel's name and what is known of it, by the names of the entries.
    """
    parts = [line_text("quernel.h"), header(), line_text(name), text.rstrip("\n")]
    for function, kernel in kernels.values():
        parts += [line_text(f"the signature of {function}"), _check_text(function, kernel.read)]
    return "\n".join(parts) + "\n"


def host_text(kernels: dict[str, tuple[str, Kernel]]) -> str:
    """What launches the kernels."""
    parts = [line_text("quernel.h"), header()]
    for entry, (function, kernel) in kernels.items():
        parts += [line_text(f"the launch of {function}"), _entry_text(entry, kernel)]
    return "\n".join(parts) + "\n"


def _check_text(function: str, signature: Signature) -> str:
    types, told = [], []
    for part in (*signature.parameters, *signature.results):
        element = type_text(part, is_device=True)
        is_read = any(part is other for other in signature.read)
        if part.sizes is None and is_read:
            types.append(element)
            told.append(element)
            continue
        element = f"const {element}" if is_read else element
        types.append(f"qn::array<{element}, {part.rank}>")
        told.append(f"{types[-1]} or {element} *")
    told += ["perhaps int64_t"] * len(signature.names)
    names = len(signature.names)
    takes = f"qn::takes<{', '.join([str(names), f'decltype(::{function})', *types])}>"
    what = f"the signature has {function} take: {'; '.join(told)}"
    return f'static_assert({takes}, "{what}");'


def _entry_text(entry: str, kernel: Kernel) -> str:
    """The entry of a kernel, as that of a program for a device: its numbers are the host's."""
    signature = kernel.read
    buffers = (*signature.read, *signature.written)
    places = {part.number: place for place, part in enumerate(buffers)}
    lines = [f'extern "C" const int32_t {entry}_kernel;']
    lines.append(f'extern "C" int32_t {entry}({PARAMETERS}) {{')
    names, written = [], []
    for part in signature.parameters:
        names.append(f"argument_{part.number}")
        place = places[part.number]
        if part.sizes is None:
            value = f"*(const {type_text(part)} *)buffers[{place}]"
        else:
            value = array_text(part, place, signature)
        lines.append(f"  const auto {names[-1]} = {value};")
        written += [names[-1]] if part.is_written else []
    for place, part in enumerate(signature.results, len(buffers)):
        names.append(f"result_{part.number}")
        lines.append(f"  const auto {names[-1]} = {array_text(part, place, signature)};")
        written.append(names[-1])
    empty = " && ".join(f"{name}.size() == 0" for name in written)
    shape = ", ".join(size_text(size, signature) for size in kernel.shape)
    given = "".join(f", {name}" for name in names)
    given += "".join(f", sizes[{k}]" for k in range(len(signature.names)))
    lines.append(f"  if ({empty})")
    lines.append("    return 0;")
    lines.append(f"  return qn::launch(context, {entry}_kernel, {{{shape}}}{given});")
    return "\n".join([*lines, "}"])
