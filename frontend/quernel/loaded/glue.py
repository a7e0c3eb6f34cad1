"""The text around a user's text: a header, and an entry of the kernel ABI for each function."""

from __future__ import annotations

import functools
import os

from .signatures import Part, Signature, Size

_TYPES = {"bool": "bool", "float16": "_Float16", "float32": "float", "float64": "double"}
_TYPES |= {"complex64": "qn::complex<float>", "complex128": "qn::complex<double>"}
PARAMETERS = "const qn_context *context, void *const *buffers, const int64_t *sizes"
#: The first code of abi.h that is an error of a program's own.
FIRST_ERROR = 16
INCLUDE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "include")


@functools.lru_cache(maxsize=1)
def header() -> str:
    """The text of quernel.h."""
    with open(os.path.join(INCLUDE, "quernel.h"), encoding="utf-8") as file:
        return file.read()


def whole_text(text: str, name: str, entries: dict[str, tuple[str, Signature]]) -> str:
    """What is compiled of a user's text.

    Parameters
    ----------
    name : str
        What diagnostics call the text.
    entries : dict
        The function and its signature, by the names of the entries.
    """
    parts = [line_text("quernel.h"), header(), line_text(name), text.rstrip("\n")]
    for entry, (function, signature) in entries.items():
        parts += [line_text(f"the signature of {function}"), entry_text(entry, function, signature)]
        if signature.has_shapes:
            parts.append(_shapes_text(entry, signature))
        if signature.has_status:
            parts.append(_checked_text(entry, signature))
    return "\n".join(parts) + "\n"


def line_text(name: str) -> str:
    """A directive by which diagnostics call the next lines so."""
    escaped = name.replace("\\", "\\\\").replace('"', '\\"')
    return f'#line 1 "{escaped}"'


def entry_text(entry: str, function: str, signature: Signature) -> str:
    """The entry of a function.

    Its buffers are the arguments that are only read, those that are written, the results and the
    status.
    """
    buffers = (*signature.read, *signature.written)
    places = {part.number: place for place, part in enumerate(buffers)}
    given = ["*context"] if signature.takes_context else []
    given += [_argument(part, places[part.number], signature) for part in signature.parameters]
    is_returned = (
        len(signature.results) == 1
        and signature.results[0].sizes is None
        and not signature.has_status
    )
    target = ""
    for place, part in enumerate(signature.results, len(buffers)):
        if part.sizes is not None:
            given.append(array_text(part, place, signature))
        elif is_returned:
            target = f"*({type_text(part)} *)buffers[{place}] = "
        else:
            given.append(f"*({type_text(part)} *)buffers[{place}]")
    if signature.has_status:
        target = f"*(int64_t *)buffers[{len(buffers) + len(signature.results)}] = "
    lines = [f'extern "C" int32_t {entry}({PARAMETERS}) {{']
    lines.append(f"  auto call = [&] {{ return ::{function}(")
    lines.append(",\n".join(f"    {item}" for item in given) + "); };")
    if not target:
        what = "the function returns what its signature doesn't have"
        lines.append(f'  static_assert(qn::gives_nothing<decltype(call())>, "{what}");')
    return "\n".join([*lines, f"  {target}call();", "  return 0;", "}"])


def shapes_entry(entry: str) -> str:
    """The name of what computes the sizes of an entry's results."""
    return f"{entry}_shapes"


def names_of(entry: str) -> tuple[str, ...]:
    """The names that a text may have for an entry."""
    return (entry, shapes_entry(entry), checked_entry(entry))


def checked_entry(entry: str) -> str:
    """The name of an entry that ends with an error where the status isn't 0."""
    return f"{entry}_checked"


def _checked_text(entry: str, signature: Signature) -> str:
    count = len(signature.parameters) + len(signature.results)
    buffers = "".join(f"buffers[{k}], " for k in range(count))
    return f"""extern "C" int32_t {checked_entry(entry)}({PARAMETERS}) {{
  int64_t status = 0;
  void *const all[] = {{{buffers}&status}};
  const int32_t code = {entry}(context, all, sizes);
  return code || !status ? code : context->fail(context, {FIRST_ERROR}, &status, 1);
}}"""


def _shapes_text(entry: str, signature: Signature) -> str:
    sizes = [size_text(size, signature) for part in signature.results for size in part.sizes or ()]
    body = " ".join(f"dims[{k}] = {size};" for k, size in enumerate(sizes))
    return (
        f'extern "C" void {shapes_entry(entry)}(const int64_t *sizes, int64_t *dims) {{ {body} }}'
    )


def _argument(part: Part, place: int, signature: Signature) -> str:
    if part.sizes is None:
        return f"*(const {type_text(part)} *)buffers[{place}]"
    return array_text(part, place, signature)


def array_text(part: Part, place: int, signature: Signature) -> str:
    """The array whose elements an entry's buffer has; a result that is a number is one, too."""
    is_read = any(part is other for other in signature.read)
    element = f"const {type_text(part)}" if is_read else type_text(part)
    sizes = ", ".join(size_text(size, signature) for size in part.sizes or ())
    return f"qn::array<{element}, {part.rank}>(({element} *)buffers[{place}], {{{sizes}}})"


def type_text(part: Part, is_device: bool = False) -> str:
    """The type of a number or of an array's elements."""
    if is_device and part.dtype == "float16":
        return "qn::half"
    return _TYPES.get(part.dtype) or f"{part.dtype}_t"


def size_text(size: Size, signature: Signature) -> str:
    """A size, where `sizes` are those that have names."""

    def text(tree: object) -> str:
        if isinstance(tree, tuple):
            operator, left, right = tree[0], text(tree[1]), text(tree[2])
            if operator == "//":
                return f"qn::floor_div({left}, {right})"
            return f"({left} {operator} {right})"
        if isinstance(tree, str):
            return f"sizes[{signature.names.index(tree)}]"
        return f"int64_t({tree})"

    return text(size.tree)
