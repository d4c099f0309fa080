# Drops what waits in its input when it opens its command line, as ranger does.
import os, termios, time, tty
tty.setraw(0)
os.write(1, b"ready\r\n")
got = ""
while not got.endswith("\r"):
    c = os.read(0, 1).decode()
    got += c
    if got in (":", "/"):
        time.sleep(0.02)  # opening it takes a while
        termios.tcflush(0, termios.TCIFLUSH)
    os.write(1, b"\r" + got.replace("\r", "").encode())
os.write(1, b"\r\ngot <%s>\r\n" % got[:-1].encode())
