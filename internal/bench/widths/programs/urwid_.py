"""urwid: the rows in a box of lines."""

import os

import urwid

text = urwid.Text(open(os.environ["ROWS"]).read())
urwid.MainLoop(urwid.LineBox(urwid.Filler(text, "top"))).run()
