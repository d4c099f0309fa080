"""urwid: an edit field, check boxes and buttons, an alarm that tells later."""

import urwid

edit = urwid.Edit("Title: ")
box = urwid.CheckBox("Urgent")
told = urwid.Text("nothing saved")


def save(button):
    told.set_text("saving")
    loop.set_alarm_in(0.4, lambda *_: told.set_text(f"saved {edit.edit_text}, urgent: {box.state}"))


def leave(button):
    raise urwid.ExitMainLoop()


rows = [edit, box, urwid.Button("Save", save), urwid.Button("Leave", leave), urwid.Divider(), told]
loop = urwid.MainLoop(urwid.Filler(urwid.Pile(rows), valign="top"))
loop.run()
print("Left the title", edit.edit_text)
