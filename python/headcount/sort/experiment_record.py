"""An experiment for programs: the fields of `headcount sort --json`."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from headcount.sort.experiment import Measured, Setting, Subject
from headcount.sort.place import Place
from headcount.sort.placement import Placement
from headcount.sort.setting_figures import Cliff, Figures
from headcount.sort.statistics import Estimate

SCHEMA_VERSION = 1


def experiment_record(
    subject: Subject, measured: Measured, found: Sequence[Figures], over: Sequence[Cliff]
) -> dict[str, Any]:
    """Everything that was measured, and what follows from it."""
    layout, records = subject.layout, subject.records
    formula = layout.formula(records)
    return {
        "schema_version": SCHEMA_VERSION,
        "outcome": "interrupted" if measured.interrupted else "measured",
        "data": {
            "folder": str(subject.where.folder),
            "bytes": subject.data_bytes,
            "records": records,
            "record_bytes": layout.record_bytes,
            "keys": [asdict(key) for key in layout.keys],
            "kind": layout.kind,
            "origin": layout.origin,
            "seed": subject.seed,
            "crc_sum": measured.checksum["crc_sum"],
        },
        "threads": subject.threads,
        "cache": "cold" if subject.cold else "warm",
        "verified": subject.verify,
        "memory": {
            "formula_bytes": formula.value,
            "formula": formula.formula,
            "worked": formula.worked,
            "source": formula.source,
            "need_bytes": layout.need_bytes(records, subject.threads),
            "least_bytes": layout.least_bytes(subject.threads),
        },
        "settings": [_figures_record(one) for one in found],
        "cliffs": [
            {
                "memory_bytes": one.memory_bytes,
                "best_spill_bytes": one.best_spill.setting.sortsize_bytes,
                "largest_spill_bytes": one.spills.setting.sortsize_bytes,
                "best_fit_bytes": one.best_fit.setting.sortsize_bytes,
                "fits_bytes": one.fits.setting.sortsize_bytes,
                "saved": estimate_record(one.saved),
            }
            for one in over
        ],
        "kept": [str(path) for path in measured.kept],
    }


def placement_record(one: Placement) -> dict[str, Any]:
    """The comparison of two places for runs."""
    return {
        "beside_s": one.beside_s,
        "elsewhere_s": one.elsewhere_s,
        "saved": None if one.gain is None else estimate_record(one.gain),
        "same_disk": one.same,
    }


def _figures_record(one: Figures) -> dict[str, Any]:
    return {
        **_setting_record(one.setting),
        "fits": one.fits,
        "standing": one.standing,
        "exit_s": estimate_record(one.exit_s),
        "durable_s": estimate_record(one.durable_s),
        "temporary_bytes": one.temporary_bytes,
        "used_bytes": one.used_bytes,
        "trials": [{"round": trial.round, **trial.sorted.model_dump()} for trial in one.trials],
    }


def _setting_record(one: Setting) -> dict[str, Any]:
    return {
        "sortsize_bytes": one.sortsize_bytes,
        "memory_bytes": one.memory_bytes,
        "work": [_place_record(place) for place in one.work],
    }


def _place_record(one: Place) -> dict[str, Any]:
    return {"folder": str(one.folder), "disks": sorted(one.disks)}


def estimate_record(one: Estimate) -> dict[str, float | None]:
    """A figure and its interval."""
    return {"value": one.value, "low": one.low, "high": one.high}
