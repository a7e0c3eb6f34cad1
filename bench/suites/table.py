"""The table of a suite, its means, and what to keep of it as JSON."""

from __future__ import annotations

import math
import statistics
from dataclasses import asdict
from typing import Any

from .frameworks import LABELS
from .runner import Row


def report(rows: list[Row], frameworks: list[str]) -> str:
    """Everything that is printed once all programs have run."""
    others = [name for name in frameworks if name not in ("numpy", "quernel")]
    shown = [name for name in ("quernel", *others) if name in frameworks]
    parts = [_table(rows, shown), _means(rows, shown)]
    if "quernel" in frameworks:
        parts += [_first_calls(rows), _correct(rows)]
    return "\n\n".join(part for part in parts if part)


def correct(row: Row) -> bool:
    """Whether Quernel's answers are right."""
    return not row.verdict()


def as_json(rows: list[Row], threads: int) -> list[dict[str, Any]]:
    """Rows as they are kept."""
    return [{"threads": threads, **asdict(row)} for row in rows]


def _table(rows: list[Row], shown: list[str]) -> str:
    peers = [name for name in shown if name != "quernel"]
    heads = ["program", "NumPy ms"]
    if "quernel" in shown:
        heads += ["Quernel ms", "ratio", "first call ms"]
    heads += [f"{LABELS[name]} ms" for name in peers]
    heads += ["check"] if "quernel" in shown else []
    table = []
    for row in rows:
        cells = [row.name, _ms(row.times.get("numpy"))]
        if "quernel" in shown:
            ratio = _ratio(row, "quernel")
            first = row.firsts.get("quernel")
            cells += [_ms(row.times.get("quernel")), f"{ratio:.3g}×" if ratio else "", _ms(first)]
        cells += [_peer(row, name) for name in peers]
        cells += [_check(row)] if "quernel" in shown else []
        table.append(cells)
    # What nobody has, such as times without timing, has no column.
    kept = [k for k in range(len(heads)) if any(cells[k] for cells in table)]
    lines = [[heads[k] for k in kept], ["---"] * len(kept)]
    lines += [[cells[k] for k in kept] for cells in table]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in lines)


def _check(row: Row) -> str:
    verdict = row.verdict()
    said = [("**" + verdict.replace("|", "/")[:160] + "**") if verdict else "correct"]
    said += [f"fallback: {text[:160]}" for x, text in row.fallbacks.items() if x == "quernel"]
    said += [row.note] if row.note else []
    return "; ".join(said)


def _peer(row: Row, name: str) -> str:
    label = row.best(name)
    if label is None:
        return "failed" if any(x.split(":")[0] == name for x in row.errors) else "-"
    text = _ms(row.times.get(label, row.firsts.get(label)))
    return f"{text} (wrong)" if row.wrong.get(label) else text


def _means(rows: list[Row], shown: list[str]) -> str:
    timed = {name: {row.name: r for row in rows if (r := _ratio(row, name))} for name in shown}
    timed = {name: ratios for name, ratios in timed.items() if ratios}
    if not timed:
        return ""
    common = set.intersection(*map(set, timed.values()))
    lines = ["| geometric mean over NumPy | all it has | those that all have |", "|---|---|---|"]
    for name, ratios in timed.items():
        every = f"{geomean(ratios.values()):.3g}× ({len(ratios)})"
        shared = [ratios[program] for program in common]
        both = f"{geomean(shared):.3g}× ({len(shared)})" if shared else "-"
        lines.append(f"| {LABELS[name]} | {every} | {both} |")
    return "\n".join(lines)


def _first_calls(rows: list[Row]) -> str:
    answered = [row for row in rows if "quernel" in row.firsts]
    if not answered:
        return ""
    lines = [_spread("first call", {row.name: row.firsts["quernel"] for row in answered})]
    beyond = {
        row.name: row.firsts["quernel"] - row.times["quernel"]
        for row in answered
        if "quernel" in row.times
    }
    if beyond:
        lines.append(_spread("first call beyond a later one", beyond))
    return "\n".join(lines)


def _spread(what: str, seconds: dict[str, float]) -> str:
    worst = max(seconds, key=seconds.__getitem__)
    median = statistics.median(seconds.values())
    return f"{what}: median {_ms(median)} ms, worst {_ms(seconds[worst])} ms ({worst})"


def _correct(rows: list[Row]) -> str:
    right = [row for row in rows if correct(row)]
    whole = [row for row in right if "quernel" not in row.fallbacks]
    lines = [f"correct: {len(right)} of {len(rows)}; without a fallback: {len(whole)}"]
    slower = [row.name for row in rows if 0 < (_ratio(row, "quernel") or 0) < 1]
    if any("quernel" in row.times for row in rows):
        lines.append(f"slower than NumPy: {', '.join(slower) or 'none'}")
    return "\n".join(lines)


def _ratio(row: Row, framework: str) -> float | None:
    label = row.best(framework)
    if label is None or row.wrong.get(label) or not row.times.get(label):
        return None
    return row.times["numpy"] / row.times[label] if "numpy" in row.times else None


def geomean(values: Any) -> float:
    """The geometric mean."""
    return math.exp(statistics.fmean(map(math.log, values)))


def _ms(seconds: float | None) -> str:
    return "" if seconds is None else f"{seconds * 1e3:.3g}" if seconds < 1 else f"{seconds:.3g}e3"
