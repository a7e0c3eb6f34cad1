"""Fills the hooks by which captured code comes to NumPy's functions, when it is loaded."""

from __future__ import annotations

from typing import Any

from ..traced.dispatch import OPERATOR, dispatch
from . import calling, ufuncs


def _ufunc(ufunc: Any, method: str, inputs: tuple, kwargs: dict[str, Any]) -> Any:
    if method in ("__call__", OPERATOR):
        return ufuncs.called(ufunc, inputs, kwargs, method == OPERATOR)
    from . import ufunc_methods  # which programs seldom need

    return ufunc_methods.called(ufunc, method, inputs, kwargs)


def _stream(state: Any, obj: Any) -> Any:
    from . import legacy_streams, streams  # which programs seldom need

    is_legacy = type(obj).__name__ == "RandomState"
    return (legacy_streams.LegacyStream if is_legacy else streams.Stream)(state, obj)


dispatch.ufunc = _ufunc
dispatch.function = calling.call
dispatch.stand_in = calling.stand_in
dispatch.stream = _stream
