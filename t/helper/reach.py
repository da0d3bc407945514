# SPDX-License-Identifier: ISC
"""Where no browser may come to, for the tests of what a real one reaches: names, hosts, their spellings."""
import os

PUBLIC, PUBLIC6 = "93.184.216.34", "2606:2800:220:1::34"
NAMES = {"home.net": {"A": [PUBLIC]}, "open.net": {"A": [PUBLIC], "AAAA": [PUBLIC6]}, "loop.net": {"A": ["127.0.0.1"]},
         "ten.net": {"A": ["10.1.2.3"]}, "meta.net": {"A": ["169.254.169.254"]}, "lo6.net": {"AAAA": ["::1"]},
         "mapped.net": {"AAAA": ["::ffff:127.0.0.1"]}, "mixed.net": {"A": [PUBLIC, "127.0.0.1"]},
         "localhost": {"A": ["127.0.0.1"]},
         "ula.net": {"AAAA": ["fd00::1"]}, "inward.net": {"CNAME": "localhost"},
         **{"rebind%d.net" % i: {"A": [[PUBLIC]] * i + [["127.0.0.1"]]} for i in range(1, 4)}}
# What is asked of egress is judged there; what Chromium refuses itself is not asked.
TARGETS = ["127.0.0.1", "10.1.2.3", "169.254.169.254", "[::1]", "[fd00::1]", "[::ffff:127.0.0.1]", "[::ffff:a01:203]",
           "192.168.1.1", "172.16.1.1", "100.64.1.1", "0.0.0.0", "localhost", "loop.net", "ten.net", "meta.net", "lo6.net",
           "mapped.net", "mixed.net", "ula.net", "inward.net"]
SPELLINGS = ["2130706433", "0x7f000001", "0x7f.0.0.1", "0177.0.0.1", "017700000001", "127.1", "127.0.1", "10.66051",
             "0xa9.0xfe.0xa9.0xfe", "2852039166", "127.0.0.1.", "a.localhost", "%31%32%37.0.0.1", "127%2e0.0.1",
             "\u2460\u2461\u2466.0.0.1", "127\u30020\u30020\u30021", "\uff11\uff12\uff17.0.0.1", "[0:0:0:0:0:ffff:7f00:1]",
             "[::7f00:1]", "[64:ff9b::7f00:1]", "[2002:7f00:1::]", "[::]", "0", "127.0.0.1.nip.io", "metadata.google.internal",
             "user@127.0.0.1", "home.net@10.1.2.3"]
# What attack() of vectors.js asks for, at least; some ways say nothing of themselves.
WAYS = {"img", "script", "style", "prefetch", "preload", "iframe", "object", "embed", "video", "audio", "fetch", "nocors",
        "keepalive", "put", "xhr", "events", "websocket", "beacon", "worker", "sharedworker", "font", "background"}

with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "vectors.js"), encoding="utf-8") as f:
    VECTORS = f.read()
