#!/usr/bin/python3
# SPDX-License-Identifier: ISC
"""Prints a host whose texts would be markup, code, controls or formulas elsewhere, as a line of NDJSON."""
import json

EVIL = "<img src=x onerror=document.title='ran'></script><script>document.title='ran'</script> javascript:alert(3) \u202eexe.cod \x1b[31m\x07"
PRODUCT = 'Acme: "X" \\ (y) OR z'
SEEN = {"first_seen": "2026-11-01T00:00:00Z", "last_seen": "2026-11-20T00:00:00Z"}

print(json.dumps({
    "ip": "203.0.113.66", "country_code": "DE", "city": EVIL[:80], "asn": 64500, "as_name": EVIL[:120], "organisation": EVIL[:120],
    "hostnames": ["a.example"], "tags": ["<b>bold</b>"], "os": EVIL[:100], **SEEN,
    "services": [
        {"port": 80, "transport": "tcp", "service_name": "http", "product": PRODUCT, "version": "=cmd()", "banner": EVIL * 30, "tags": ["</li>"],
         "http": {"status_code": 200, "title": EVIL, "server": EVIL[:100], "headers": ["x-evil: " + EVIL[:80]]}, **SEEN},
        {"port": 443, "transport": "tcp", "service_name": "https", "tls_enabled": True, "banner": "=cmd|' /C calc'!A0",
         "tls": {"version": "TLSv1.3", "certificate": {"fingerprint_sha256": "ab" * 32, "subject_cn": EVIL[:60], "issuer_cn": "W" * 120,
                                                       "names": ["a.example"], "not_after": "2026-12-24T00:00:00Z", "self_signed": True}}, **SEEN},
    ],
}))
