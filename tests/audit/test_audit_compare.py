"""Records compared field by field: what rounding explains is no difference."""

from diagnosis_levels import level

from headcount.analyse.audit.compare import differences
from headcount.analyse.audit.figures import _is_known_now


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


def test_missing_fields_and_other_wording_are_no_difference() -> None:
    assert not list(differences({"a": 1}, {"a": 1, "b": 2}))
    assert not list(
        differences({"s": "at 5 users 7 failed"}, {"s": "of 5 users 7 did not make it"})
    )
    assert list(differences({"s": "passed"}, {"s": "failed"}))
    assert list(differences({"a": None}, {"a": 0.0}))
    assert list(differences({"a": [1, 2]}, {"a": [1]}))


def test_a_time_in_a_sentence_may_be_rounded_the_other_way() -> None:
    def differs(one: str, other: str) -> bool:
        return bool(list(differences({"sentence": one}, {"sentence": other})))

    assert not differs("the mean is 479 µs; the limit is 20.0 s", "the mean is 478 µs; 20.0 s")
    assert not differs("the p95 is 1.01 ms", "the p95 is 1.00 ms")
    assert not differs("the mean is 763 to 865 µs", "the mean is 762 to 866 µs")
    assert differs("the mean is 763 to 865 µs", "the mean is 761 to 865 µs")
    assert differs("the mean is 763 to 865 µs", "the mean is 763 to 865 ms")
    assert differs("3 to 5 users", "2 to 5 users")
    assert differs("the mean is 479 µs", "the mean is 477 µs")
    assert differs("the mean is 479 µs", "the mean is 479 ms")
    assert differs("the limit is 21 ms", "the limit is 20 ms")
    assert differs("127 of 128 users", "128 of 128 users")
    assert differs("127 users passed", "127 users passed at 3 levels")


def test_an_interval_that_older_versions_left_out_is_not_a_difference() -> None:
    at, interval = "total.p95_interval_ms", [1.0, 2.0]
    barely = level(1, 40, 10.0, 0.1, 1.0, {}).model_copy(update={"steady_s": 19.99995})
    assert _is_known_now(at, None, barely)
    assert not _is_known_now(at, interval, barely)
    assert not _is_known_now("total.rate_interval_per_s", None, barely)
    whole = barely.model_copy(update={"steady_s": 20.00005})
    assert not _is_known_now(at, None, whole)
