"""What a session is made of: configuration texts and environments, built from nothing. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from slate_desktop.geometry import Size

SCREEN, BACKGROUND = "HEADLESS-1", "HEADLESS-2"
AGENT_WORKSPACE = "agent"
SANDBOX_ENGINE = "dev.slate"
# Far enough that an ordinary motion of the person's pointer never slips over to the background.
GAP_PX = 5000
MARK = "SLATE_SESSION"
WAYLAND_NAME = (
    "wayland-1"  # the first name a compositor tries, and nothing else lives in the directory
)
PATH = "/usr/local/bin:/usr/bin:/bin:/usr/local/games:/usr/games"
DATA_DIRS = "/usr/local/share:/usr/share"
# Portals mount a file system in the runtime directory, and GTK waits for a backend no one runs.
MASKED_SERVICES = (
    "org.freedesktop.portal.Desktop",
    "org.freedesktop.portal.Documents",
    # Nobody sees what is shown here, so slated must not wait for somebody who answers.
    "org.freedesktop.Notifications",
)


@dataclass(frozen=True, slots=True)
class Place:
    """Where one session lives: its name, its runtime directory and its home, as absolute paths."""

    session: str
    runtime_dir: str
    home: str
    user: str
    path: str = PATH

    @property
    def mark(self) -> str:
        """The environment entry by which a process is known to belong to the session."""
        return f"{MARK}={self.session}"

    @property
    def bus_socket(self) -> str:
        return f"{self.runtime_dir}/bus"

    @property
    def bus_address(self) -> str:
        return f"unix:path={self.bus_socket}"


def sway_config(size: Size, *, background: bool, extra: str) -> str:
    """Configuration for sway: a screen of `size` and, if wanted, the agent's output beside it."""
    lines = [
        "xwayland disable",
        "swaybg_command -",  # it would be looked up at a path fixed when sway was built
        "focus_on_window_activation none",
        "default_border none",
        "default_floating_border none",
        f"output {SCREEN} resolution {size} position 0 0 scale 1",
        f"workspace 1 output {SCREEN}",
    ]
    if background:
        lines += [
            f"output {BACKGROUND} resolution {size} position {size.width + GAP_PX} 0 scale 1",
            f"workspace {AGENT_WORKSPACE} output {BACKGROUND}",
            f'assign [sandbox_engine="{SANDBOX_ENGINE}"] workspace {AGENT_WORKSPACE}',
            f'no_focus [sandbox_engine="{SANDBOX_ENGINE}"]',
        ]
    return "\n".join([*lines, extra, ""])


def bus_config(place: Place) -> str:
    """Configuration of a private session bus that activates installed services."""
    gigabyte = 1_000_000_000
    limits = {
        "max_incoming_bytes": gigabyte,
        "max_outgoing_bytes": gigabyte,
        "max_message_size": gigabyte,
        "max_completed_connections": 10_000,
        "max_connections_per_user": 10_000,
        "max_replies_per_connection": 50_000,
        "max_match_rules_per_connection": 50_000,
        "service_start_timeout": 30_000,
    }
    return "\n".join(
        [
            '<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"',
            ' "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">',
            "<busconfig>",
            "  <type>session</type>",
            f"  <listen>{place.bus_address}</listen>",
            "  <auth>EXTERNAL</auth>",
            "  <standard_session_servicedirs/>",
            '  <policy context="default">',
            '    <allow send_destination="*" eavesdrop="true"/>',
            '    <allow eavesdrop="true"/>',
            '    <allow own="*"/>',
            "  </policy>",
            *(f'  <limit name="{name}">{value}</limit>' for name, value in limits.items()),
            "</busconfig>",
            "",
        ]
    )


def masked_service(name: str) -> str:
    """A service file that makes activation of `name` fail at once."""
    return f"[D-BUS Service]\nName={name}\nExec=/bin/false\n"


def app_env(place: Place, *, accessible: bool = True) -> dict[str, str]:
    """The whole environment of an application. The compositor's control socket is not in it."""
    return {
        "HOME": place.home,
        "USER": place.user,
        "LOGNAME": place.user,
        "PATH": place.path,
        "LANG": "C.UTF-8",
        "XDG_RUNTIME_DIR": place.runtime_dir,
        "XDG_DATA_DIRS": DATA_DIRS,
        "XDG_CONFIG_DIRS": "/etc/xdg",
        "XDG_SESSION_TYPE": "wayland",
        "XDG_CURRENT_DESKTOP": "sway",
        "WAYLAND_DISPLAY": WAYLAND_NAME,
        "DBUS_SESSION_BUS_ADDRESS": place.bus_address,
        "GDK_BACKEND": "wayland",
        "QT_QPA_PLATFORM": "wayland",
        "MOZ_ENABLE_WAYLAND": "1",
        "GSETTINGS_BACKEND": "memory",
        "GVFS_DISABLE_FUSE": "1",
        "QT_LINUX_ACCESSIBILITY_ALWAYS_ON": "1" if accessible else "0",
        # With a bus that does not answer, each toolkit would block half a minute at its start.
        "GTK_A11Y": "atspi" if accessible else "none",
        "NO_AT_BRIDGE": "0" if accessible else "1",
        MARK: place.session,
    }


def sway_env(place: Place, extra: Mapping[str, str], *, background: bool) -> dict[str, str]:
    """The environment of sway itself; `extra` is what its program needs to find its own files."""
    env = app_env(place)
    del env["WAYLAND_DISPLAY"]
    return env | {
        "WLR_BACKENDS": "headless",
        "WLR_HEADLESS_OUTPUTS": "2" if background else "1",
        "WLR_LIBINPUT_NO_DEVICES": "1",
        "WLR_RENDERER": "pixman",
        **extra,
    }
