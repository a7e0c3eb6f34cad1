"""What NVRTC made of the kernels for GPUs, without a GPU.

`python bench/device_estimates.py [sm_80 ...]` prints one line for each kernel. Nothing runs, so
these aren't times of kernels. Registers, shared memory and stack frames are from the cubin; loads
and 64-bit divisions are counted in the PTX, where NVRTC has unrolled loops and may have divided to
count a loop's turns. The occupancy is what registers, shared memory and threads allow a kernel
launched in blocks of 256.
"""

from __future__ import annotations

import argparse
import re
import struct
import time
from dataclasses import dataclass

import numpy as np

import quernel as qn
from quernel.call.build import compiler

ELF = b"\x7fELF"
# Of a cubin's `.nv.info`: an attribute with this format has its length after its code.
SIZED = 4
REGISTERS, FRAME = 0x2F, 0x11
BLOCK = 256


@dataclass(frozen=True)
class Limits:
    """What one multiprocessor has, by the CUDA C++ Programming Guide.

    Attributes
    ----------
    threads, blocks, registers : int
    shared : int
        Bytes of shared memory for all its blocks; each block takes 1 KiB more than it asks for.
    """

    threads: int
    blocks: int
    registers: int
    shared: int


LIMITS = {
    "sm_80": Limits(2048, 32, 65536, 164 * 1024),
    "sm_90": Limits(2048, 32, 65536, 228 * 1024),
}


@dataclass(frozen=True)
class Figures:
    """A kernel: a thread's registers, bytes of a block's shared memory and of a thread's frame."""

    registers: int
    shared: int
    frame: int


def elementwise(x, y):
    """A chain of elementwise operations."""
    return np.sqrt(x * x + y * y) * 0.5 + x


def kmeans(x, means):
    """The nearest of the means."""
    return np.argmin(np.linalg.norm(x - means[:, None], axis=2), axis=0)


def row_sum(x):
    """A sum of each row."""
    return x.sum(axis=1)


