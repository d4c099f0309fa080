"""Rich: a question, a status that spins, a progress bar, a table."""

import time

from rich.console import Console
from rich.progress import track
from rich.prompt import Confirm, Prompt
from rich.table import Table

console = Console()
while True:
    what = Prompt.ask("Which report", choices=["sales", "stock", "none"], default="sales")
    if what == "none":
        break
    with console.status(f"Reading {what}"):
        time.sleep(2)
    for _ in track(range(12), description="Adding up"):
        time.sleep(0.1)
    table = Table(title=f"The {what}")
    table.add_column("month")
    table.add_column("sum", justify="right")
    table.add_row("May", "1,200")
    table.add_row("June", "1,350")
    console.print(table)
if Confirm.ask("Print it?"):
    console.print("[bold]Printed.[/bold]")
else:
    console.print("Thrown away.")
