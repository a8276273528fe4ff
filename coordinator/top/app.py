"""The screen of `scentfield top`: panels over the last look, and the keys."""

from __future__ import annotations

from typing import ClassVar, Final

from rich.text import Text
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Grid, VerticalScroll
from textual.screen import ModalScreen
from textual.timer import Timer
from textual.widgets import Footer, Input, Static
from textual.worker import Worker, WorkerState

from coordinator.cli.outcome import span
from coordinator.cli.screen import visible
from coordinator.top.panel import LinesPanel, TablePanel
from coordinator.top.scout import Scout
from coordinator.top.table import actors_table, agents_table, claims_table, rates_table, signals_table

_TABLES: Final = ("claims", "signals", "agents", "rates", "actors")
PANELS: Final = (*_TABLES, "efficacy")
MIN_INTERVAL_S: Final = 0.5
MAX_INTERVAL_S: Final = 60.0
_MAX_SOUGHT: Final = 80
_SOUGHT_IN: Final = ("claims", "signals", "agents")

HELP: Final = (
    ("1 to 6, tab", "go to a panel: claims, signals, agents, rates, actors, efficacy"),
    ("z", "show the panel on the whole screen, and back"),
    ("arrows, page up, page down", "move in a panel"),
    ("/", "show only rows that hold a text; escape shows all"),
    ("p", "stop looking, and go on"),
    ("r", "look now"),
    ("+ and -", "look more often, or less"),
    ("?", "this help; escape closes it"),
    ("q", "end"),
)


