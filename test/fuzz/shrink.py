"""Makes a program smaller while its outcome stays what it is.

Tried are, until nothing more helps: fewer calls; fewer, plainer and smaller arguments; fewer
statements (from halves of a block down to single ones); a compound statement's body in its place;
and an expression's part, or a plain constant, for the whole of it.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Iterator

from .judge import Outcome, TooLongError, errors_in_numpy
from .program import Program

Run = Callable[[Program], Outcome]


def shrink(program: Program, run: Run, limit: int = 3000) -> tuple[Outcome, Program]:
    """The outcome of a program, and a smaller one with the same kind of outcome and reason."""
    outcome = run(program)
    if outcome.kind in ("pass", "unstable"):
        return outcome, program
    # Reasons tell kinds of refusals and internal errors apart; of values they say little.
    by_reason = outcome.kind in ("refused", "internal", "exception")
    ended = ends(program)

    def is_same(candidate: Program) -> bool:
        if outcome.kind == "refused" and ends(candidate) - ended:
            return False
        other = run(candidate)
        return other.kind == outcome.kind and (not by_reason or other.reason == outcome.reason)

    tried, changed = {program.file()}, True
    while changed and limit > 0:
        changed = False
        for steps in (calls, statements, expressions, arguments):
            moved = True
            while moved and limit > 0:
                moved = False
                for candidate in steps(program):
                    key = candidate.file()
                    if key in tried or len(key) > len(program.file()) + 40:
                        continue
                    tried.add(key)
                    limit -= 1
                    if is_same(candidate):
                        program, moved, changed = candidate, True, True
                        break
                    if limit <= 0:
                        break
    return run(program), program


def ends(program: Program) -> set[str]:
    """The exceptions that a program's calls end with in NumPy."""
    try:
        return set(errors_in_numpy(program))
    except (SyntaxError, TooLongError) as error:
        return {type(error).__name__}


def calls(program: Program) -> Iterator[Program]:
    """Fewer calls, plainer ones, smaller sizes."""
    made = program.spec["calls"]
    for keep in range(len(made)):
        if len(made) > 1:
            yield program.with_spec(calls=[made[keep]])
    for drop in range(len(made)):
        if len(made) > 1:
            yield program.with_spec(calls=made[:drop] + made[drop + 1 :])
    if program.spec["dynamic"]:
        yield program.with_spec(dynamic=None)
    for place, call in enumerate(made):
        plain = {k: v for k, v in call.items() if k != "overlap"}
        changes = [{**call, "layouts": ["C"] * len(call["layouts"])}, {**call, "special": False}]
        changes += [plain, {**call, "seed": 1}]
        changes += [{**call, "n": n, "m": m} for n, m in sizes(call["n"], call["m"])]
        for other in changes:
            if other != call:
                yield program.with_spec(calls=[*made[:place], other, *made[place + 1 :]])


def sizes(n: int, m: int) -> list[tuple[int, int]]:
    """Smaller sizes, and one size for both."""
    return [(k, j) for k, j in ((2, 2), (3, 3), (7, 7), (1, m), (2, m), (3, m), (n, 2), (n, n))
            if (k, j) != (n, m) and k <= n and j <= max(m, n)]  # fmt: skip


def arguments(program: Program) -> Iterator[Program]:
    """Fewer arguments; float64 in place of others."""
    spec = program.spec
    used = {node.id for node in ast.walk(ast.parse(program.text)) if isinstance(node, ast.Name)}
    for place, (name, dtype, shape, role) in enumerate(spec["arguments"]):
        if name not in used and len(spec["arguments"]) > 1:
            tree = ast.parse(program.text)
            define = compute_of(tree)
            del define.args.args[place]
            changed = [
                {
                    **{k: v for k, v in call.items() if k != "overlap"},
                    "layouts": [x for i, x in enumerate(call["layouts"]) if i != place],
                }
                for call in spec["calls"]
            ]
            rest = [x for i, x in enumerate(spec["arguments"]) if i != place]
            yield program.with_text(text_of(tree)).with_spec(arguments=rest, calls=changed)
        elif shape and dtype != "float64" and role != "index":
            for other in ("float64", "int64"):
                if other == dtype:
                    break
                changed = list(spec["arguments"])
                changed[place] = [name, other, shape, role]
                yield program.with_spec(arguments=changed)


def compute_of(tree: ast.Module) -> ast.FunctionDef:
    return next(n for n in tree.body if isinstance(n, ast.FunctionDef) and n.name == "compute")


