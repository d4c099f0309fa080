"""Textual 0.1, as Debian 12 has it: three panes, of which keys change the last."""

from rich.panel import Panel
from textual.app import App
from textual.widgets import Footer, Header, Static


class Zoo(App):
    count = 0

    async def on_load(self):
        await self.bind("a", "add", "Add")
        await self.bind("s", "slow", "Slow")
        await self.bind("q", "quit", "Quit")

    async def on_mount(self):
        self.body = Static(Panel("0 eggs"))
        await self.view.dock(Header(), edge="top")
        await self.view.dock(Footer(), edge="bottom")
        await self.view.dock(self.body)

    async def tell(self, text):
        await self.body.update(Panel(text))

    async def action_add(self):
        self.count += 1
        await self.tell(f"{self.count} eggs")

    async def action_slow(self):
        await self.tell("hatching")
        self.set_timer(0.7, self.hatched)

    async def hatched(self):
        await self.tell(f"{self.count} chicks")


Zoo.run(title="Eggs")
print("Left the eggs.")