class HelpScreen(ModalScreen[None]):
    """The keys, over everything else."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,question_mark,q,enter", "dismiss", "close")]

    def compose(self) -> ComposeResult:
        """The keys and what they do."""
        text = Text("Keys\n\n", style="bold")
        width = max(len(keys) for keys, _ in HELP)
        for keys, what in HELP:
            text.append(f"{keys:<{width}}  ", style="bold cyan")
            text.append(f"{what}\n", style="not bold")
        text.append("\nSignals fade by themselves; a claim is idle while nothing is read or edited under it.", "italic")
        yield Static(text, id="help")


class TopApp(App[None]):
    """Looks every `interval_s` seconds, in a thread: the keys always answer, whatever the coordinator does.

    `about` names what is looked at.
    """

    TITLE = "scentfield top"
    ENABLE_COMMAND_PALETTE = False
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (110, "-wide")]  # noqa: RUF012  # the library declares it as a variable
    CSS = """
    #headline { height: auto; padding: 0 1; background: $panel; }
    #headline.-lost { background: $error; color: $text; }
    #seek { display: none; height: 3; }
    #seek.-open { display: block; }
    #panels { grid-gutter: 0 1; }
    .-wide #panels { grid-size: 2 3; grid-columns: 3fr 2fr; grid-rows: 3fr 3fr 2fr; height: 1fr; }
    .-narrow #panels { grid-size: 1 6; grid-rows: 12; height: auto; }
    .panel { border: round $surface-lighten-2; border-title-color: $text-muted; height: 100%; }
    .panel:focus-within, .panel:focus { border: round $accent; border-title-color: $accent; }
    DataTable { height: 1fr; }
    DataTable, LinesPanel, #body { scrollbar-size: 1 1; }
    HelpScreen { align: center middle; background: $background 60%; }
    #help { width: auto; max-width: 90%; height: auto; padding: 1 3; border: round $accent; background: $surface; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("q,ctrl+c", "quit", "end"),
        Binding("question_mark,h", "help", "help", key_display="?"),
        Binding("slash", "seek", "filter", key_display="/"),
        Binding("escape", "all_rows", "all rows", show=False),
        Binding("z", "zoom", "zoom"),
        Binding("p,space", "pause", "pause"),
        Binding("r", "look", "look now"),
        Binding("plus,equals_sign", "pace(0.5)", "faster", show=False),
        Binding("minus", "pace(2.0)", "slower", show=False),
        *(Binding(str(number), f"panel('{name}')", name, show=False) for number, name in enumerate(PANELS, 1)),
    ]

    def __init__(self, scout: Scout, *, about: str, interval_s: float = 2.0) -> None:
        super().__init__()
        self.scout = scout
        self._about = about
        self._interval_s = interval_s
        self._is_paused = False
        self._sought = ""
        self._timer: Timer | None = None
        self._looking: Worker[None] | None = None
        self._headline = Static(id="headline")
        self._seek = Input(placeholder="show rows that hold...", id="seek", max_length=_MAX_SOUGHT)
        self._tables = {
            name: TablePanel(f"{number} {name.capitalize()}", name) for number, name in enumerate(_TABLES, 1)
        }
        self._efficacy = LinesPanel("6 Efficacy", "efficacy")

    def compose(self) -> ComposeResult:
        """The headline, the six panels, the keys."""
        yield self._headline
        yield self._seek
        with VerticalScroll(id="body", can_focus=False), Grid(id="panels"):
            yield from self._tables.values()
            yield self._efficacy
        yield Footer()

    def on_mount(self) -> None:
        """Look at once, then again and again; the headline says how old it is."""
        self.action_panel("claims")
        self.set_interval(1.0, self._show_headline)
        self._set_pace()
        self.action_look()

    def _set_pace(self) -> None:
        if self._timer is not None:
            self._timer.stop()
        self._timer = self.set_interval(self._interval_s, self._look_unless_paused)

    def _look_unless_paused(self) -> None:
        if not self._is_paused:
            self.action_look()

    def action_look(self) -> None:
        """Look now; one look at a time."""
        if self._looking is None or self._looking.is_finished:
            self._looking = self.run_worker(self.scout.look, thread=True, group="look")

    def on_worker_state_changed(self, event: Worker.StateChanged) -> None:
        """A look has ended: show what it found."""
        if event.worker is self._looking and event.state is WorkerState.SUCCESS:
            self._show()

    def _show(self) -> None:
        sight = self.scout.sight
        if sight is not None and self._efficacy.is_attached:  # it may come when the screen has just gone
            with self.batch_update():
                for name, table in (
                    ("claims", claims_table(sight)),
                    ("signals", signals_table(sight)),
                    ("agents", agents_table(sight)),
                    ("rates", rates_table(self.scout.rates)),
                    ("actors", actors_table(sight)),
                ):
                    self._tables[name].show(table, self._sought if name in _SOUGHT_IN else "")
                self._efficacy.show(self.scout.efficacy)
        self._show_headline()

    def _show_headline(self) -> None:
        self._headline.set_class(bool(self.scout.problem), "-lost")
        self._headline.update(Text(" · ".join(self._told()), overflow="ellipsis"))

    def _told(self) -> list[str]:
        scout, sight = self.scout, self.scout.sight
        told = [visible(self._about)]
        if sight is not None and sight.view is not None and sight.sessions is not None:
            view = sight.view
            told += [f"{sight.sessions.n_live} agents", f"{view.n_claims} claimed", f"{view.n_waiters} waiting"]
            told += [f"strictness {view.strictness}"]
        if scout.problem:
            since = f"for {span(scout.missing_s)}" if sight is not None else "yet"
            told += [f"no answer {since}, asking again: {visible(scout.problem)}"]
        elif sight is None:
            told += ["looking"]
        told += ["paused"] if self._is_paused else [f"every {self._interval_s:g} s"]
        told += [f"rows with {visible(self._sought)!r}"] if self._sought else []
        return told

    def action_panel(self, name: str) -> None:
        """Go to a panel."""
        (self._tables[name].table if name in self._tables else self._efficacy).focus()

    def action_zoom(self) -> None:
        """Give the whole screen to the panel that has the focus, or back."""
        if self.screen.maximized is not None:
            self.screen.minimize()
            return
        panels = (*self._tables.values(), self._efficacy)
        panel = next((one for one in panels if one.has_focus_within or one.has_focus), None)
        if panel is not None:
            self.screen.maximize(panel, container=False)

    def action_help(self) -> None:
        """Show the keys."""
        self.push_screen(HelpScreen())

    def action_pause(self) -> None:
        """Stop looking, or go on."""
        self._is_paused = not self._is_paused
        self._show_headline()

    def action_pace(self, factor: float) -> None:
        """Look more often, or less."""
        self._interval_s = min(MAX_INTERVAL_S, max(MIN_INTERVAL_S, self._interval_s * factor))
        self._set_pace()
        self._show_headline()

    def action_seek(self) -> None:
        """Ask for the text that rows must hold."""
        self._seek.add_class("-open")
        self._seek.focus()

    def on_input_changed(self, event: Input.Changed) -> None:
        """Show what matches so far."""
        self._sought = event.value
        self._show()

    def on_input_submitted(self) -> None:
        """The text is complete; go back to the rows."""
        self._seek.remove_class("-open")
        self.action_panel("claims")

    def action_all_rows(self) -> None:
        """Show all rows again, and the other panels."""
        if self.screen.maximized is not None:
            self.screen.minimize()
        had_focus = self._seek.has_focus
        self._seek.value = ""
        self._seek.remove_class("-open")
        if had_focus:
            self.action_panel("claims")
