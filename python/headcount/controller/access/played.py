"""A target with the program that its users play."""

import json

from headcount.protocols.program import Program, check_load_file


def target_with_program(target: str, program: Program | None) -> str:
    """The target as the engine reads it (JSON), with the program if there is one.

    Raises InputError if its load file is not the planned one. Only the engine that plays users gets
    it: reading half a million lines takes a moment, which the preparation of files need not wait
    for.
    """
    if program is None:
        return target
    check_load_file(program)
    return json.dumps({**json.loads(target), "program": program.engine_form()})
