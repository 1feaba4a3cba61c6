"""What can be set on Samba, and what cannot."""

import pytest

from headcount.errors import InputError
from headcount.lab import home, samba_settings
from headcount.lab.samba_settings import SETTINGS, complete
from headcount.protocols.registry import start_lab


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"sign": "auto"}, "lab:samba has no setting sign; it has: profile, shares, signing,"),
        ({"signing": "Auto"}, 'signing is "Auto"; it can be one of: auto, mandatory, disabled'),
        ({"encryption": "on"}, "it can be one of: off, desired, required"),
        ({"shares": "0"}, 'shares is "0"; it can be 1 to 100000'),
        ({"shares": "100001"}, "1 to 100000"),
        ({"shares": "1e3"}, "1 to 100000"),
        ({"shares": "٣"}, "1 to 100000"),
        ({"shares": "08"}, "1 to 100000"),
        ({"shares": ""}, "1 to 100000"),
        ({"min_protocol": "NT1"}, "it can be one of: SMB2_10, SMB3_00, SMB3_11"),
        ({"strict_sync": "true"}, "it can be one of: yes, no"),
        ({"aio_read_size": "4096"}, "it can be one of: 0, 1"),
        ({"socket_options": "TCP_NODELAY\n[c]\npath=/"}, "options of smb.conf"),
        ({"socket_options": "SO_SNDBUF=1\n"}, "options of smb.conf"),
        ({"socket_options": "SO_SNDBUF"}, "such as TCP_NODELAY SO_SNDBUF=131072"),
        ({"socket_options": ""}, "options of smb.conf"),
        ({"read_only": "yes\n"}, "it can be one of: yes, no"),
    ],
)
def test_invalid_settings_are_refused(
    settings: dict[str, str], message: str, tmp_path: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    with pytest.raises(InputError) as caught:
        start_lab("samba", settings)
    assert message in str(caught.value)
    assert not home.base().exists()


def test_defaults_and_all_values_are_accepted() -> None:
    defaults = {key: setting.default for key, setting in SETTINGS.items()}
    assert complete({}) == complete(defaults) == defaults
    for key, setting in SETTINGS.items():
        for value in setting.values if key != "profile" else ("lab",):
            assert complete({key: value}) == {**defaults, key: value}
    assert complete({"shares": "100000"})["shares"] == "100000"
    options = "TCP_NODELAY=0 SO_SNDBUF=131072 IPTOS_LOWDELAY"
    assert complete({"socket_options": options})["socket_options"] == options


def test_each_setting_says_why() -> None:
    for key, setting in SETTINGS.items():
        assert setting.why.endswith("."), key
    names = [setting.parameter for setting in SETTINGS.values() if setting.parameter]
    assert len(names) == len(set(names)) == len(samba_settings.parameters(complete({})))
