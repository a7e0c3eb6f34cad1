"""NumPy's functions compiled one at a time: `quernel.numpy`."""

from __future__ import annotations

import inspect
import pickle
import pkgutil
import types
from typing import Any

import numpy as np
import pytest
import quernel.numpy.fft
import quernel.numpy.linalg
from support import assert_same, check, module_of

import quernel as qn
import quernel.numpy.random
from quernel.numpy.eager import UFUNC_METHODS, Namespace, Ufunc

X = np.array([3.0, 1.0, 2.0])
NAMESPACES = ((qn.numpy, np), (qn.numpy.linalg, np.linalg), (qn.numpy.fft, np.fft))


def test_functions_run_compiled() -> None:
    functions = (qn.numpy.sort, qn.numpy.linalg.norm, qn.numpy.fft.rfft)
    before = [function.stats() for function in functions]
    assert_same(qn.numpy.sort(X), np.sort(X))
    assert_same(qn.numpy.einsum("i,i->", X, X), np.einsum("i,i->", X, X))
    assert_same(qn.numpy.cumsum(X), np.cumsum(X))
    assert_same(qn.numpy.linalg.norm(X), np.linalg.norm(X))
    assert_same(qn.numpy.fft.rfft(X), np.fft.rfft(X))
    for function, then in zip(functions, before, strict=True):
        now = function.stats()
        assert now["calls"] > then["calls"]
        assert now["fallbacks"] == then["fallbacks"]


def test_parts_are_imported_as_numpys() -> None:
    from quernel.numpy.fft import fftn
    from quernel.numpy.linalg import inv

    assert inv is quernel.numpy.linalg.inv
    assert fftn is qn.numpy.fft.fftn
    assert isinstance(qn.numpy.linalg, Namespace)
    assert qn.numpy.linalg.__name__ == "quernel.numpy.linalg"


@pytest.mark.parametrize(("ours", "theirs"), NAMESPACES, ids=lambda module: module.__name__)
def test_every_public_name_is_there(ours: Any, theirs: Any) -> None:
    assert set(dir(ours)) >= set(theirs.__all__)
    for name in theirs.__all__:
        one, other = getattr(ours, name), getattr(theirs, name)
        assert getattr(ours, name) is one
        if isinstance(other, np.ufunc):
            assert isinstance(one, Ufunc) and one.__wrapped__ is other
        elif one is not other and not isinstance(one, Namespace):
            assert not isinstance(other, type | types.ModuleType)
            assert one.__name__ == other.__name__ and one.__doc__ == other.__doc__
    with pytest.raises(AttributeError, match="nothing"):
        ours.nothing  # noqa: B018


def test_what_is_no_computation_is_numpys() -> None:
    own = (
        "float64 ndarray dtype pi newaxis inf testing lib mgrid vectorize errstate seterr "
        "geterr save load loadtxt set_printoptions array2string test info show_config "
        "may_share_memory __version__ __array_api_version__"
    )
    for name in own.split():
        assert getattr(qn.numpy, name) is getattr(np, name)
    assert qn.numpy.linalg.LinAlgError is np.linalg.LinAlgError


def test_aliases_are_one_object() -> None:
    assert qn.numpy.abs is qn.numpy.absolute
    assert qn.numpy.concat is qn.numpy.concatenate


def test_a_ufunc_has_the_attributes_of_numpys() -> None:
    for name in ("add", "modf", "matmul", "logical_or"):
        one, other = getattr(qn.numpy, name), getattr(np, name)
        for attribute in "nin nout nargs ntypes types identity signature __name__ __doc__".split():
            assert getattr(one, attribute) == getattr(other, attribute)
        assert set(dir(one)) == set(dir(other))
    assert repr(qn.numpy.add) == "<compiled ufunc add>"
    assert isinstance(qn.numpy.add, np.ufunc) and isinstance(qn.numpy.add, Ufunc)
    assert qn.numpy.add.resolve_dtypes((np.dtype("i4"), np.dtype("f4"), None)) == (
        np.add.resolve_dtypes((np.dtype("i4"), np.dtype("f4"), None))
    )
    with pytest.raises(AttributeError, match="nothing"):
        qn.numpy.add.nothing  # noqa: B018


def test_calls_and_methods_of_ufuncs_run_compiled() -> None:
    add, where, got = qn.numpy.add, [0, 1], X.copy()
    want = X.copy()
    assert_same(add(X, 2), np.add(X, 2))
    assert_same(add.reduce(X), np.add.reduce(X))
    assert_same(add.accumulate(X), np.add.accumulate(X))
    assert_same(add.reduceat(X, where), np.add.reduceat(X, where))
    assert_same(add.outer(X, X), np.add.outer(X, X))
    add.at(got, where, 5.0)
    np.add.at(want, where, 5.0)
    assert_same(got, want)
    for name in UFUNC_METHODS:
        counts = getattr(add, name).stats()
        assert counts["calls"] and not counts["fallbacks"]
        assert getattr(add, name).__name__ == name
    assert add.stats()["calls"] >= 6 and not add.stats()["fallbacks"]
    assert add.explain(X, X).kernels


