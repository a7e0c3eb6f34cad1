"""`python bench/npbench.py --root CHECKOUT`: NPBench's NumPy programs, unmodified.

The checkout is one of github.com/spcl/npbench. Each program runs in a process of its own, with
NumPy, with Quernel (the whole function compiled, or an error) and with the peers that are installed
and that the checkout has a version for. Quernel's arguments and results are compared with NumPy's
in value, dtype and shape.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from suites import command

# Programs whose result multiplies a rounding error: how many times the usual tolerance they get,
# or sizes of a shorter run that can still be compared.
ILL_CONDITIONED: dict[str, tuple[float, dict[str, int], str]] = {
    "durbin": (1e3, {}, "ill-conditioned: tolerance 1e-6"),
    "nbody": (1.0, {"Nt": 20}, "chaotic: values compared after 20 steps"),
}
# How the programs call their numbers of steps, and sizes that follow from each other.
STEPS = ("TSTEPS", "Nt", "tsteps", "time", "maxiter", "itermax", "nit", "nt")
TINY = {"gramschmidt": {"N": 18}}
SUFFIXES = {
    "numba": ("numba_n", "numba_np", "numba_npr"),
    "jax": ("jax", "jax_lib"),
    "pythran": ("pythran",),
    "dace": ("dace",),
}


def cases(arguments: argparse.Namespace) -> list[Any]:
    """The programs that a checkout describes, by name."""
    files = sorted((arguments.root / "bench_info").glob("*.json"))
    if not files:
        raise SystemExit(f"{arguments.root} has no bench_info/*.json: is it NPBench's checkout?")
    return [_case(arguments.root, path, arguments.preset) for path in files]


def _case(root: Path, path: Path, preset: str) -> Any:
    from suites.case import Case

    info = json.loads(path.read_text())["benchmark"]
    folder = root / "npbench" / "benchmarks" / info["relative_path"]
    scale, shorter, note = ILL_CONDITIONED.get(path.stem, (1.0, {}, ""))
    load = _loader(folder, info, preset, shorter)
    return Case(path.stem, load, _variants(folder, info), scale, note)


def _loader(folder: Path, info: dict[str, Any], preset: str, shorter: dict[str, int]) -> Callable:
    from suites.case import Loaded, module_of

    def load() -> Any:
        sizes = tiny(info) if preset == "tiny" else dict(info["parameters"][preset])
        data = dict(sizes)
        init = info.get("init")
        if init:
            make = getattr(module_of(folder / f"{info['module_name']}.py"), init["func_name"])
            made = make(*(data[name] for name in init["input_args"]))
            names = init["output_args"]
            data.update(zip(names, made if len(names) > 1 else (made,), strict=True))
        plain = module_of(folder / f"{info['module_name']}_numpy.py")
        args = tuple(data[name] for name in info["input_args"])
        short = tuple((data | shorter)[name] for name in info["input_args"]) if shorter else None
        return Loaded(getattr(plain, info["func_name"]), args, {}, sizes, short)

    return load


def tiny(info: dict[str, Any]) -> dict[str, Any]:
    """Sizes for devices that are emulated: few steps, and no large array.

    Sizes that differ by their names stay apart, so that axes that are mixed up are seen.
    """
    sizes = {}
    for name, value in info["parameters"]["S"].items():
        if not isinstance(value, int) or isinstance(value, bool) or value <= 4:
            sizes[name] = value
        elif name in STEPS:
            sizes[name] = 4
        else:
            sizes[name] = value if value <= 32 else 20 + sum(map(ord, name)) % 7
    return {**sizes, **TINY.get(info["module_name"], {})}


def _variants(folder: Path, info: dict[str, Any]) -> dict[str, dict[str, Callable[[], Any]]]:
    from suites.case import module_of
    from suites.frameworks import built_by_pythran

    found: dict[str, dict[str, Callable[[], Any]]] = {}
    for framework, suffixes in SUFFIXES.items():
        for suffix in suffixes:
            path = folder / f"{info['module_name']}_{suffix}.py"
            if not path.is_file():
                continue
            importer = built_by_pythran if framework == "pythran" else module_of
            load = _getter(importer, path, info["func_name"])
            ways = ("plain", "auto") if framework == "dace" else (suffix,)
            found.setdefault(framework, {}).update(dict.fromkeys(ways, load))
    return found


def _getter(importer: Callable[[Path], Any], path: Path, name: str) -> Callable[[], Any]:
    return lambda: getattr(importer(path), name)


def main() -> int:
    """Run what the command line asks for."""
    options = command.parser(__doc__.splitlines()[0])
    presets = ("tiny", "S", "M", "L", "paper")
    options.add_argument("--preset", choices=presets, default="S", help="sizes of the arguments")
    return command.run(options.parse_args(), cases)


if __name__ == "__main__":
    raise SystemExit(main())
