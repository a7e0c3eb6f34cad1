"""``quernel doctor``: what this machine has, and what is missing."""

from __future__ import annotations

import ctypes
import ctypes.util
import os
import platform
from typing import Any

import numpy as np

from .. import _runtime
from ..cache import store
from ..cache.target import host_target
from ..errors import UnsupportedError


def register(commands: Any) -> None:
    """Add the command."""
    parser = commands.add_parser("doctor", help="say what is there and what is missing")
    parser.set_defaults(run=run)


def run(options: Any) -> None:
    """Print a line for each part."""
    for name, text in (
        ("quernel", f"{store.VERSION}, Python {platform.python_version()}, NumPy {np.__version__}"),
        ("processor", f"{_processor()}, {host_target()}"),
        ("threads", f"{_runtime.default_threads()} of {os.cpu_count()}"),
        ("compiler", _compiler()),
        ("BLAS", _blas()),
        ("CUDA driver", _library("cuda", "libcuda.so.1")),
        ("NVRTC", _library("nvrtc", "libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so")),
        ("cache", _cache()),
    ):
        print(f"{name:12} {text}")


def _processor() -> str:
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            for line in file:
                if line.startswith("model name"):
                    return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


def _compiler() -> str:
    from ..call.builder import builder

    try:
        return f"in process, for {', '.join(builder().compiler().targets())}"
    except UnsupportedError as error:
        return f"missing: {error.reason}"


def _blas() -> str:
    build = np.show_config(mode="dicts").get("Build Dependencies", {}).get("blas", {})
    return f"NumPy's: {build.get('name', 'unknown')} {build.get('version', '')}".rstrip()


def _library(name: str, *files: str) -> str:
    for file in (*files, ctypes.util.find_library(name)):
        try:
            if file:
                ctypes.CDLL(file)
                return f"there ({file})"
        except OSError:
            continue
    return "missing"


def _cache() -> str:
    path = store.cache_path()
    parent = path
    while not os.path.exists(parent) and os.path.dirname(parent) != parent:
        parent = os.path.dirname(parent)
    if not os.access(parent, os.W_OK):
        return f"{path} (can't be written)"
    return path
