# Filters its list in a thread of its own a while after a key, as fzf and searches
# over a network do; Enter picks the first line that the list shows.
import os, select, sys, time, tty
tty.setraw(0)
lines = ["line %d" % n for n in range(2000)]
shown, text, due = lines, "", None
os.write(1, b"ready\r\n")
while True:
    left = None if due is None else max(0, due - time.monotonic())
    if not select.select([0], [], [], left)[0]:
        shown, due = [l for l in lines if text in l], None
        os.write(1, b"\r\x1b[K%s: %d lines" % (text.encode(), len(shown)))
        continue
    for c in os.read(0, 1 << 16).decode():
        if c == "\r":
            os.write(1, b"\r\npicked <%s>\r\n" % shown[0].encode())
            sys.exit()
        text, due = text + c, time.monotonic() + float(sys.argv[1])
    os.write(1, b"\r\x1b[K" + text.encode())
