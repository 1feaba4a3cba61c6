"""Texts and names say what the glossary says: the words of words.toml are nowhere."""

import ast

import pytest
from words import Word, allowed, misuses, names_given, table, tracked

WORDS = [*table("text"), *table("name")]


@pytest.mark.parametrize("word", WORDS, ids=lambda word: word.example)
def test_each_word_is_found_where_it_stands_and_only_there(word: Word) -> None:
    assert word.pattern.search(word.example)
    assert not word.pattern.search(word.fine)


def test_names_of_every_kind_are_read() -> None:
    code = """
import a as an_alias
class A_class:
    a_field: int
    async def a_coroutine(self, a_parameter, /, *rest, a_keyword=1, **others):
        a_local = [a_target for a_target in rest]
        self.an_attribute, (a_part, *a_tail) = a_used(used_keyword=a_local)
        with a_used as a_context: pass
        for a_step in others: pass
        if (a_walrus := a_used.used_attribute): pass
        try: pass
        except Exception as an_error: pass
        match a_local:
            case [a_match, *a_star]: pass
            case {1: _, **a_rest}: pass
        return lambda a_lambda: a_lambda
"""
    given = {name for node in ast.walk(ast.parse(code)) for _, name in names_given(node)}
    assert given == {
        *("an_alias", "A_class", "a_field", "a_coroutine", "self", "a_parameter", "rest", "others"),
        *("a_keyword", "a_local", "a_target", "an_attribute", "a_part", "a_tail", "a_context"),
        *("a_step", "a_walrus", "an_error", "a_match", "a_star", "a_rest", "a_lambda"),
    }


def test_nobody_uses_these_words() -> None:
    allowance = allowed()
    found = misuses()
    too_many = [
        line
        for path, lines in sorted(found.items())
        if len(lines) > allowance.get(path, 0)
        for line in lines
    ]
    assert not too_many, "\n".join(["say it otherwise (docs/style.md):", *too_many])


def test_what_is_still_allowed_is_there() -> None:
    gone = set(allowed()) - set(tracked("**"))
    assert not gone, f"take out of tests/tidy/words_allowed.toml: {sorted(gone)}"
