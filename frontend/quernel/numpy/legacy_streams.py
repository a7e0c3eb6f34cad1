"""What a RandomState draws, the functions of `np.random` among it, in the ways of older NumPys."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..traced.location import OUTSIDE
from ..traced.tracer import current
from .calling import captured
from .distributions import AT_LEAST_ONE, DISTRIBUTIONS, Distribution, Parameter
from .streams import Stream, is_integer, taken

# Distributions that a Generator draws in the same way.
_SHARED = {
    *("gumbel", "laplace", "logistic", "multinomial", "permutation", "poisson", "random"),
    "triangular",
}
_NGOOD, _NBAD, _ = DISTRIBUTIONS["hypergeometric"].parameters
# Those of which older NumPys demand something else of the parameters.
_OTHERS = {
    "hypergeometric": Distribution(
        "int64", (_NGOOD, _NBAD, Parameter("nsample", (AT_LEAST_ONE,), dtype="int64"))
    )
}


class LegacyStream(Stream):
    """What captured code has in place of a RandomState."""

    is_legacy = True

    def _distribution(self, name: str) -> Distribution:
        return _OTHERS.get(name) or super()._distribution(name)

    def _row_of(self, name: str) -> str:
        return name if name in _SHARED else f"legacy_{name}"

    def random_sample(self, size: Any = None) -> Any:
        """Uniform numbers from 0 to 1."""
        return self._typed("random", size, np.float64, None)

    random = ranf = sample = random_sample

    def rand(self, *args: Any) -> Any:
        """The same, the sizes one by one."""
        return self.random_sample(args or None)

    def standard_normal(self, size: Any = None) -> Any:
        """Normal numbers."""
        return self._typed("standard_normal", size, np.float64, None)

    def randn(self, *args: Any) -> Any:
        """The same, the sizes one by one."""
        return self.standard_normal(args or None)

    def standard_exponential(self, size: Any = None) -> Any:
        """Exponential numbers."""
        return self._typed("standard_exponential", size, np.float64, None)

    def standard_gamma(self, shape: Any, size: Any = None) -> Any:
        """Numbers of gamma distributions of scale 1."""
        return super().standard_gamma(shape, size)

    def randint(self, low: Any, high: Any = None, size: Any = None, dtype: Any = int) -> Any:
        """Integers between two bounds, the upper one left out."""
        return self._integers("masked_integers", low, high, size, dtype, False)

    def permutation(self, x: Any) -> Any:
        """As a Generator's, along the first axis."""
        return super().permutation(x)

    def shuffle(self, x: Any) -> None:
        """As a Generator's, along the first axis."""
        super().shuffle(x)

    def choice(self, a: Any, size: Any = None, replace: Any = True, p: Any = None) -> Any:
        """Elements of an array, or places of an integer."""
        if p is not None and not replace:
            current().fail("a choice without replacement by probabilities", OUTSIDE)
        return captured(_choice, self, a, size, replace, p, is_integer(a))


def _choice(stream: Any, a: Any, size: Any, replace: Any, p: Any, is_count: bool) -> Any:
    if is_count:
        count = int(a)
    else:
        a = np.asarray(a)
        if a.ndim != 1:
            raise ValueError("a must be 1-dimensional")
        count = a.shape[0]
    shape = () if size is None else size
    total = int(np.prod(shape))
    if count <= 0 and total != 0:
        if is_count:
            raise ValueError("a must be greater than 0 unless no samples are taken")
        raise ValueError("'a' cannot be empty unless no samples are taken")
    if p is not None:
        p = np.asarray(p)
        tolerance = np.sqrt(np.finfo(p.dtype if p.dtype.kind == "f" else np.float64).eps)
        tolerance = max(float(tolerance), float(np.sqrt(np.finfo(np.float64).eps)))
        p = p.astype(np.float64)
        if p.ndim != 1:
            raise ValueError("'p' must be 1-dimensional")
        if p.size != count:
            raise ValueError("'a' and 'p' must have same size")
        whole = np.sum(p)
        if np.isnan(whole):
            raise ValueError("probabilities contain NaN")
        if np.any(p < 0):
            raise ValueError("probabilities are not non-negative")
        if abs(whole - 1.0) > tolerance:
            raise ValueError("probabilities do not sum to 1")
    if replace and p is not None:
        cdf = p.cumsum()
        cdf /= cdf[-1]
        places = np.asarray(cdf.searchsorted(stream.random_sample(shape), side="right"))
    elif replace:
        places = stream.randint(0, count, size=shape)
    else:
        if total > count:
            raise ValueError("Cannot take a larger sample than population when 'replace=False'")
        if total < 0:
            raise ValueError("Negative dimensions are not allowed")
        places = stream.permutation(count)[:total].reshape(shape)
    if is_count:
        return int(places) if size is None else places
    return taken(a, places, 0, size)