def softmax(x):
    """Two reductions of each row, and a division."""
    e = np.exp(x - x.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def layer_norm(x):
    """Mean and variance of each row."""
    return (x - x.mean(axis=1, keepdims=True)) / np.sqrt(
        x.var(axis=1, keepdims=True) + np.float32(1e-5)
    )


def jacobi(x):
    """A stencil of five points."""
    return np.float32(0.2) * (
        x[1:-1, 1:-1] + x[1:-1, :-2] + x[1:-1, 2:] + x[2:, 1:-1] + x[:-2, 1:-1]
    )


def box(x):
    """A stencil of 27 points in space."""
    rows = x[:, :, :-2] + x[:, :, 1:-1] + x[:, :, 2:]
    planes = rows[:, :-2] + rows[:, 1:-1] + rows[:, 2:]
    return planes[:-2] + planes[1:-1] + planes[2:]


def matvec(a, x):
    """A product that a library may have: then there are no kernels."""
    return a @ x


def running_sum(x):
    """A scan in pieces, of which a warp has 32 in shared memory."""
    return np.cumsum(x)


def chosen(x):
    """What a mask chooses: counts of its pieces, where they begin, and the elements."""
    return x[x > 0]


def sums_by_places(y, k, v):
    """Updates that many threads carry out in tables of their own."""
    np.add.at(y, k, v)


def skinny(a, b):
    """A product of whose few columns a thread computes all."""
    return a @ b


def matrices(a, b):
    """Products of small matrices, of which a thread computes whole ones."""
    return np.matmul(a, b)


def applied(a, b, v):
    """Two small matrices, and a vector, of each element of a batch."""
    return np.einsum("bij,bj->bi", a @ b, v)


def distances(x, c):
    """How far points are from a few centres."""
    return np.sqrt(((x[:, None, :] - c) ** 2).sum(axis=2))


def programs() -> list:
    """The functions that are compiled, with arguments."""
    x, y = np.ones((1024, 1024), np.float32), np.ones((1024, 1024), np.float32)
    points, means = np.ones((100000, 2), np.float32), np.ones((8, 2), np.float32)
    threes, fours = np.ones((100000, 3, 3), np.float32), np.ones((100000, 4, 4), np.float32)
    return [
        (elementwise, (x, y)),
        (kmeans, (points, means)),
        (row_sum, (x,)),
        (softmax, (x,)),
        (layer_norm, (x,)),
        (jacobi, (x,)),
        (box, (np.ones((128, 128, 128), np.float32),)),
        (matvec, (x, x[0])),
        (running_sum, (x.ravel(),)),
        (chosen, (x.ravel(),)),
        (sums_by_places, (x[0], np.zeros(x.size, np.int64), x.ravel())),
        (skinny, (np.ones((1000000, 8), np.float32), np.ones((8, 4), np.float32))),
        (matrices, (threes, threes)),
        (matrices, (threes.astype(np.float64), threes.astype(np.float64))),
        (matrices, (threes.astype(np.complex128), threes.astype(np.complex128))),
        (matrices, (fours, fours)),
        (applied, (threes, threes, np.ones((100000, 3), np.float32))),
        (distances, (np.ones((1000000, 3), np.float32), np.ones((8, 3), np.float32))),
    ]


def sections(image: bytes) -> list[tuple[str, bytes, int]]:
    """Name, content and size of each section of a 64-bit ELF file; some have a size alone."""
    (table,) = struct.unpack_from("<Q", image, 40)
    width, count, names = struct.unpack_from("<HHH", image, 58)
    headers = [struct.unpack_from("<IIQQQQIIQQ", image, table + i * width) for i in range(count)]
    text = headers[names][4]
    found = []
    for header in headers:
        start = text + header[0]
        name = image[start : image.index(b"\0", start)].decode()
        empty = header[1] == 8  # SHT_NOBITS
        found.append((name, b"" if empty else image[header[4] : header[4] + header[5]], header[5]))
    return found


def figures(image: bytes) -> dict[str, Figures]:
    """What a cubin says of each of its kernels, by the kernel's name."""
    parts = sections(image)
    content = {name: data for name, data, _ in parts}
    sizes = {name: size for name, _, size in parts}
    symbols = [
        content[".strtab"][at : content[".strtab"].index(b"\0", at)].decode()
        for (at,) in (
            struct.unpack_from("<I", content[".symtab"], i)
            for i in range(0, len(content[".symtab"]), 24)
        )
    ]
    values: dict[tuple[int, str], int] = {}
    data, at = content[".nv.info"], 0
    while at < len(data):
        form, code, length = struct.unpack_from("<BBH", data, at)
        at += 4
        if form != SIZED:
            continue
        if code in (REGISTERS, FRAME):
            symbol, value = struct.unpack_from("<II", data, at)
            values[code, symbols[symbol]] = value
        at += length
    kernels = [name.removeprefix(".text.") for name in sizes if name.startswith(".text.")]
    return {
        name: Figures(
            values.get((REGISTERS, name), 0),
            sizes.get(f".nv.shared.{name}", 0),
            values.get((FRAME, name), 0),
        )
        for name in kernels
    }


def occupancy(kernel: Figures, limits: Limits, block: int = BLOCK) -> float:
    """The part of a multiprocessor's threads that can be resident.

    A warp takes registers by 256.
    """
    warps = -(-block // 32)
    warp_registers = -(-kernel.registers * 32 // 256) * 256
    blocks = min(limits.blocks, limits.threads // block, limits.shared // (kernel.shared + 1024))
    if warp_registers:
        blocks = min(blocks, limits.registers // warp_registers // warps)
    return blocks * block / limits.threads


def bodies(ptx: str) -> dict[str, str]:
    """The text of each kernel of a PTX module, by its name."""
    found = re.split(r"\.entry\s+(\w+)\s*\(", ptx)
    return dict(zip(found[1::2], found[2::2], strict=True))


def widths(body: str) -> str:
    """How many loads from global memory the text has of each width in bits: `4x32 1x128`."""
    counts: dict[int, int] = {}
    for vector, bits in re.findall(r"ld\.global(?:\.[\w:]+)*?(?:\.v([24]))?\.[fbsu](\d+)\b", body):
        width = int(bits) * int(vector or 1)
        counts[width] = counts.get(width, 0) + 1
    return " ".join(f"{count}x{width}" for width, count in sorted(counts.items())) or "-"


def divisions(body: str) -> int:
    """How many 64-bit integer divisions and remainders the text has."""
    return len(re.findall(r"\b(?:div|rem)\.[su]64\b", body))


def report(architecture: str, dynamic: bool) -> None:
    """Print the figures of every program for one architecture."""
    head = "regs shared frame  occ. div64  loads (count x bits)"
    print(f"{architecture}: {'kernel':38} {head}")
    for function, args in programs():
        compiled = qn.compile(function, fullgraph=True, dynamic=dynamic)
        lowered = compiled.lower(*args)
        options = lowered._dispatcher.options.compiler(architecture)
        start = time.perf_counter()
        made = compiler().compile(lowered._captured().graph, architecture, options).object
        took = time.perf_counter() - start
        kernels = figures(made[made.index(ELF, 4) :])
        texts = bodies(lowered.text("ptx", architecture))
        name = function.__name__
        print(f"  {name}: {1e3 * took:.0f} ms, compiler and NVRTC, {len(kernels)} kernels")
        for name, kernel in kernels.items():
            body = texts[name]
            resident = occupancy(kernel, LIMITS[architecture])
            print(
                f"    {name[:42]:42} {kernel.registers:4} {kernel.shared:6} {kernel.frame:5} "
                f"{resident:5.0%} {divisions(body):5}  {widths(body)}"
            )


def main() -> None:
    """Print the figures for the architectures of the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("architectures", nargs="*", help="of sm_80, sm_90; both by default")
    parser.add_argument("--dynamic", action="store_true", help="compile for shapes not known")
    options = parser.parse_args()
    for architecture in options.architectures or LIMITS:
        if architecture not in LIMITS:
            parser.error(f"{architecture} isn't one of {', '.join(LIMITS)}")
        report(architecture, options.dynamic)


if __name__ == "__main__":
    main()
