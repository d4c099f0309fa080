# Counts what it is given in raw mode, up to the first Q; with "never" it reads nothing
# until it is interrupted.
import os, signal, sys, tty
tty.setcbreak(0) if "never" in sys.argv else tty.setraw(0)
os.write(1, b"ready\r\n")
if "never" in sys.argv:
    signal.signal(signal.SIGINT, lambda *_: (os.write(1, b"interrupted\r\n"), os._exit(3)))
    while True:
        signal.pause()
n = 0
while True:
    got = os.read(0, 1 << 16)
    n += len(got)
    if got.endswith(b"Q"):
        break
os.write(1, b"%d bytes\r\n" % n)
