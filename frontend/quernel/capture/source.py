"""The syntax trees of functions, found by their code objects."""

from __future__ import annotations

import ast
import copy
import dis
import functools
import types
import warnings
from collections.abc import Iterator
from typing import Any

from ..files import source_lines
from ..signals import let_out
from ..traced.location import is_numpys
from .comprehensions import chosen_loops, loopable, with_loops
from .growing import chosen_lists, with_growing
from .list_uses import growable_lists, lists_apart, pops_apart
from .private_names import spell_private_names
from .rewriting import lines_of_loops, plain_choices, plain_conditions, plain_targets
from .scopes import Liveness, Scope, own_nodes, scope_of, spelled
from .trees import walk

_FUNCTIONS = (ast.FunctionDef, ast.Lambda)
_GENERATORS = (
    0x20 | 0x80 | 0x100 | 0x200
)  # generator, coroutine, iterable coroutine, async generator
_FUTURES = 0x1FF0000  # flags that `from __future__ import` sets


class Definition:
    """A function as it is written.

    Attributes
    ----------
    node : ast.FunctionDef or ast.Lambda
    file : str
    scope : Scope
        Which of its names are its own.
    binder : code
        A function with its parameters that returns them as a dict.
    body : list of ast.stmt
    loopable : frozenset of tuple
        The comprehensions that can be loops.
    """

    def __init__(self, node: Any, file: str, name: str, qualname: str) -> None:
        self.node, self.file, self.name, self.qualname = node, file, name, qualname
        written = plain_targets([node])[0]  # with names of its own for the items of loops
        self.scope: Scope = scope_of(written)
        self.binder = _binder(node, file, name, qualname)
        if isinstance(node, ast.Lambda):
            self.body: list[ast.stmt] = [ast.copy_location(ast.Return(node.body), node.body)]
        else:
            plain = plain_choices(plain_conditions(written.body))
            self.body = lists_apart(pops_apart(plain, self.scope), self.scope)
        self._liveness: Liveness | None = None
        self.scope.growable = {
            name: (file, node.lineno, self.name, name, is_typed)
            for name, is_typed in growable_lists(self.body, self.scope).items()
        }
        self._growing: dict[frozenset[str], Definition] = {}
        self._looped: dict[frozenset[tuple], Definition] = {}
        self._whole: dict[frozenset[int], Definition] = {}
        self._whiles = lines_of_loops(self.body)
        can_loop = not is_numpys(file) and isinstance(node, ast.FunctionDef)
        self.loopable = loopable(self.body, file) if can_loop else frozenset()

    @property
    def liveness(self) -> Liveness:
        """Which of its names are needed where."""
        if self._liveness is None:
            self._liveness = Liveness(self.body, self.scope.captured)
        return self._liveness

    def with_growing(self, tracer: Any) -> Definition:
        """The definition with those lists in another form that grow in a capture.

        Those of comprehensions that are loops in this capture are such lists, too.
        """
        lines = {line for file, line in tracer.choices.conditions if file == self.file}
        whole = frozenset(lines & self._whiles)
        if whole:
            return self._with_conditions(whole).with_growing(tracer)
        sites = chosen_loops(self.loopable)
        if sites:
            if sites not in self._looped:
                node = with_loops(self.node, self.file, sites)
                self._looped[sites] = Definition(node, self.file, self.name, self.qualname)
            return self._looped[sites].with_growing(tracer)
        names = chosen_lists(tracer, self.scope.growable)
        if not names:
            return self
        if names not in self._growing:
            made = self._growing[names] = copy.copy(self)
            made.body = with_growing(self.body, self.scope, names)
            made._liveness = None
        return self._growing[names]

    def _with_conditions(self, lines: frozenset[int]) -> Definition:
        """The definition with the conditions of some `while` loops as a part of the body."""
        if lines not in self._whole:
            made = self._whole[lines] = copy.copy(self)
            made.body = plain_conditions(self.body, lines)
            made._liveness, made._whiles, made._whole = None, frozenset(), {}
            made._growing, made._looped, made.loopable = {}, {}, frozenset()
        return self._whole[lines]

    @functools.cached_property
    def generates(self) -> bool:
        """Whether a call gives a generator."""
        return any(isinstance(part, (ast.Yield, ast.YieldFrom)) for part in own_nodes(self.body))


