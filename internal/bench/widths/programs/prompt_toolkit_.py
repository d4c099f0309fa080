"""prompt_toolkit: the rows in a frame."""

import os

from prompt_toolkit.application import Application
from prompt_toolkit.layout import Layout
from prompt_toolkit.widgets import Frame, TextArea

Application(Layout(Frame(TextArea(open(os.environ["ROWS"]).read()))), full_screen=True).run()
