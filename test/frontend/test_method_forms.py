"""What NumPy's methods and functions take by place and by name, and what they refuse."""

from __future__ import annotations

import numpy as np
import pytest
from support import module_of

import quernel as qn

FORMS = [
    "x.clip(0.5, min=2)",
    "x.clip(1, 2, max=3)",
    "x.clip(a_min=1)",
    "x.clip()",
    "x.clip(min=1)",
    "x.clip(1, nope=2)",
    "np.clip(x)",
    "np.clip(x, 1)",
    "np.clip(x, a_min=1, max=2)",
    "np.clip(x, 1, 2, max=1)",
    "np.clip(x, None, 2)",
    "np.clip(x, min=1, max=2)",
    "x.sum(0, axis=1)",
    "x.sum(a=1)",
    "x.sum(None, None, None, True)",
    "np.sum(x, 0, axis=1)",
    "np.sum(x, a=1)",
    "x.any(0, None, True)",
    "x.any(axis=0, keepdims=True)",
    "x.var(correction=1)",
    "x.std(0, None, None, 1)",
    "np.var(x, correction=1)",
    "x.transpose(axes=(1, 0))",
    "x.transpose(1, 0)",
    "x.swapaxes(axis1=0, axis2=1)",
    "x.swapaxes(0, 1)",
    "x.put(ind=[1], v=3)",
    "x.put([1], v=3)",
    "x.put(indices=[1], values=3)",
    "x.fill(value=3)",
    "x.argsort(-1, None, None, True)",
    "x.argsort(axis=0, stable=True)",
    "x.take([1], 0, None, 'clip')",
    "x.dot(b=x.T)",
    "x.trace(1, 0, 1, 'f4')",
    "x.repeat(repeats=2)",
    "x.repeat()",
    "x.nonzero(1)",
    "np.concatenate([x, x], 1, axis=0)",
    "np.take(x, [1], dim=0)",
    "np.sort(x, 0, axis=1)",
    "np.linalg.norm(x, dim=1)",
    "np.mean(x, 0, None, None, True, 1)",
]


@pytest.fixture(scope="module")
def functions(tmp_path_factory):
    """A function for each form, which gives its value and the array."""
    lines = [f"def f{k}(x):\n    return {form}, x" for k, form in enumerate(FORMS)]
    text = "\n".join(["import numpy as np", *lines, ""])
    return module_of(tmp_path_factory.mktemp("forms") / "forms.py", text)


def outcome(function):
    """The value of a call and its array, or the class and the text of its error."""
    try:
        value, x = function(np.arange(12.0).reshape(3, 4))
    except (TypeError, ValueError) as error:
        return type(error), str(error)
    return np.asarray(value).tolist(), getattr(value, "dtype", None), x.tolist()


@pytest.mark.parametrize("number", range(len(FORMS)), ids=FORMS)
def test_forms_of_calls(functions, number):
    function = getattr(functions, f"f{number}")
    compiled = qn.compile(function, fullgraph=True)  # also an error is the program's own
    assert outcome(compiled) == outcome(function)
    assert outcome(compiled) == outcome(function)