_TREES: dict[str, tuple[list[str], dict[tuple[int, str], list[ast.AST]]]] = {}
_IMPORTS: dict[str, list[ast.stmt]] = {}
_DEFINITIONS: dict[tuple[str, types.CodeType], Definition | None] = {}
_INNER: dict[tuple[int, str], tuple[ast.AST, Definition]] = {}


def definition_of(code: types.CodeType, namespace: dict[str, Any]) -> Definition | None:
    """The definition of a function, or None where its source can't be found."""
    key = (code.co_filename, code)
    if key not in _DEFINITIONS:
        _DEFINITIONS[key] = _find(code, namespace)
    return _DEFINITIONS[key]


def inner_definition(node: ast.AST, file: str, outer: str) -> Definition:
    """The definition of a function inside another one."""
    key = (id(node), file)
    if key not in _INNER:
        name = spelled(getattr(node, "name", "<lambda>"))
        _INNER[key] = (node, Definition(node, file, name, f"{outer}.<locals>.{name}"))
    return _INNER[key][1]


def made_function(
    node: ast.FunctionDef, file: str, like: types.FunctionType, cells: dict[str, Any]
) -> types.FunctionType:
    """A function from a tree, in the place of another one.

    Parameters
    ----------
    cells : dict
        The variables of functions around it.
    """
    placed = ast.fix_missing_locations(node)
    code = _compiled(placed, _outer(cells), file, like.__code__.co_flags)
    closure = tuple(cells[name] for name in code.co_freevars)
    made = types.FunctionType(code, like.__globals__, like.__name__, None, closure)
    made.__qualname__, made.__module__ = like.__qualname__, like.__module__
    _DEFINITIONS[file, code] = Definition(node, file, code.co_name, like.__qualname__)
    return made


def is_generator(code: types.CodeType) -> bool:
    """Whether calls of a function give a generator or a coroutine."""
    return bool(code.co_flags & _GENERATORS)


def has_loop(code: types.CodeType) -> bool:
    """Whether a function, or one inside of it, goes back to an instruction that it has been at."""
    jumps = {*dis.hasjrel, *dis.hasjabs}
    steps = dis.get_instructions(code)
    if any(step.opcode in jumps and step.argval < step.offset for step in steps):
        return True
    inner = (part for part in code.co_consts if isinstance(part, types.CodeType))
    return any(map(has_loop, inner))


def _find(code: types.CodeType, namespace: dict[str, Any]) -> Definition | None:
    file = code.co_filename
    candidates = _index(file, namespace).get((code.co_firstlineno, code.co_name), [])
    # pytest rewrites asserts, so that the code isn't quite what is written.
    rewritten = any(name.startswith("@py") for name in (*code.co_varnames, *code.co_names))
    for node in candidates:
        if rewritten or _is_code_of(node, code):
            qualname = getattr(code, "co_qualname", code.co_name)
            return Definition(node, file, code.co_name, qualname)
    return None


def _index(file: str, namespace: dict[str, Any]) -> dict[tuple[int, str], list[ast.AST]]:
    """The functions in a file by first line and name."""
    lines = source_lines(file, namespace)
    known = _TREES.get(file)
    if known is not None and known[0] == lines:
        return known[1]
    index: dict[tuple[int, str], list[ast.AST]] = {}
    _IMPORTS[file] = []
    for node in _functions("".join(lines), file):
        decorators = getattr(node, "decorator_list", [])
        first = min([node.lineno, *(item.lineno for item in decorators)])
        index.setdefault((first, getattr(node, "name", "<lambda>")), []).append(node)
    _TREES[file] = (lines, index)
    return index


def _functions(text: str, file: str) -> Iterator[Any]:
    try:
        with warnings.catch_warnings():  # which the user has heard when the file was loaded
            warnings.simplefilter("ignore")
            tree = ast.parse(text, file)
    except (SyntaxError, ValueError) as error:
        let_out(error)
        return
    spell_private_names(tree)
    # Those of the future can't follow one another, and are in the code's flags.
    _IMPORTS[file] = [
        node
        for node in own_nodes(tree.body)
        if isinstance(node, ast.Import)
        or (isinstance(node, ast.ImportFrom) and node.module != "__future__")
    ]
    for node in walk(tree):
        if isinstance(node, _FUNCTIONS):
            yield node


