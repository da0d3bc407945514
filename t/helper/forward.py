#!/usr/bin/python3
# SPDX-License-Identifier: ISC
"""forward.py SOCKET: prints a free port of the loopback and serves it from a Unix socket."""
import asyncio
import sys


async def copy(reader, writer):
    while data := await reader.read(65536):
        writer.write(data)
        await writer.drain()
    writer.write_eof()


async def serve(reader, writer):
    from_socket, to_socket = await asyncio.open_unix_connection(sys.argv[1])
    await asyncio.gather(copy(reader, to_socket), copy(from_socket, writer), return_exceptions=True)
    to_socket.close()
    writer.close()


async def main():
    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


asyncio.run(main())
