#!/usr/bin/python3
# SPDX-License-Identifier: ISC
"""evidence.py FOLDER SESSION [TITLE]: makes thirty-two screenshots of two tabs, and three requests before each, of a session that is
ready. Each picture has a width of its own; the moments are irregular, and a pause of 40 seconds lies between the two halves. The
first one comes a second after the session was ready. The pictures are files of FOLDER/evidence; the rows are printed as SQL.
TITLE: of every page, instead of Page 0, Page 1 and so on."""
import hashlib
import os
import struct
import sys
import uuid
import zlib

folder, session = sys.argv[1:3]
title = sys.argv[3] if len(sys.argv) > 3 else None


def quoted(text):
    return "'" + text.replace("'", "''") + "'"


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def picture(i, width, height):
    colour = bytes((40 + 6 * i, 110 + (i * 37) % 110, 200 - 5 * i))
    rows = b"".join(b"\0" + (colour * width if 60 < y < 330 else bytes((235, 238, 240)) * width) for y in range(height))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)) + \
        chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


for i in range(32):
    width, height, tab = 640 + 2 * i, 400, 2 if i % 5 == 3 else 1
    image = picture(i, width, height)
    sha = hashlib.sha256(image).hexdigest()
    path = f"{folder}/evidence/{sha[:2]}/{sha[2:4]}"
    os.makedirs(path, exist_ok=True)
    with open(f"{path}/{sha}", "wb") as f:
        f.write(image)
    ms = 1000 + i * 730 + (i * i * 13) % 500 + (40000 if i >= 16 else 0)
    print(f"INSERT INTO screenshot (uuid, session_uuid, sha256, bytes, mime, width, height, reason, tab, url, title, taken_at)"
          f" SELECT '{uuid.uuid4()}', uuid, '\\x{sha}', {len(image)}, 'image/png', {width}, {height}, 'load', {tab},"
          f" 'https://example.com/{i}', {quoted(title or f'Page {i}')}, ready_at + {ms} * interval '1 ms' FROM browser_session WHERE uuid = '{session}';")
    for j in range(3):
        print(f"INSERT INTO network_event (session_uuid, seq, uuid, at, doc) SELECT uuid, {3 * i + j + 1}, '{uuid.uuid4()}',"
              f" ready_at + {ms - 300 + 90 * j} * interval '1 ms', jsonb_build_object('tab', {tab}, 'kind', 'request', 'method', 'GET',"
              f" 'url', 'https://example.com/{i}/{['', 'style.css', 'image.png'][j]}', 'resource_type', 'Document', 'mime', NULL, 'protocol', 'h2',"
              f" 'failure', {'$$net::ERR_FAILED$$' if i % 8 == 5 and j == 2 else 'NULL'}, 'remote_address', NULL, 'remote_port', NULL, 'tls', NULL, 'redirected_from', NULL,"
              f" 'status', {'NULL' if i % 8 == 5 and j == 2 else 404 if i % 9 == 4 and j == 1 else 200},"
              f" 'request_headers', '[]'::jsonb, 'response_headers', '[]'::jsonb, 'bytes_sent', 300, 'bytes_received', {4000 + 811 * i},"
              f" 'duration_ms', {60 + 70 * j}) FROM browser_session WHERE uuid = '{session}';")
