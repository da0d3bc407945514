#!/usr/bin/python3
# SPDX-License-Identifier: ISC
"""The runner's end of a live stream without a browser: fake-runner.py FOLDER SESSION EPOCH

Listens on FOLDER/sessions/SESSION/EPOCH.sock; a connection is an open WebSocket whose frames it echoes, the
head as it came but unmasked. A newer connection ends the older one with 1013. A text that begins with ! is
an order:

  !close CODE          a close frame            !bytes N     a binary frame of N bytes
  !raw HEX             these bytes              !ping TEXT   a ping
  !stall SECONDS       reads nothing            !drop        the connection, without a word
  !flood N SIZE        N frames of SIZE         !pongs       the pongs that have come, as a text
"""
import asyncio
import os
import struct
import sys


def head(first, n):
    if n < 126:
        return bytes((first, n))
    if n < 65536:
        return bytes((first, 126)) + struct.pack('>H', n)
    return bytes((first, 127)) + struct.pack('>Q', n)


def unmask(data, mask):
    n = len(data)
    key = (mask * (n // 4 + 1))[:n]
    return (int.from_bytes(data, 'big') ^ int.from_bytes(key, 'big')).to_bytes(n, 'big')


class Runner:
    def __init__(self):
        self.now = None

    async def order(self, words, writer, pongs):
        kind = words[0]
        if kind == '!close':
            writer.write(head(0x88, 2) + struct.pack('>H', int(words[1])))
        elif kind == '!bytes':
            writer.write(head(0x82, int(words[1])) + bytes(int(words[1])))
        elif kind == '!raw':
            writer.write(bytes.fromhex(words[1]))
        elif kind == '!ping':
            writer.write(head(0x89, len(words[1])) + words[1].encode())
        elif kind == '!stall':
            await asyncio.sleep(float(words[1]))
        elif kind == '!drop':
            writer.transport.abort()
        elif kind == '!flood':
            for _ in range(int(words[1])):
                writer.write(head(0x82, int(words[2])) + bytes(int(words[2])))
                await writer.drain()
        elif kind == '!pongs':
            text = b','.join(pongs)
            writer.write(head(0x81, len(text)) + text)
        else:
            raise ValueError(kind)

    async def frame(self, reader, writer, pongs):
        first, second = await reader.readexactly(2)
        n = second & 127
        if n == 126:
            n, = struct.unpack('>H', await reader.readexactly(2))
        elif n == 127:
            n, = struct.unpack('>Q', await reader.readexactly(8))
        if not second & 128:
            raise ValueError('a frame without a mask came through')
        mask = await reader.readexactly(4)
        data = unmask(await reader.readexactly(n), mask)
        if first & 15 == 8:
            writer.write(head(0x88, n) + data)
            return False
        if first & 15 == 9:
            writer.write(head(0x8a, n) + data)
        elif first & 15 == 10:
            pongs.append(data)
        elif first == 0x81 and data[:1] == b'!':
            await self.order(data.decode().split(' '), writer, pongs)
        else:
            writer.write(head(first, n) + data)
        return True

    async def serve(self, reader, writer):
        if self.now is not None:
            self.now.write(head(0x88, 2) + struct.pack('>H', 1013))
        self.now = writer
        pongs = []
        try:
            while await self.frame(reader, writer, pongs):
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        if self.now is writer:
            self.now = None
        writer.close()


async def main(folder, session, epoch):
    os.makedirs(f'{folder}/sessions/{session}', mode=0o750, exist_ok=True)
    path = f'{folder}/sessions/{session}/{epoch}.sock'
    if os.path.exists(path):
        os.unlink(path)
    server = await asyncio.start_unix_server(Runner().serve, path, limit=1 << 20)
    async with server:
        await server.serve_forever()


asyncio.run(main(*sys.argv[1:]))
