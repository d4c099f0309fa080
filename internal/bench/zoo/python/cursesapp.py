"""curses: a menu, a counter that a timer moves, a line that is asked for."""

import curses
import time


def main(screen):
    curses.curs_set(0)
    rows, at, said = ["Start", "Count", "Ask", "Leave"], 0, ""
    while True:
        screen.erase()
        screen.addstr(0, 0, "Menu of curses")
        for i, row in enumerate(rows):
            screen.addstr(2 + i, 2, row, curses.A_REVERSE if i == at else 0)
        screen.addstr(8, 0, said)
        key = screen.getch()
        if key == curses.KEY_DOWN:
            at = min(at + 1, len(rows) - 1)
        elif key == curses.KEY_UP:
            at = max(at - 1, 0)
        elif key == 10 and rows[at] == "Leave":
            return
        elif key == 10 and rows[at] == "Count":
            for i in range(1, 6):
                screen.addstr(8, 0, f"counted {i}   ")
                screen.refresh()
                time.sleep(0.12)
            said = "counted them all"
        elif key == 10 and rows[at] == "Ask":
            curses.echo()
            screen.addstr(10, 0, "Your word: ")
            word = screen.getstr().decode()
            curses.noecho()
            said = f"your word is {word}"
        elif key == 10:
            said = "started"


curses.wrapper(main)
print("Left the menu.")