def _compiled(node: Any, outer: ast.FunctionDef, file: str, flags: int) -> types.CodeType:
    """The code of a function that stands inside another one.

    Calls of functions of imported modules have code of their own, hence the imports.
    """
    plain = ast.copy_location(type(node)(**dict(ast.iter_fields(node))), node)
    if isinstance(node, ast.Lambda):
        outer.body = [ast.copy_location(ast.Return(plain), node)]
    else:
        plain.decorator_list = []
        # Inside of itself the function is what it was where it stood: a global, or a variable.
        named = ast.copy_location(ast.Global([node.name]), node)
        outer.body = [plain] if node.name in _parameters(outer) else [named, plain]
    tree = ast.Module([*_IMPORTS.get(file, []), outer], [])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        module = compile(tree, file, "exec", flags & _FUTURES, dont_inherit=True)
    codes = [c for c in module.co_consts if isinstance(c, types.CodeType)]
    holder = next(c for c in codes if c.co_name == outer.name)
    name = getattr(node, "name", "<lambda>")
    codes = [c for c in holder.co_consts if isinstance(c, types.CodeType)]
    return next(c for c in reversed(codes) if c.co_name == name)


def _parameters(function: ast.FunctionDef) -> list[str]:
    return [arg.arg for arg in function.args.args]


def _outer(names: Any) -> ast.FunctionDef:
    return ast.parse(f"def outer({', '.join(names)}): pass").body[0]  # type: ignore[return-value]


def _is_code_of(node: Any, code: types.CodeType) -> bool:
    """Whether a tree is what the code was compiled from: the file may have changed since."""
    if "__class__" in code.co_freevars:
        return True
    try:
        made = _compiled(node, _outer(code.co_freevars), code.co_filename, code.co_flags)
    except (SyntaxError, ValueError, StopIteration) as error:
        let_out(error)
        return False
    return _same_code(made, code)


def _same_code(a: types.CodeType, b: types.CodeType) -> bool:
    names = ("co_code", "co_names", "co_varnames", "co_freevars", "co_cellvars")
    if any(getattr(a, name) != getattr(b, name) for name in names):
        return False
    if len(a.co_consts) != len(b.co_consts):
        return False
    return all(map(_same_constant, a.co_consts, b.co_consts))


def _same_constant(a: Any, b: Any) -> bool:
    if isinstance(a, types.CodeType) and isinstance(b, types.CodeType):
        return _same_code(a, b)
    if isinstance(a, str) and isinstance(b, str):  # a qualified name says what is around
        return a.split("<locals>.")[-1] == b.split("<locals>.")[-1]
    if type(a) is not type(b):
        return False
    if isinstance(a, tuple):
        return len(a) == len(b) and all(map(_same_constant, a, b))
    if isinstance(a, frozenset):  # in no order
        return sorted(map(repr, a)) == sorted(map(repr, b))
    return repr(a) == repr(b)


def _binder(node: Any, file: str, name: str, qualname: str) -> types.CodeType:
    """Code with a function's parameters that returns them by name."""
    args = node.args
    names = [arg.arg for arg in (*args.posonlyargs, *args.args, *args.kwonlyargs)]
    names += [arg.arg for arg in (args.vararg, args.kwarg) if arg is not None]
    bare = ast.FunctionDef(
        name="binder",
        args=ast.arguments(
            posonlyargs=_bare(args.posonlyargs),
            args=_bare(args.args),
            vararg=_bare([args.vararg])[0],
            kwonlyargs=_bare(args.kwonlyargs),
            kw_defaults=[None] * len(args.kwonlyargs),
            kwarg=_bare([args.kwarg])[0],
            defaults=[],
        ),
        body=[_returned(names)],
        decorator_list=[],
    )
    bare.type_params = []  # type: ignore[attr-defined]
    tree = ast.fix_missing_locations(ast.Module([bare], []))
    module = compile(tree, file, "exec", dont_inherit=True)
    code = next(c for c in module.co_consts if isinstance(c, types.CodeType))
    changes = {"co_name": name}
    if hasattr(code, "co_qualname"):
        changes["co_qualname"] = qualname
    return code.replace(**changes)  # type: ignore[arg-type]


def _bare(args: Any) -> list[Any]:
    return [None if arg is None else ast.arg(arg.arg, None) for arg in args]


def _returned(names: list[str]) -> ast.stmt:
    keys: list[ast.expr | None] = [ast.Constant(name) for name in names]
    return ast.Return(ast.Dict(keys, [ast.Name(name, ast.Load()) for name in names]))
