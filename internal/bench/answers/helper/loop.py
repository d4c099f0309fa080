# Answers lines in asyncio's loop and shows no prompt, as loop.js does.
import asyncio, os, sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from emit import ea


async def main():
    reader = asyncio.StreamReader()
    protocol = asyncio.StreamReaderProtocol(reader)
    await asyncio.get_running_loop().connect_read_pipe(lambda: protocol, sys.stdin)
    while line := await reader.readline():
        await ea(line.decode())


asyncio.run(main())
