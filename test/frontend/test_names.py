"""Variables, parameters and functions may be called whatever Python allows."""

import keyword
import linecache
import re
from pathlib import Path

import numpy as np
import pytest

import quernel as qn

PRELUDES = Path(__file__).parents[2] / "compiler" / "Emit" / "Preludes"
NUMBERED = "f64x8 i64x4 u8x32"
OPERATORS = "xor and_ bitor compl not_eq"
TYPES = "int32_t uint8_t uintptr_t size_t double static wchar_t char8_t nullptr false template"
MACROS = "NULL INFINITY NAN M_PI errno assert offsetof linux unix i386 EOF I stdin"
LIBRARY = "main malloc free memcpy exp sin abs y1 j0 gamma index div printf exit hypot fma"
PROGRAM = """
def {function}({parameter}):
    {variable} = np.sin({parameter}[::2])
    for a_turn in range(3):
        {variable} = {variable} + np.sqrt(np.abs({parameter}[a_turn])) // 1
    an_end = np.exp({variable}) * {variable}.sum()
    waves = np.sin({parameter}) + np.exp({parameter}[::2]).sum()
    return waves, np.exp({parameter} * 2), np.floor({parameter} // 2), an_end, np.cumsum({variable})
"""


def defined() -> set[str]:
    """The words of the preludes outside of comments."""
    words: set[str] = set()
    for file in PRELUDES.glob("*.h"):
        words |= set(re.findall(r"\b[A-Za-z]\w*", re.sub(r"//.*", "", file.read_text())))
    return words


def usable(words: set[str]) -> list[str]:
    return sorted(word for word in words if not keyword.iskeyword(word) and word not in ("x", "np"))


GIVEN = usable({*" ".join([NUMBERED, OPERATORS, TYPES, MACROS, LIBRARY]).split()})
OURS = [word for word in usable(defined()) if word not in GIVEN]
WORDS = [*GIVEN, *OURS]
# Each is a function's name once, a parameter's and a variable's.
ROLES = list(zip(WORDS, WORDS[1:] + WORDS[:1], WORDS[2:] + WORDS[:2], strict=True))
PARTS = [ROLES[k : k + 25] for k in range(0, len(ROLES), 25)]


@pytest.mark.parametrize("roles", PARTS, ids=lambda roles: f"{roles[0][0]}-{roles[-1][0]}")
def test_any_name_compiles(roles):
    x = np.arange(6.0)
    for name, parameter, variable in roles:
        text = PROGRAM.format(function=name, parameter=parameter, variable=variable)
        file = f"<named {name}>"
        linecache.cache[file] = (len(text), None, text.splitlines(True), file)
        made = {"np": np}
        exec(compile(text, file, "exec"), made)
        given = qn.compile(made[name], fullgraph=True)(x)
        for a, b in zip(given, made[name](x), strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-12)
