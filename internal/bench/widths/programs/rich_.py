"""Rich: the rows in a panel."""

import os

from rich.console import Console
from rich.panel import Panel
from rich.text import Text

Console(width=60).print(Panel(Text(open(os.environ["ROWS"]).read())))
