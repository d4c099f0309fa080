"""Textual, of today or 0.1 as Debian 12 has it: the rows in a panel."""

import os

from rich.panel import Panel
from rich.text import Text
from textual.app import App
from textual.widgets import Static


class Rows(App):
    def compose(self):
        yield self.panel()

    async def on_mount(self):
        if not hasattr(App, "compose"):
            await self.view.dock(self.panel())

    def panel(self):
        return Static(Panel(Text(open(os.environ["ROWS"]).read())))


Rows().run() if hasattr(App, "compose") else Rows.run()
