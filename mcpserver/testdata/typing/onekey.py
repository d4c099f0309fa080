# Takes one read for one key, as Ink does: a longer one is a paste, and Enter in it is
# no Enter. It says what it was given when Enter comes, after Escape the keys alone.
import os, sys, tty
tty.setraw(0)
if "paste" in sys.argv:
    os.write(1, b"\x1b[?2004h")
os.write(1, b"ready\r\n")
keys, text = [], ""
while True:
    got = os.read(0, 1 << 16)
    if got == b"\r":
        break
    names = {b"\x1b[A": "up", b"\x1b[B": "down", b"\x1b": "esc", b"\t": "tab"}
    keys.append(names.get(got, got.decode() if len(got) < 100 else str(len(got))))
    if not got.startswith(b"\x1b") and len(got) < 100:
        text += got.decode()
        os.write(1, b"\r> " + text.replace("\r", "<CR>").encode())
os.write(1, b"\r\ntext <%s>\r\nkeys <%s>\r\n" % (text.replace("\r", "<CR>").encode(), " ".join(keys).encode()))