def text_of(tree: ast.AST) -> str:
    return ast.unparse(ast.fix_missing_locations(tree)) + "\n"


def blocks(tree: ast.AST) -> list[tuple[ast.AST, str]]:
    """Every list of statements, as node and field, the longest first."""
    found = []
    for node in ast.walk(tree):
        for field in ("body", "orelse", "finalbody"):
            if isinstance(getattr(node, field, None), list):
                found.append((node, field))
    return found


def statements(program: Program) -> Iterator[Program]:
    """Programs without some statements, or with a body in place of its statement."""
    tree = ast.parse(program.text)
    for number, (node, field) in enumerate(blocks(tree)):
        count = len(getattr(node, field))
        size = count
        while size >= 1:
            for start in range(0, count, size):
                yield from without(program, number, start, min(start + size, count))
            size //= 2
        for place, inner in enumerate(getattr(node, field)):
            for part in ("body", "orelse"):
                if isinstance(getattr(inner, part, None), list) and getattr(inner, part):
                    yield from lifted(program, number, place, part)


def without(program: Program, number: int, start: int, end: int) -> Iterator[Program]:
    """The program without the statements from start to end of a block."""
    tree = ast.parse(program.text)
    node, field = blocks(tree)[number]
    body = getattr(node, field)
    kept = body[:start] + body[end:]
    dropped = body[start:end]
    if any(isinstance(x, (ast.Import, ast.ImportFrom)) for x in dropped):
        return
    if any(isinstance(x, ast.FunctionDef) and x.name == "compute" for x in dropped):
        return
    if not kept and field == "body":
        if isinstance(dropped[0], ast.Pass):
            return
        kept = [ast.Pass()]
    setattr(node, field, kept)
    yield program.with_text(text_of(tree))


def lifted(program: Program, number: int, place: int, part: str) -> Iterator[Program]:
    """The program with the body of a statement in its place."""
    tree = ast.parse(program.text)
    node, field = blocks(tree)[number]
    body = getattr(node, field)
    if isinstance(body[place], ast.FunctionDef):
        return
    setattr(node, field, body[:place] + getattr(body[place], part) + body[place + 1 :])
    yield program.with_text(text_of(tree))


def expressions(program: Program) -> Iterator[Program]:
    """Programs with a simpler expression somewhere."""
    tree = ast.parse(program.text)
    total = sum(1 for _ in places(tree))
    for number in range(total):
        node, _, _ = list(places(tree))[number]
        for simple in simpler(node):
            other = copy.deepcopy(tree)
            _, parent, (field, index) = list(places(other))[number]
            if index is None:
                setattr(parent, field, simple)
            else:
                getattr(parent, field)[index] = simple
            try:
                yield program.with_text(text_of(other))
            except (ValueError, AttributeError):
                continue


def places(tree: ast.AST) -> Iterator[tuple[ast.expr, ast.AST, tuple[str, int | None]]]:
    """Every expression that is read, with where it stands."""
    for parent in ast.walk(tree):
        for field, value in ast.iter_fields(parent):
            items = enumerate(value) if isinstance(value, list) else [(None, value)]
            for index, item in items:
                context = getattr(item, "ctx", None)
                if isinstance(item, ast.expr) and not isinstance(context, (ast.Store, ast.Del)):
                    yield item, parent, (field, index)


def simpler(node: ast.expr) -> list[ast.expr]:
    """What may stand in place of an expression: its parts, or a constant."""
    found: list[ast.expr] = []
    if isinstance(node, ast.Tuple) and len(node.elts) > 1:
        for drop in range(len(node.elts)):
            kept = node.elts[:drop] + node.elts[drop + 1 :]
            found.append(kept[0] if len(kept) == 1 else ast.Tuple(kept, ast.Load()))
        return found
    if isinstance(node, ast.Call):
        found += node.args
        if isinstance(node.func, ast.Attribute) and getattr(node.func.value, "id", "") != "np":
            found.append(node.func.value)
    elif isinstance(node, (ast.Subscript, ast.Starred)):
        found.append(node.value)
    elif not isinstance(node, (ast.Slice, ast.Attribute, ast.Constant, ast.Name)):
        found += [x for x in ast.iter_child_nodes(node) if isinstance(x, ast.expr)]
    if isinstance(node, ast.Slice):
        if node.step is not None:
            found.append(ast.Slice(node.lower, node.upper, None))
        return found
    if not isinstance(node, (ast.Constant, ast.Name, ast.Attribute)):
        found += [ast.Constant(0), ast.Constant(1)]
    return found
