"""Rich's Live: a table whose rows change while jobs run, then keys of its own."""

import sys
import termios
import time
import tty

from rich.live import Live
from rich.table import Table

jobs = {"fetch": "waiting", "build": "waiting", "test": "waiting"}


def draw():
    table = Table("job", "state")
    for name, state in jobs.items():
        table.add_row(name, state)
    return table


with Live(draw(), refresh_per_second=10) as live:
    for name in jobs:
        jobs[name] = "running"
        live.update(draw())
        time.sleep(0.6)
        jobs[name] = "done"
        live.update(draw())

print("r: run test again, q: leave")
keep = termios.tcgetattr(0)
tty.setcbreak(0)
try:
    while (key := sys.stdin.read(1)) != "q":
        if key == "r":
            with Live(draw(), refresh_per_second=10) as live:
                jobs["test"] = "running again"
                live.update(draw())
                time.sleep(0.8)
                jobs["test"] = "failed"
                live.update(draw())
finally:
    termios.tcsetattr(0, termios.TCSADRAIN, keep)
print("Left the jobs.")
