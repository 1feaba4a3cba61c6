"""Texts and names say what the glossary says: the words of words.toml are nowhere."""

import pytest
from words import Word, allowed, misuses, table, tracked

WORDS = [*table("text"), *table("name")]


@pytest.mark.parametrize("word", WORDS, ids=lambda word: word.example)
def test_each_word_is_found_where_it_stands_and_only_there(word: Word) -> None:
    assert word.pattern.search(word.example)
    assert not word.pattern.search(word.fine)


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
