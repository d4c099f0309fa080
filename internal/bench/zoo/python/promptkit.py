"""prompt_toolkit: a prompt with completion, a password, a confirmation, a dialog."""

import time

from prompt_toolkit import PromptSession
from prompt_toolkit.completion import WordCompleter
from prompt_toolkit.shortcuts import confirm, radiolist_dialog

session = PromptSession()
cities = WordCompleter(["Aachen", "Berlin", "Bonn", "Bremen", "Celle"])
name = session.prompt("Name: ")
print("Good day,", name)
city = session.prompt("City: ", completer=cities, bottom_toolbar="tab: the cities")
time.sleep(0.3)
print("Noted:", city)
way = radiolist_dialog(title="Way", text="How do you travel?", values=[("train", "By train"), ("bike", "By bike"), ("foot", "On foot")]).run()
print("Travelling by", way)
if confirm("Book it?"):
    time.sleep(0.5)
    print("Booked for", name, "to", city)
else:
    print("Not booked")
