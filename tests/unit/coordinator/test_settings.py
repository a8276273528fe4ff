from __future__ import annotations

import pytest

from coordinator import Misuse, Settings
from coordinator.domain import machine_options
from coordinator.settings import origins


@pytest.fixture(autouse=True)
def _nothing_from_outside(monkeypatch, tmp_path):
    for name in Settings.model_fields:
        monkeypatch.delenv(f"SCENTFIELD_{name.upper()}", raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "project").mkdir()
    monkeypatch.chdir(tmp_path / "project")


def test_a_flag_beats_the_environment_which_beats_the_files(monkeypatch, tmp_path):
    (tmp_path / "project" / "scentfield.toml").write_text("ttl_s = 5\nagent = 'file'\n")
    assert Settings.load().ttl_s == 5.0
    monkeypatch.setenv("SCENTFIELD_TTL_S", "6")
    assert Settings.load().ttl_s == 6.0
    loaded = Settings.load(ttl_s=7.0)
    assert (loaded.ttl_s, loaded.agent) == (7.0, "file")
    found = origins(loaded, {"ttl_s": 7.0})
    assert found["ttl_s"] == "flag"
    assert found["agent"].endswith("scentfield.toml")
    assert found["namespace"] == "default"


def test_a_variable_for_one_key_of_a_table_is_named_as_its_origin(monkeypatch):
    assert origins(Settings.load())["gateway"] == "default"
    monkeypatch.setenv("SCENTFIELD_GATEWAY__PORT", "7500")
    loaded = Settings.load()
    assert loaded.gateway.port == 7500
    found = origins(loaded)
    assert (found["gateway"], found["embedding"]) == ("environment", "default")


def test_the_settings_of_a_project_are_found_from_the_folder_that_is_worked_in(tmp_path):
    (tmp_path / "other" / "src").mkdir(parents=True)
    (tmp_path / "other" / "scentfield.toml").write_text("agent = 'other'\n")
    assert Settings.load(start=tmp_path / "other" / "src").agent == "other"
    assert Settings.load().agent is None


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("lock_dealy_s = 5", r"lock_dealy_s.*scentfield\.toml"),
        ("ttl_s = 0.1", r"ttl_s.*greater than or equal to 1.*scentfield\.toml"),
        ("ttl_s = = 1", r"not TOML.*scentfield\.toml"),
        ("half_lives_s = { HOT = -1 }", r"half_lives_s\.HOT"),
    ],
)
def test_what_cannot_be_used_is_refused_with_the_key_and_the_file(tmp_path, text, told):
    (tmp_path / "project" / "scentfield.toml").write_text(text)
    with pytest.raises(Misuse, match=told):
        Settings.load()


def test_an_unset_flag_is_no_value():
    assert Settings.load(ttl_s=None, agent=None).ttl_s == 30.0


def test_limits_and_half_lives_reach_the_machine():
    options = machine_options("scent_field", Settings.load(lock_delay_s=5.0, idle_s=60.0, half_lives_s={"HOT": 30.0}))
    assert options["lock_delay_s"] == 5.0
    assert options["idle_s"] == 60.0
    assert options["half_lives_s"] == {"HOT": 30.0}


def test_two_namespaces_never_meet_in_one_store(tmp_path):
    one = Settings.load(namespace="one", data_dir=tmp_path)
    two = Settings.load(namespace="two", data_dir=tmp_path)
    assert one.store_key_of("scent_field") != two.store_key_of("scent_field")
