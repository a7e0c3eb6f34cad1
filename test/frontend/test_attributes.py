"""Attributes from outside: what isn't there yet, what classes have, what loops look at first."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import attribute_programs
import pytest
from attribute_programs import outcome

import quernel as qn


def plainly(program):
    """What Python gives."""
    return outcome(program, "plainly", lambda function: function)


@pytest.mark.parametrize("program", attribute_programs.PROGRAMS)
def test_program(program) -> None:
    whole = outcome(program, "whole", lambda function: qn.compile(function, fullgraph=True))
    assert (whole, outcome(program, "in_parts", qn.compile)) == (plainly(program),) * 2


def test_programs_of_another_process(tmp_path) -> None:
    """A second process has the programs from disk, and finds out as well what isn't there."""
    environment = {**os.environ, "QUERNEL_CACHE_DIR": str(tmp_path / "cache")}
    command = [sys.executable, attribute_programs.__file__]
    pythons = {
        program: json.loads(json.dumps(plainly(program))) for program in attribute_programs.PROGRAMS
    }
    for is_second in (False, True):
        done = subprocess.run(command, capture_output=True, text=True, env=environment, check=True)
        given = json.loads(done.stdout)
        assert {program: made for program, (made, _) in given.items()} == pythons
        assert not is_second or not [program for program, (_, count) in given.items() if count]
