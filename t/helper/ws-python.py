#!/usr/bin/python3
# SPDX-License-Identifier: ISC
"""python3-websockets as a client of t/stream/clients.t: as t/helper/ws-node.js."""
import asyncio
import json
import ssl
import sys

import websockets


async def run(o):
    context = ssl.create_default_context(cafile=sys.argv[1])
    try:
        ws = await websockets.connect(o['url'], ssl=context, subprotocols=[o['protocol']], max_size=1 << 25,
                                      origin=o.get('origin'), close_timeout=60)
    except websockets.exceptions.InvalidStatusCode as e:
        print('close', e.status_code, flush=True)
        return
    print('open', ws.subprotocol, flush=True)
    try:
        for s in o['send']:
            await ws.send(bytes(s) if isinstance(s, int) else s)
        async for m in ws:
            print('binary' if isinstance(m, bytes) else 'text', len(m), flush=True)
    except websockets.exceptions.ConnectionClosed:
        pass
    await ws.wait_closed()
    print('close', ws.close_code, flush=True)


for line in sys.stdin:
    asyncio.run(run(json.loads(line)))
