#!/usr/bin/python3
# SPDX-License-Identifier: ISC
"""A bad network: cut.py LISTEN TARGET BYTES [RATE]

Passes connections between two Unix sockets. Each connection is cut after BYTES from the target (0: never), and gets at
most RATE bytes a second (0: no limit). Prints "ready" when it listens, and at the end of standard input the number of
connections."""
import asyncio
import sys

listen, target, most, rate = sys.argv[1], sys.argv[2], int(sys.argv[3]), int((sys.argv + ["0"])[4])
PIECE = 16384
connections = 0


async def pass_on(reader, writer, limit):
    # abort drops what a slow peer has not taken; so drain waits until it has.
    writer.transport.set_write_buffer_limits(0)
    piece = min(PIECE, max(rate // 20, 1)) if rate else PIECE
    try:
        while limit is None or limit > 0:
            data = await reader.read(piece if limit is None else min(piece, limit))
            if not data:
                break
            writer.write(data)
            await writer.drain()
            if limit is not None:
                limit -= len(data)
                if rate:
                    await asyncio.sleep(len(data) / rate)
    except OSError:
        pass


async def serve(reader, writer):
    global connections
    connections += 1
    try:
        up_reader, up_writer = await asyncio.open_unix_connection(target)
    except OSError:
        writer.transport.abort()
        return
    up = asyncio.create_task(pass_on(reader, up_writer, None))
    await pass_on(up_reader, writer, most or None if not rate else most or 1 << 62)
    up.cancel()
    writer.transport.abort()
    up_writer.transport.abort()


async def main():
    await asyncio.start_unix_server(serve, listen)
    print("ready", flush=True)
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)
    print(connections, flush=True)


asyncio.run(main())
