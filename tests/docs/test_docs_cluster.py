"""The page about several machines: the hosts file that it describes and shows is the real one."""

import pytest
from pages import blocks, codes, rows, sections, text
from pydantic import BaseModel

from headcount.cluster import hosts
from headcount.cluster.hosts import ClusterTable, Host, HostsFile
from headcount.plan.plan import validate
from headcount.plan.toml_file import toml_of

PAGE = text("many-machines.md")
SECTION = "The hosts file"


@pytest.mark.parametrize(("title", "model"), [("[cluster]", ClusterTable), ("[[host]]", Host)])
def test_every_key_is_described(title: str, model: type[BaseModel]) -> None:
    described: dict[str, str] = {}
    is_here = False
    for row in rows(sections(PAGE)[SECTION]):
        if row[0].startswith("key of"):
            is_here = codes(row[0]) == [title]
        elif is_here and row[0].startswith("`"):
            described[codes(row[0])[0]] = row[1].rpartition("; ")[2] if "; " in row[1] else ""
    assert list(described) == list(model.model_fields)
    for name, field in model.model_fields.items():
        assert (described[name] == "required") == field.is_required()
        default = field.default
        if isinstance(default, str):
            assert described[name] == f'`"{default}"`'
        elif isinstance(default, int) and not isinstance(default, bool):
            assert described[name] == f"{default:,}"


def test_the_example_is_valid() -> None:
    (example,) = blocks(PAGE, "toml")
    found = validate(HostsFile, toml_of(example, "the example"), "the example")
    assert len(found.host) == 2
    assert hosts.ClusterTable().name is None
