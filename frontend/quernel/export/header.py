"""The C header of a library."""

from __future__ import annotations

from collections.abc import Iterator

from .interface import TYPES, Function, Library, Parameter, Result, struct_name

_HEAD = """\
/* {name}: NumPy functions as C functions, compiled by Quernel. C99, and C++. */
#ifndef QUERNEL_EXPORTED_{guard}_H
#define QUERNEL_EXPORTED_{guard}_H

#include <stdbool.h>
#include <stdint.h>

#ifndef QUERNEL_EXPORTED
#define QUERNEL_EXPORTED
#if defined(__GNUC__)
#define QUERNEL_API __attribute__((visibility("default")))
#else
#define QUERNEL_API
#endif

/** What the functions return. NAME_error() has a text for all but the first. */
enum quernel_status {{
  QUERNEL_OK = 0,
  QUERNEL_OUT_OF_MEMORY = 1,
  QUERNEL_BAD_ARGUMENT = 2, /* sizes that don't fit, no data, or shared memory that is written */
  QUERNEL_RAISED = 3,       /* the Python function would raise an exception */
  QUERNEL_NO_PROCESSOR = 4, /* the library has no code that this processor can run */
  QUERNEL_UNSUPPORTED = 5   /* only Python can do what the function would do now */
}};
#endif
"""

_COMPLEX = """
#ifndef QUERNEL_COMPLEX
#define QUERNEL_COMPLEX
#ifdef __cplusplus
#include <complex>
typedef std::complex<float> quernel_c64;
typedef std::complex<double> quernel_c128;
#else
typedef float _Complex quernel_c64;
typedef double _Complex quernel_c128;
#endif
#endif
"""

_ABOUT_ARRAYS = """
/*
 * An array is where its first element lies, how many there are along each axis, and how many
 * elements lie between two neighbours along it. Arrays without gaps in C order are taken as they
 * are; others are copied, there and back. Nobody keeps an address after a call, and functions only
 * write to what they are said to write.
 */"""

_STRUCT = """
#ifndef {guard}
#define {guard}
typedef struct {name} {{
  {type} *data;{numbers}
}} {name};
#endif
"""


def text(library: Library) -> str:
    """The header."""
    return "".join(_parts(library))


def _parts(library: Library) -> Iterator[str]:
    yield _HEAD.format(name=library.name, guard=library.name.upper())
    numbers = [item for f in library.functions for item in (*f.parameters, *f.results)]
    if any(item.dtype.startswith("complex") for item in numbers):
        yield _COMPLEX
    if library.arrays:
        yield _ABOUT_ARRAYS
    for dtype, rank in library.arrays:
        name = struct_name(dtype, rank)
        sizes = f"\n  int64_t shape[{rank}];\n  int64_t strides[{rank}];" if rank else ""
        yield _STRUCT.format(guard=name.upper(), name=name, type=TYPES[dtype][1], numbers=sizes)
    yield '\n#ifdef __cplusplus\nextern "C" {\n#endif\n'
    for function in library.functions:
        yield from _declarations(function)
    yield f"""
/** Why this thread's last call of this library didn't return QUERNEL_OK; never null. */
QUERNEL_API const char *{library.name}_error(void);

#ifdef __cplusplus
}}
#endif

#endif
"""


def _declarations(function: Function) -> Iterator[str]:
    yield "\n/**\n"
    if function.summary:
        yield f" * {commented(function.summary)}\n *\n"
    for line in described(function):
        yield f" * {commented(line)}\n"
    yield f" */\nQUERNEL_API int32_t {signature(function)};\n"
    if function.needs_shapes:
        most = (
            "; those of which the data decide are what they are at most"
            if _counted(function)
            else ""
        )
        yield (
            f"\n/** Gives the results of {function.name} the shapes and the strides that they\n"
            f" *  have for these arguments{most}.\n"
            " *  Only shapes are read, and no data have to be there yet. */\n"
            f"QUERNEL_API int32_t {signature(function, '_shapes')};\n"
        )


def _counted(function: Function) -> bool:
    return any(result.count >= 0 for result in function.results)


def described(function: Function) -> list[str]:
    """A line for each argument and result: its name, type, sizes, and what is done to it."""
    rows = []
    for parameter in function.parameters:
        note = ", written" if parameter.written else ""
        note += ", which the Python function returns" if parameter.name in function.returned else ""
        rows.append((parameter.name, _type_text(function, parameter) + note))
    for result in function.results:
        kind = "a result"
        if result.count >= 0:
            kind += "; shape[0] is the number of entries afterwards"
        if result.axes is not None:
            kind += f"; its axes lie in memory as {', '.join(map(str, result.axes))}"
        rows.append((result.name, f"{_type_text(function, result)}, {kind}"))
    width = max((len(name) for name, _ in rows), default=0)
    lines = [f"{name.ljust(width)}  {what}" for name, what in rows]
    least = [
        f"{size} is at least {least}"
        for size, least in zip(function.sizes, function.least, strict=True)
        if least and function.small is None
    ]
    return [*lines, *least]


def _type_text(function: Function, item: Parameter | Result) -> str:
    if item.dims is None or (type(item) is Result and not item.dims):
        return item.dtype
    return f"{item.dtype}[{function.shape_text(item.dims)}]"


def commented(text: str) -> str:
    """A text that doesn't end a comment."""
    return text.replace("*/", "* /")


def signature(function: Function, suffix: str = "") -> str:
    """The C function's name and parameters."""
    items = [_declared(item) for item in (*function.parameters, *function.results)]
    return f"{function.name}{suffix}({', '.join(items) or 'void'})"


def _declared(item: Parameter | Result) -> str:
    is_result = type(item) is Result
    if item.dims is None:
        return f"{TYPES[item.dtype][1]} {item.name}"
    if is_result and not item.dims:
        return f"{TYPES[item.dtype][1]} *{item.name}"
    constant = "" if is_result else "const "
    return f"{constant}{struct_name(item.dtype, len(item.dims))} *{item.name}"
