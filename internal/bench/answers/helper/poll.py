# A program with a prompt that waits for its terminal, a timer and a socket at
# once, as editors and clients do; its argument says in what way it waits. In ticks,
# it waits for its terminal alone and a tenth of a second, and answers between the ticks.
import os, select, selectors, socket, sys, threading, time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from emit import e

how = sys.argv[1]
server = socket.create_server(("127.0.0.1", 0))
left = socket.create_connection(server.getsockname())
right = server.accept()[0]
if how == "thread":
    threading.Thread(target=lambda: [time.sleep(0.05) for _ in iter(int, 1)], daemon=True).start()


def wait():
    if how == "ticks":
        while not select.select([0], [], [], 0.1)[0]:
            pass
    elif how == "select":
        while not select.select([0, right], [], [], 0.1)[0]:
            pass
    elif how == "epoll":
        s = selectors.EpollSelector()
        s.register(0, selectors.EVENT_READ)
        s.register(right, selectors.EVENT_READ)
        while not s.select(0.07):
            pass
        s.close()
    elif how == "poll":
        p = select.poll()
        p.register(0, select.POLLIN)
        p.register(right, select.POLLIN)
        p.poll()


def ticks(seconds):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if select.select([0], [], [], 0.1)[0]:
            time.sleep(0.1)  # typed ahead


while True:
    os.write(1, b"poll> ")
    wait()
    line = os.read(0, 4096)
    if not line:
        break
    e(line.decode(), ticks if how == "ticks" else time.sleep)
