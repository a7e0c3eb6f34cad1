"""The shared libraries that compiled programs, and the compiler, take from elsewhere."""

from __future__ import annotations

import functools
import os
import sys

from .. import _runtime
from ..files import is_folder


def in_package(*names: str) -> str:
    """The path of what comes with the package, as it is imported: links aren't followed."""
    return os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), *names)


@functools.lru_cache(maxsize=1)
def bundled() -> tuple[str, ...]:
    """Paths of the libraries that come with the package: vector mathematics."""
    folder = in_package("lib")
    if not is_folder(folder):
        return ()
    names = sorted(name for name in os.listdir(folder) if ".so" in name)
    return tuple(os.path.join(folder, name) for name in names)


def of_exports() -> str:
    """The library that calls other ones' routines for exported programs."""
    return in_package("lib", "exported", "libquernel_runtime.so")


@functools.lru_cache(maxsize=1)
def preload() -> None:
    """Load the bundled libraries, so that programs find them by their names.

    Raises
    ------
    OSError
        Where one can't be loaded.
    """
    _runtime.preload(list(bundled()))


def nvrtc_folders() -> list[str]:
    """Folders in which NVIDIA's packages for Python keep NVRTC."""
    folders = []
    for base in sys.path:
        for name in ("cu13", "cu12", "cuda_nvrtc"):
            folder = os.path.join(base, "nvidia", name, "lib")
            if is_folder(folder):
                folders.append(folder)
    return folders


def cuda_headers() -> list[str]:
    """Folders of the toolkit's headers, where this machine has some."""
    roots = [os.environ.get(name, "") for name in ("CUDA_PATH", "CUDA_HOME")]
    folders = [os.path.join(root, "include") for root in [*roots, "/usr/local/cuda"] if root]
    for base in sys.path:
        for name in ("cu13", "cu12", "cuda_runtime"):
            folders.append(os.path.join(base, "nvidia", name, "include"))
    return [folder for folder in dict.fromkeys(folders) if is_folder(folder)]