def test_signatures_are_numpys() -> None:
    for function in ("sum", "concatenate", "add", "array", "dot", "arange"):
        one, other = getattr(qn.numpy, function), getattr(np, function)
        try:
            want = inspect.signature(other)
        except ValueError:  # of what is written in C, in older releases
            continue
        assert inspect.signature(one) == want
        assert hasattr(one, "__signature__") == hasattr(other, "__signature__")


def test_what_is_written_in_c_is_pickled_and_is_no_method() -> None:
    for function in (qn.numpy.hypot, qn.numpy.array):
        assert pickle.loads(pickle.dumps(function)) is function

    class Holder:
        array = qn.numpy.array
        add = qn.numpy.add

    assert_same(Holder().array([1, 2], dtype="f4"), np.array([1, 2], dtype="f4"))
    assert_same(Holder().add(X, 1), X + 1)
    for function in (qn.numpy.hypot, qn.numpy.array):
        assert {function.__wrapped__: 1}[function] and function in [function.__wrapped__]
        assert function not in (qn.numpy.sum, qn.numpy.zeros)
    assert repr(qn.numpy.array) == "<compiled builtin_function_or_method array>"


def test_what_cannot_be_compiled_runs_in_numpy() -> None:
    with pytest.warns(qn.FallbackWarning, match="dtype object"):
        assert qn.numpy.cumprod(np.array([2, 3], object)).tolist() == [2, 6]


def test_compiled_functions_may_use_it(tmp_path: Any) -> None:
    module = module_of(
        tmp_path / "uses_namespace.py",
        "import quernel.numpy as np\nfrom quernel.numpy import add, cumsum\n"
        "def f(x):\n"
        "    total = add.reduce(cumsum(x)) + np.sum(x) + np.add.reduce(np.multiply(x, x))\n"
        "    return np.linalg.norm(x) + total\n",
    )
    check(module.f, X)


def test_compiled_functions_take_its_ufuncs() -> None:
    def combined(function: Any, x: Any) -> Any:
        return function(x, x), function.reduce(x)

    compiled = check(combined, np.add, X)
    assert_same(compiled(qn.numpy.multiply, X), (X * X, X.prod()))
    assert_same(compiled(qn.numpy.add, X), (X + X, X.sum()))
    assert not compiled.stats()["fallbacks"]


def test_no_module_of_ours_hides_a_name_of_numpys() -> None:
    ours = {module.name for module in pkgutil.iter_modules(qn.numpy.__path__)}
    assert ours & set(dir(np)) == {"random"}  # which is that namespace


KINDS = ("PCG64", "PCG64DXSM", "Philox", "SFC64", "MT19937")


def drawn(stream: Any) -> list[Any]:
    """What a few methods draw one after the other."""
    values = [stream.normal(1.0, 2.0, 5), stream.standard_normal(), stream.permutation(6)]
    return [*values, stream.choice([1, 2, 3], 4), stream.poisson(3.0, (2, 2)), stream.bytes(3)]


@pytest.mark.parametrize("kind", KINDS)
def test_streams_of_the_namespace_draw_numpys_numbers(kind) -> None:
    random = qn.numpy.random
    assert random is quernel.numpy.random and getattr(random, kind) is getattr(np.random, kind)
    made = getattr(np.random, kind)
    ours, theirs = random.Generator(made(5)), np.random.Generator(made(5))
    before = random.Generator.normal.stats()["calls"]
    assert_same(drawn(ours), drawn(theirs))
    assert random.Generator.normal.stats()["calls"] > before
    assert_same(ours.bit_generator.random_raw(), theirs.bit_generator.random_raw())
    assert isinstance(ours, np.random.Generator) and type(ours.spawn(1)[0]) is random.Generator


def test_older_streams_of_the_namespace() -> None:
    random = qn.numpy.random
    ours, theirs = random.RandomState(7), np.random.RandomState(7)
    assert_same([*drawn(ours), ours.rand(2)], [*drawn(theirs), theirs.rand(2)])
    assert ours.get_state()[2:] == theirs.get_state()[2:]  # with half of a pair of normals
    ours.seed(3)
    theirs.seed(3)
    assert ours.tomaxint() == theirs.tomaxint()
    random.seed(11)
    found = [random.normal(size=3), random.randint(9), random.random()]
    np.random.seed(11)
    assert_same(found, [np.random.normal(size=3), np.random.randint(9), np.random.random()])
    assert random.normal.stats()["calls"] > 0


def test_streams_of_the_namespace_are_made_by_seeds_and_pickles() -> None:
    random = qn.numpy.random
    stream = random.default_rng(3)
    assert_same(stream.random(), np.random.default_rng(3).random())
    assert random.default_rng(stream) is stream
    for made in (stream, random.RandomState(2)):
        made.standard_normal()
        again = pickle.loads(pickle.dumps(made))
        assert type(again) is type(made)
        assert_same(again.standard_normal(3), made.standard_normal(3))
