# Does what a script of words says; see script.go.
import sys, time


def _do(w, sleep):
    o, a = w[0], w[1:]
    out = sys.stdout
    if o == "l":
        out.write("<" + a + ">\n")
    elif o == "h":
        out.write(bytes.fromhex(a).decode())
    elif o == "s":
        out.flush()
        sleep(int(a) / 1000)
    elif o == "x":
        out.flush()
        end = time.monotonic() + int(a) / 1000
        while time.monotonic() < end:
            pass
    elif o == "n":
        for i in range(int(a)):
            out.write("<%d>\n" % (i + 1))
    elif o == "b":
        n, ms = a.split("x")
        for i in range(int(n)):
            out.write("<%d>\n" % (i + 1))
            out.flush()
            sleep(int(ms) / 1000)
    elif o == "q":
        print("<=" + input(a + "? [Y/n] ").strip() + ">")
    elif o == "w":
        import getpass
        print("<=%d>" % len(getpass.getpass(a + " password: ")))
    out.flush()


def e(text, sleep=time.sleep):
    for w in text.split():
        _do(w, sleep)


async def ea(text):
    import asyncio
    for w in text.split():
        if w[0] == "s":
            await asyncio.sleep(int(w[1:]) / 1000)
        elif w[0] == "b":
            n, ms = w[1:].split("x")
            for i in range(int(n)):
                print("<%d>" % (i + 1), flush=True)
                await asyncio.sleep(int(ms) / 1000)
        else:
            _do(w, time.sleep)
