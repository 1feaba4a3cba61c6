"""Protocols with a page of their own: its tables are those of the protocol's module."""

import pytest
from pages import codes, rows, sections, text
from protocol_pages import of_own_page, page_of

from headcount.errors import InputError
from headcount.lab.setting import Setting
from headcount.protocols.protocol import Protocol
from headcount.protocols.registry import lab_server

PLAIN = {"None": "", "": "", "True": "on", "False": "off"}


OWN = [pytest.param(one, id=one.name) for one in of_own_page()]


def described(page: str, section: str) -> dict[str, str]:
    """The defaults in a section's table, by key; empty for none."""
    found = rows(sections(text(page))[section])[1:]
    return {codes(row[0])[0]: row[1].rpartition("; ")[2] if "; " in row[1] else "" for row in found}


def test_there_is_one() -> None:
    assert OWN


@pytest.mark.parametrize("protocol", OWN)
def test_keys_of_its_client_are_described_with_their_defaults(protocol: Protocol) -> None:
    fields = type(protocol.client({})).model_fields
    expected = {key: PLAIN.get(str(one.default), str(one.default)) for key, one in fields.items()}
    found = described(page_of(protocol), "Client")
    assert {key: value.strip("`") for key, value in found.items()} == expected
    with pytest.raises(InputError, match="there is no such key"):
        protocol.client({"gopher": "on"})


@pytest.mark.parametrize("protocol", OWN)
def test_keys_of_its_tables_are_described_with_their_defaults(protocol: Protocol) -> None:
    for name, table in protocol.tables.items():
        found = described(page_of(protocol), name.capitalize())
        fields = table.model.model_fields
        assert found == {
            key: "required" if one.is_required() else f"{one.default:,}"
            for key, one in fields.items()
        }


@pytest.mark.parametrize("protocol", OWN)
def test_settings_of_its_lab_servers_are_described(protocol: Protocol) -> None:
    for name in protocol.labs:
        known: dict[str, Setting] = lab_server(name).known  # type: ignore[attr-defined]
        found = rows(sections(text(page_of(protocol)))[f"lab:{name}"])[1:]
        assert [codes(row[0])[0] for row in found] == list(known)
        for row, one in zip(found, known.values(), strict=True):
            assert one.parameter in codes(row[0]) or one.parameter == codes(row[0])[0]
            assert row[1].startswith(f"`{one.default}`")
            assert row[2] == one.why
