"""Configuration texts and environments of a session."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree

from slate_desktop.geometry import Size
from slate_desktop.headless import recipe

PLACE = recipe.Place("abc", "/run/x", "/home/x", "x")


def test_the_background_lies_far_from_the_screen_and_holds_the_agents_workspace() -> None:
    lines = recipe.sway_config(Size(800, 600), background=True, extra="").splitlines()
    assert "output HEADLESS-1 resolution 800x600 position 0 0 scale 1" in lines
    assert "output HEADLESS-2 resolution 800x600 position 5800 0 scale 1" in lines
    assert "workspace agent output HEADLESS-2" in lines
    assert 'assign [sandbox_engine="dev.slate"] workspace agent' in lines
    assert 'no_focus [sandbox_engine="dev.slate"]' in lines


def test_without_a_background_nothing_is_sent_there() -> None:
    text = recipe.sway_config(Size(800, 600), background=False, extra="")
    assert "HEADLESS-2" not in text
    assert "agent" not in text


def test_extra_lines_come_last_so_that_they_win() -> None:
    text = recipe.sway_config(Size(8, 6), background=True, extra="default_border pixel 3")
    assert text.splitlines()[-1] == "default_border pixel 3"
    assert text.endswith("\n")


def test_the_bus_listens_where_the_applications_look() -> None:
    config = ElementTree.fromstring(recipe.bus_config(PLACE))  # noqa: S314  # our own text
    assert config.findtext("listen") == recipe.app_env(PLACE)["DBUS_SESSION_BUS_ADDRESS"]
    assert config.findtext("type") == "session"
    assert config.find("standard_session_servicedirs") is not None


def test_a_masked_service_fails_at_once() -> None:
    assert "Exec=/bin/false" in recipe.masked_service("org.example")
    assert "Name=org.example" in recipe.masked_service("org.example")


def test_applications_get_no_control_socket_and_the_mark_of_their_session() -> None:
    env = recipe.app_env(PLACE)
    assert not {"SWAYSOCK", "I3SOCK", "DISPLAY"} & env.keys()
    assert f"{recipe.MARK}={env[recipe.MARK]}" == PLACE.mark
    assert env["HOME"] == "/home/x"
    assert env["XDG_RUNTIME_DIR"] == "/run/x"


def test_r69_applications_are_kept_from_an_accessibility_bus_that_does_not_answer() -> None:
    env = recipe.app_env(PLACE, accessible=False)
    assert (env["NO_AT_BRIDGE"], env["GTK_A11Y"]) == ("1", "none")
    env = recipe.app_env(PLACE)
    assert (env["NO_AT_BRIDGE"], env["GTK_A11Y"]) == ("0", "atspi")


def test_sway_gets_as_many_outputs_as_it_is_configured_for_and_its_own_files() -> None:
    env = recipe.sway_env(PLACE, {"XKB_CONFIG_ROOT": "/k"}, background=True)
    assert env["WLR_HEADLESS_OUTPUTS"] == "2"
    assert env["XKB_CONFIG_ROOT"] == "/k"
    assert "WAYLAND_DISPLAY" not in env
    assert recipe.sway_env(PLACE, {}, background=False)["WLR_HEADLESS_OUTPUTS"] == "1"
