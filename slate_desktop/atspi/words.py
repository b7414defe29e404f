"""The numbers of AT-SPI2 as words: roles and states in their numbering, names of interfaces."""

from __future__ import annotations

import re
from functools import lru_cache

ACCESSIBLE = "org.a11y.atspi.Accessible"
ACTION = "org.a11y.atspi.Action"
APPLICATION = "org.a11y.atspi.Application"
CACHE = "org.a11y.atspi.Cache"
COMPONENT = "org.a11y.atspi.Component"
EDITABLE = "org.a11y.atspi.EditableText"
PROPERTIES = "org.freedesktop.DBus.Properties"
SELECTION = "org.a11y.atspi.Selection"
TEXT = "org.a11y.atspi.Text"
VALUE = "org.a11y.atspi.Value"
REGISTRY = "org.a11y.atspi.Registry"
ROOT_PATH = "/org/a11y/atspi/accessible/root"
CACHE_PATH = "/org/a11y/atspi/cache"
NULL_PATH = "/org/a11y/atspi/null"
WINDOW_COORDS = 1
LABELLED_BY = 2  # of AtspiRelationType
GTK4 = re.compile(r"/a11y/[0-9a-f_]{30,}$")
REFERENCE, REFERENCES = "(so)", "a(so)"
# The signatures that a reply may have; a reply with another is worth no more than an error.
REPLIES = {
    "Get": ("v",),
    "GetAccessibleAtPoint": (REFERENCE,),
    "GetActions": ("a(sss)",),
    "GetChildAtIndex": (REFERENCE,),
    "GetChildren": (REFERENCES,),
    "GetExtents": ("(iiii)",),
    "GetIndexInParent": ("i",),
    "GetInterfaces": ("as",),
    "GetItems": ("a((so)(so)(so)iiassusau)", "a((so)(so)(so)iiasussau)"),
    "GetName": ("s",),
    "GetRelationSet": ("a(ua(so))",),
    "GetRole": ("u",),
    "GetSelectedChild": (REFERENCE,),
    "GetState": ("au",),
    "GetText": ("s",),
}

# AtspiRole in its order; at-spi2-core 2.50 ends with "push button menu" and "switch".
ROLES = (
    "invalid|accelerator label|alert|animation|arrow|calendar|canvas|check box"
    "|check menu item|color chooser|column header|combo box|date editor|desktop icon"
    "|desktop frame|dial|dialog|directory pane|drawing area|file chooser|filler"
    "|focus traversable|font chooser|frame|glass pane|html container|icon|image"
    "|internal frame|label|layered pane|list|list item|menu|menu bar|menu item|option pane"
    "|page tab|page tab list|panel|password text|popup menu|progress bar|push button"
    "|radio button|radio menu item|root pane|row header|scroll bar|scroll pane|separator"
    "|slider|spin button|split pane|status bar|table|table cell|table column header"
    "|table row header|tearoff menu item|terminal|text|toggle button|tool bar|tool tip|tree"
    "|tree table|unknown|viewport|window|extended|header|footer|paragraph|ruler|application"
    "|autocomplete|editbar|embedded|entry|chart|caption|document frame|heading|page|section"
    "|redundant object|form|link|input method window|table row|tree item"
    "|document spreadsheet|document presentation|document text|document web|document email"
    "|comment|list box|grouping|image map|notification|info bar|level bar|title bar"
    "|block quote|audio|video|definition|article|landmark|log|marquee|math|rating|timer"
    "|static|math fraction|math root|subscript|superscript|description list"
    "|description term|description value|footnote|content deletion|content insertion|mark"
    "|suggestion|push button menu|switch"
).split("|")

# AtspiStateType in its order.
STATES = (
    "invalid|active|armed|busy|checked|collapsed|defunct|editable|enabled|expandable"
    "|expanded|focusable|focused|has tooltip|horizontal|iconified|modal|multi line"
    "|multiselectable|opaque|pressed|resizable|selectable|selected|sensitive|showing"
    "|single line|stale|transient|vertical|visible|manages descendants|indeterminate"
    "|required|truncated|animated|invalid entry|supports autocompletion|selectable text"
    "|is default|visited|checkable|has popup|read only"
).split("|")


def role(number: int) -> str:
    """The word for a role's number."""
    return ROLES[number] if 0 <= number < len(ROLES) else "unknown"


@lru_cache(maxsize=1024)
def states(low: int, high: int) -> frozenset[str]:
    """The words of a state set, which comes as two words of 32 bits."""
    bits = low | high << 32
    return frozenset(word for number, word in enumerate(STATES) if bits >> number & 1)


def short(interface: str) -> str:
    """`org.a11y.atspi.Action` as `Action`."""
    return interface.rsplit(".", 1)[-1]


@lru_cache(maxsize=1024)
def interfaces(names: tuple[str, ...]) -> frozenset[str]:
    """The short names of what a widget offers; few sets of them are met again and again."""
    return frozenset(map(short, names))


def of_gtk4(path: str) -> bool:
    """Whether an object path is one of GTK 4's."""
    return GTK4.search(path) is not None
