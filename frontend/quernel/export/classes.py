"""The C++ header of a library: a class for each function, over the C functions."""

from __future__ import annotations

from collections.abc import Iterator

from .header import commented, described
from .interface import TYPES, Function, Library, Parameter, Result, struct_name
from .toolchain import include_folder

_HEAD = """\
// {name}: NumPy functions as classes of C++17, compiled by Quernel.
#ifndef QUERNEL_EXPORTED_{guard}_HPP
#define QUERNEL_EXPORTED_{guard}_HPP

#include "{header}"
#include <complex>
#include <tuple>

"""


def text(library: Library, header: str) -> str:
    """The header, which includes the C header of a name."""
    return "".join(_parts(library, header))


def _parts(library: Library, header: str) -> Iterator[str]:
    yield _HEAD.format(name=library.name, guard=library.name.upper(), header=header)
    yield (include_folder() / "runtime" / "exported" / "Arrays.h").read_text(encoding="utf-8")
    yield f"\nnamespace quernel::{library.name} {{\n"
    for function in library.functions:
        yield from _class(library, function)
    yield f"\n}} // namespace quernel::{library.name}\n\n#endif\n"


def class_name(function: Function) -> str:
    """``softmax_rows`` becomes ``SoftmaxRows``."""
    parts = (part[:1].upper() + part[1:] for part in function.name.split("_"))
    name = "".join(parts)
    return name if name != function.name else f"{name}Function"


def _class(library: Library, function: Function) -> Iterator[str]:
    yield "\n"
    for line in filter(None, (function.summary, *described(function))):
        yield f"/// {commented(line)}\n"
    name = class_name(function)
    parameters = ", ".join(f"{_parameter_type(p)} {p.name}" for p in function.parameters)
    yield f"class {name} {{\npublic:\n"
    yield f"  {_returned(function)} operator()({parameters}) const {{\n"
    yield from (f"    {line}\n" for line in _body(function))
    yield "  }\n\nprivate:\n"
    yield "  static void check(std::int32_t status) {\n"
    yield f"    if (status != QUERNEL_OK)\n      throw Error(status, {library.name}_error());\n"
    yield "  }\n};\n"
    yield f"inline constexpr {name} {function.name}{{}};\n"


def _parameter_type(parameter: Parameter) -> str:
    element = TYPES[parameter.dtype][2]
    if parameter.dims is None:
        return element
    constant = "" if parameter.written else "const "
    return f"View<{constant}{element}, {len(parameter.dims)}>"


def _result_type(result: Result) -> str:
    element = TYPES[result.dtype][2]
    return f"Array<{element}, {len(result.dims)}>" if result.dims else element


def _returned(function: Function) -> str:
    types = [_result_type(result) for result in function.results]
    if len(types) == 1:
        return types[0]
    return f"std::tuple<{', '.join(types)}>" if types else "void"


def _body(function: Function) -> Iterator[str]:
    name_of_class, arguments = class_name(function), []
    for parameter in function.parameters:
        if parameter.dims is None:
            arguments.append(parameter.name)
            continue
        name = f"{parameter.name}_array"
        yield from _struct(parameter, name, parameter.name)
        arguments.append(f"&{name}")
    for result in function.results:
        name = f"{result.name}_array"
        arguments.append(f"&{name}")
        if result.dims:
            yield f"{struct_name(result.dtype, len(result.dims))} {name}{{}};"
        else:
            yield f"{TYPES[result.dtype][2]} {name}{{}};"
    given = ", ".join(arguments)
    arrays = [result for result in function.results if result.dims]
    if arrays:
        yield f"{name_of_class}::check(::{function.name}_shapes({given}));"
    for result in arrays:
        name, rank = f"{result.name}_array", len(result.dims)
        yield (
            f"{_result_type(result)} {result.name}(View<{TYPES[result.dtype][2]}, {rank}>"
            f"(nullptr, {_listed(name, 'shape', rank)}, {_listed(name, 'strides', rank)}));"
        )
        yield f"{name}.data = {result.name}.data;"
    yield f"{name_of_class}::check(::{function.name}({given}));"
    for result in arrays:
        if result.count >= 0:
            yield f"{result.name}.shape[0] = {result.name}_array.shape[0];"
    names = [f"std::move({r.name})" if r.dims else f"{r.name}_array" for r in function.results]
    if len(names) == 1:
        yield f"return {names[0].removeprefix('std::move(').removesuffix(')')};"
    elif names:
        yield f"return {{{', '.join(names)}}};"


def _struct(parameter: Parameter, name: str, view: str) -> Iterator[str]:
    dims = parameter.dims or ()
    element, rank = TYPES[parameter.dtype][2], len(dims)
    parts = [f"const_cast<{element} *>({view}.data)"]
    if rank:
        parts += [_listed(view, "shape", rank), _listed(view, "strides", rank)]
    constant = "" if parameter.written else "const "
    yield f"{constant}{struct_name(parameter.dtype, rank)} {name}{{{', '.join(parts)}}};"


def _listed(name: str, part: str, rank: int) -> str:
    return "{" + ", ".join(f"{name}.{part}[{k}]" for k in range(rank)) + "}"
