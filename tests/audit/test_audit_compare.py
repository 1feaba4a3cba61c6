"""Records compared field by field: what rounding explains is no difference."""

from headcount.analyse.audit.compare import differences


def test_fields_that_differ_are_named() -> None:
    stored = {"a": 1, "b": [{"name": "x", "c": 2.5}, {"name": "y", "c": 3.0}], "s": "7 of 9 passed"}
    computed = {"a": 2, "b": [{"name": "x", "c": 2.5}, {"name": "y", "c": 4.0}], "s": "7 of 8 did"}
    assert list(differences(stored, computed)) == [
        ("a", 1, 2),
        ("b[y].c", 3.0, 4.0),
        ("s", "7 of 9 passed", "7 of 8 did"),
    ]


def test_rounding_to_a_microsecond_is_no_difference_and_more_is() -> None:
    assert not list(differences({"mean_ms": 0.123}, {"mean_ms": 0.1239}))
    assert list(differences({"mean_ms": 0.123}, {"mean_ms": 0.130}))
    assert not list(differences({"rate_per_s": 1000.0}, {"rate_per_s": 1000.005}))
    assert list(differences({"rate_per_s": 1000.0}, {"rate_per_s": 1000.02}))
    assert list(differences({"completed": 1000}, {"completed": 1001}))


def test_the_lower_end_of_an_interval_is_as_exact_as_the_upper() -> None:
    assert not list(differences({"i": [1.0, 1000.0]}, {"i": [1.009, 1000.0]}))
    assert list(differences({"i": [1.0, 1000.0]}, {"i": [1.02, 1000.0]}))


def test_what_an_older_version_did_not_write_and_other_words_are_no_difference() -> None:
    assert not list(differences({"a": 1}, {"a": 1, "b": 2}))
    assert not list(
        differences({"s": "at 5 users 7 failed"}, {"s": "of 5 users 7 did not make it"})
    )
    assert list(differences({"s": "passed"}, {"s": "failed"}))
    assert list(differences({"a": None}, {"a": 0.0}))
    assert list(differences({"a": [1, 2]}, {"a": [1]}))
