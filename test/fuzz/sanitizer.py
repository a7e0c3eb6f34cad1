"""Programs under the address and undefined-behaviour sanitizers.

The text that the compiler emits is compiled once more, by a compiler of the machine that puts
checks into it, and the runtime loads that object instead of its own. A worker for such programs has
the address sanitizer's library loaded in front of everything else, so that the memory of NumPy's
arrays and of the runtime's pool is known to it. The bytes around an argument are closed while the
compiled function runs.

Nothing is optimised: what no result depends on is loaded too. The first finding ends the program,
whose process has its error output in a file.
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from .arguments import GUARD, Arguments

# Compilers, each with the library that its objects need and flags of its own.
COMPILERS = {
    "g++": ("libasan.so", ()),
    "clang++-22": ("libclang_rt.asan-x86_64.so", ("-shared-libasan", "-fuse-ld=lld")),
}
FLAGS = (
    "-std=c++17 -O0 -g1 -w -fPIC -shared -ffp-contract=off -DQUERNEL_RUNTIME "
    "-fsanitize=address,undefined,float-cast-overflow -fno-sanitize-recover=all"
).split()
OPTIONS = {
    # A child leaves by `_exit`, and Python keeps much until then. Crashes are told apart.
    "ASAN_OPTIONS": "detect_leaks=0:allocator_may_return_null=1:malloc_context_size=1:"
    "handle_segv=0:quarantine_size_mb=16:detect_odr_violation=0:alloc_dealloc_mismatch=0",
    "UBSAN_OPTIONS": "print_stacktrace=0",
}
REPORT = "report"


@functools.cache
def library(compiler: str) -> str | None:
    """The path of the address sanitizer's library, if this machine has the compiler and it."""
    return shutil.which(compiler) and file_of(compiler, COMPILERS[compiler][0])


def file_of(compiler: str, name: str) -> str | None:
    """The path of a library that comes with a compiler."""
    command = [compiler, f"-print-file-name={name}"]
    path = Path(subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip())
    return str(path.resolve()) if path.is_absolute() and path.exists() else None


def environment(compiler: str) -> dict[str, str]:
    """What the environment of a worker has to say beside the rest."""
    if (path := library(compiler)) is None:
        raise SystemExit(f"fuzz: {compiler} or its {COMPILERS[compiler][0]} isn't installed")
    # The sanitizer looks for what throws exceptions as soon as it is loaded.
    return {"LD_PRELOAD": f"{path} {file_of(compiler, 'libstdc++.so.6')}", **OPTIONS}


def install(compiler: str, folder: Path) -> None:
    """Let this process load objects with checks; their texts and its errors get into a folder."""
    from quernel.call import build

    with open(folder / REPORT, "wb") as report:
        os.dup2(report.fileno(), 2)

    compiled = build.compiled

    def with_checks(captured: Any, options: Any) -> Any:
        made = compiled(captured, options)
        made.object = shared_object(made.source, compiler, folder)
        return made

    build.compiled = with_checks


def shared_object(text: str, compiler: str, folder: Path) -> bytes:
    """A text compiled with checks."""
    from quernel.cache.libraries import bundled
    from quernel.cache.target import host_target

    count = len(list(folder.glob("kernels-*.cpp")))
    source, result = folder / f"kernels-{count}.cpp", folder / "kernels.so"
    source.write_text(text)
    level = host_target().partition("+")[0]
    command = [compiler, *COMPILERS[compiler][1], *FLAGS, f"-march={level}", str(source)]
    command += ["-o", str(result), "-Wl,--as-needed", *bundled()]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"{compiler} can't compile the emitted text: {done.stderr[:2000]}")
    return result.read_bytes()


@contextlib.contextmanager
def closed(arguments: Arguments) -> Iterator[None]:
    """While this lasts, nobody may touch the bytes before and behind the arguments."""
    address_sanitizer = ctypes.CDLL(None)
    places = [
        (ctypes.c_void_p(buffer.ctypes.data + start), ctypes.c_size_t(GUARD))
        for buffer in arguments.buffers
        for start in (0, len(buffer) - GUARD)
    ]
    for place in places:
        address_sanitizer.__asan_poison_memory_region(*place)
    try:
        yield
    finally:
        for place in places:
            address_sanitizer.__asan_unpoison_memory_region(*place)


def said(folder: Path) -> str:
    """What a process has written to its error output."""
    return (folder / REPORT).read_text(errors="replace")


def finding(folder: Path) -> tuple[str, str] | None:
    """What a sanitizer has found, in short, and with the lines of the text that it is about."""
    report = said(folder)
    undefined = re.search(r"runtime error: (.*)", report)
    memory = re.search(r"ERROR: AddressSanitizer:? (\S+)", report)
    if undefined:
        reason = undefined[1]
    elif memory:
        access = re.search(r"(READ|WRITE) of size \d+", report)
        reason = f"{memory[1]} {access[0] if access else ''}".strip()
    else:
        return None
    lines = [f"{reason}\n"]
    if where := re.search(r"(kernels-\d+\.cpp):(\d+)", report):
        text = (folder / where[1]).read_text().splitlines()
        lines.append(f"in the emitted text: {text[int(where[2]) - 1].strip()}\n")
    return reason, "".join(lines + re.findall(r"(?m)^ +#\d+ .*kernels-\d+\.cpp.*\n", report))
