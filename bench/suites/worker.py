"""The child process of one program: first calls, comparisons, then interleaved rounds."""

from __future__ import annotations

import copy
import statistics
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from timing import REST, rested

from .case import Case, Loaded
from .compare import arrays, difference, near
from .frameworks import Candidate, candidates, import_quietly

Send = Callable[..., None]


@dataclass(frozen=True)
class Settings:
    """What the command line says about every program."""

    frameworks: tuple[str, ...]
    repeat: int
    seconds: float
    timeout: float
    check_only: bool
    fullgraph: bool
    device: str | None


class Run:
    """One candidate in this process, ready to be called on new copies of the arguments."""

    def __init__(self, candidate: Candidate, loaded: Loaded) -> None:
        self.candidate = candidate
        self.loaded = loaded
        self.function: Callable[..., Any] | None = None

    def __call__(self, short: bool = False) -> tuple[float, Any, Any]:
        """Seconds, the result, and the arguments as they are afterwards."""
        chosen = self.loaded.short if short else self.loaded.args
        # One deepcopy keeps an array that is passed twice one array.
        args, kwargs = copy.deepcopy((chosen, self.loaded.kwargs))
        args = tuple(self.candidate.prepare(value) for value in args)
        start = time.perf_counter()
        if self.function is None:
            self.function = self.candidate.make()
        result = self.candidate.finish(self.function(*args, **kwargs))
        return time.perf_counter() - start, result, (*args, kwargs)

    def seconds(self) -> float:
        """Seconds of a call after a rest."""
        return rested(lambda: self()[0])


def work(case: Case, settings: Settings, excluded: set[str], send: Send) -> None:
    """Run one program with every candidate that isn't excluded, and report by `send`."""
    warnings.simplefilter("ignore")
    send("stage", "numpy")
    loaded = case.load()
    chosen = [name for name in settings.frameworks if name not in excluded]
    for name in chosen:
        import_quietly(name)
    found = candidates(case, loaded, chosen, settings.fullgraph, settings.device)
    runs = [Run(one, loaded) for one in found if one.label not in excluded]
    expected = _outcome(runs[0])
    short = _outcome(runs[0], True) if loaded.short else None
    send("first", "numpy", expected[0], "", "")
    ready = [runs[0]]
    for run in runs[1:]:
        label = run.candidate.label
        send("stage", label)
        # A run whose values can't be compared still has to have the same finite elements.
        scale = 1e300 if short else case.scale
        try:
            seconds, wrong, note = _first_call(run, expected, scale)
            if short and not wrong:
                wrong = _wrong(run, _outcome(run, True), short, case.scale)
        except Exception as error:
            send("failed", label, _reason(error))
            continue
        send("first", label, seconds, wrong, note)
        ready.append(run)
    del expected, short
    if not settings.check_only:
        _rounds(ready, settings, send)


def _outcome(run: Run, short: bool = False) -> tuple[float, Any, Any]:
    with np.errstate(all="ignore"):
        return run(short)


def _first_call(run: Run, expected: tuple, scale: float) -> tuple[float, str, str]:
    """Seconds of the first call, what is wrong with it or with the next one, and fallbacks."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        time.sleep(REST)
        got = _outcome(run)
    seconds, wrong = got[0], _wrong(run, got, expected, scale)
    del got
    if run.candidate.framework != "quernel":
        return seconds, wrong, ""
    if not wrong:
        wrong = _wrong(run, _outcome(run), expected, scale)
        wrong = wrong and f"second call: {wrong}"
    note = ""
    if run.function.stats()["fallbacks"]:
        texts = [str(warning.message) for warning in caught]
        note = next((text for text in texts if "runs in NumPy" in text), "fallback")
        file = run.loaded.function.__code__.co_filename
        note = (note.partition("runs in NumPy: ")[2] or note).replace(file, Path(file).name)
    return seconds, wrong, note


def _wrong(run: Run, got: tuple, want: tuple, scale: float) -> str:
    framework = run.candidate.framework
    if framework == "quernel":
        return _difference(got[1:], want[1:], scale)
    return _peer_difference(framework, got[1:], want[1:], scale)


def _difference(got: tuple, want: tuple, scale: float) -> str:
    wrong = difference(got[0], want[0], "return", scale)
    if wrong:
        return wrong
    *positional, keywords = zip(got[1], want[1], strict=True)
    for k, pair in enumerate(positional):
        wrong = difference(*pair, f"argument {k}", scale)
        if wrong:
            return wrong
    return difference(*keywords, "keywords", scale)


def _peer_difference(framework: str, got: tuple, want: tuple, scale: float) -> str:
    """Whether values differ; dtypes are the peers' own, and JAX returns what it can't write."""
    results, returned = arrays(got[0]), arrays(want[0])
    if framework == "jax":
        outcome = [*returned, *arrays(want[1])]
        pairs = [next((one for one in outcome if near(r, one, scale)), None) for r in results]
        return "" if results and all(one is not None for one in pairs) else "other values"
    got_all, want_all = [*results, *arrays(got[1])], [*returned, *arrays(want[1])]
    same = len(got_all) == len(want_all) and all(
        map(near, got_all, want_all, [scale] * len(want_all))
    )
    return "" if same else "other values"


def _rounds(runs: list[Run], settings: Settings, send: Send) -> None:
    """Every round calls every candidate once, so that a slow second hits all of them."""
    times: dict[str, list[float]] = {run.candidate.label: [] for run in runs}
    failed: set[str] = set()
    for turn in range(settings.repeat):
        for run in runs:
            label = run.candidate.label
            if label in failed:
                continue
            send("stage", label)
            try:
                with np.errstate(all="ignore"):
                    times[label].append(run.seconds())
            except Exception as error:
                failed.add(label)
                send("failed", label, _reason(error))
        if turn >= 2 and sum(map(sum, times.values())) > settings.seconds:
            break
    for label, values in times.items():
        if label not in failed:
            send("time", label, statistics.median(values))


def _reason(error: BaseException) -> str:
    """One line that says what went wrong, and where in the program."""
    reason = str(getattr(error, "reason", error)).strip().splitlines()
    text = reason[0] if reason else ""
    line = getattr(error, "line", None)
    place = f" (line {line})" if line is not None else ""
    named = type(error).__name__
    return f"{text}{place}" if named == "UnsupportedError" else f"{named}: {text}{place}"
