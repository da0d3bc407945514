#!/usr/bin/env python3
# SPDX-License-Identifier: ISC
"""Write certificates that no ordinary tool makes, and entries of Certificate Transparency logs.

    t/helper/certificates.py DIR LEAF PRECERT ISSUER

LEAF, PRECERT and ISSUER are files in DER. The script writes into DIR:

    NAME.der       a certificate for each function case_NAME, with a signature of zeros
    weird.pem      all of them in one file
    entries.json   an answer of get-entries (RFC 6962, 4.6): LEAF with the chain ISSUER, and PRECERT
    broken.json    the same with broken entries between them
    tile           a data tile (c2sp.org/static-ct-api) of LEAF and PRECERT, whose indexes are 512 and 513
    calidog.json   messages of CaliDog's certstream-server 1.4, whole and without DER
    go.json        messages of certstream-server-go after 1.6: PRECERT whole, LEAF in the lite stream
    tlsx.json      the output of tlsx 1.2 -json: with -cert and -tls-chain, without them, of failed connections
"""
import base64
import hashlib
import json
import pathlib
import struct
import sys


def tlv(tag, *parts):
    body = b"".join(parts)
    if len(body) < 128:
        return bytes([tag, len(body)]) + body
    size = (len(body).bit_length() + 7) // 8
    return bytes([tag, 0x80 | size]) + len(body).to_bytes(size, "big") + body


def sequence(*parts):
    return tlv(0x30, *parts)


def integer(n):
    return tlv(2, n.to_bytes(n.bit_length() // 8 + 1, "big", signed=True))


def oid(text):
    first, second, *rest = (int(x) for x in text.split("."))
    out = bytes([first * 40 + second])
    for n in rest:
        digits = [n & 127]
        while n > 127:
            n >>= 7
            digits.insert(0, 128 | n & 127)
        out += bytes(digits)
    return tlv(6, out)


UTF8, PRINTABLE, T61, BMP, UTC, LONG = 0x0C, 0x13, 0x14, 0x1E, 0x17, 0x18
CN, COUNTRY, ORGANISATION = "2.5.4.3", "2.5.4.6", "2.5.4.10"
RSA_KEY = sequence(
    sequence(oid("1.2.840.113549.1.1.1"), b"\5\0"),
    tlv(3, b"\0" + sequence(integer((1 << 1023) + 12345), integer(65537))),
)
SHA256_RSA = sequence(oid("1.2.840.113549.1.1.11"), b"\5\0")


def name(*parts):
    return sequence(*(tlv(0x31, sequence(oid(kind), tlv(tag, text))) for kind, tag, text in parts))


def alternative(*names):
    return sequence(oid("2.5.29.17"), tlv(4, sequence(*(tlv(0x82, n) for n in names))))


def certificate(number, subject=name(), issuer=None, serial=None, begin=(UTC, b"260101000000Z"),
                end=(UTC, b"260201000000Z"), key=RSA_KEY, extensions=()):
    issuer = issuer or name((CN, PRINTABLE, b"Test Issuer"))
    serial = number if serial is None else serial
    extra = (tlv(0xA3, sequence(*extensions)),) if extensions else ()
    tbs = sequence(tlv(0xA0, integer(2)), integer(serial), SHA256_RSA, issuer,
                   sequence(tlv(*begin), tlv(*end)), subject, key, *extra)
    return sequence(tbs, SHA256_RSA, tlv(3, bytes(129)))


CASES = {
    "negative": dict(serial=-4660),
    "short-time": dict(begin=(UTC, b"2601010203Z")),
    "offset-time": dict(begin=(UTC, b"260101020304+0100")),
    "ancient": dict(begin=(LONG, b"00010101000000Z")),
    "backwards": dict(begin=(UTC, b"260301000000Z")),
    "no-time": dict(begin=(UTC, b"nonsense")),
    "names": dict(subject=name((CN, UTF8, b"first.example.org"), (CN, UTF8, b"No Host"),
                               (CN, UTF8, b"localhost"), (CN, UTF8, b"192.0.2.7"),
                               (CN, BMP, "wide.example.org".encode("utf-16-be")))),
    "nul": dict(subject=name((CN, UTF8, b"gov.us\0.evil.test")),
                extensions=[alternative(b"gov.us\0.evil.test", b"fine.example.org")]),
    "latin": dict(subject=name((ORGANISATION, T61, b"Caf\xe9 \x07 & Co"), (CN, T61, b"caf\xe9.example.org"))),
    "no-utf8": dict(subject=name((CN, UTF8, b"caf\xe9.example.org"))),
    "two-lists": dict(extensions=[alternative(b"a.example.org"), alternative(b"B.example.org.")]),
    "no-hosts": dict(extensions=[alternative(
        b"with blank.example", b"what?.example", b"\xff.example", b"a..example", b".example", b"",
        b"x" * 254, b"192.0.2.1", b"localhost", b"_dmarc.example.org", b"*.example.org")]),
    "empty": dict(),
    "agreement-key": dict(key=sequence(sequence(oid("1.3.101.110")), tlv(3, bytes(33)))),
    "odd-key": dict(key=sequence(sequence(oid("1.3.6.1.4.1.99999.1")), tlv(3, b"\0abc"))),
}


def vector(size, data):
    return len(data).to_bytes(size, "big") + data


def timestamped(ms, leaf, precert, extensions=b""):
    if precert is None:
        signed = b"\0\0" + vector(3, leaf)
    else:
        signed = b"\0\1" + bytes(32) + vector(3, precert[4:40])  # the TBSCertificate is not read
    return struct.pack(">Q", ms) + signed + vector(2, extensions)


def get_entry(ms, leaf, precert, chain):
    issuers = vector(3, b"".join(vector(3, c) for c in chain))
    extra = issuers if precert is None else vector(3, precert) + issuers
    return {"leaf_input": base64.b64encode(b"\0\0" + timestamped(ms, leaf, precert)).decode(),
            "extra_data": base64.b64encode(extra).decode()}


def tile_leaf(ms, index, leaf, precert):
    extension = b"\0" + vector(2, index.to_bytes(5, "big"))
    body = timestamped(ms, leaf, precert, extension)
    if precert is not None:
        body += vector(3, precert)
    return body + vector(2, hashlib.sha256(b"issuer").digest())


def text64(der):
    return base64.b64encode(der).decode()


def colons(digest):
    return digest.hex(":").upper()


def update(kind, leaf, chain, source, index):
    return json.dumps({"message_type": "certificate_update", "data": {
        "update_type": kind, "leaf_cert": leaf, "chain": chain, "cert_index": index,
        "cert_link": f"https://ct.example/get-entries?start={index}&end={index}",
        "seen": 1700000100.25, "source": source}})


def certstream(folder, leaf, precert, issuer):
    own = {"subject": {"aggregated": "/CN=leaf.example.org", "C": None, "O": None, "CN": "leaf.example.org"},
           "extensions": {"basicConstraints": "CA:FALSE"}, "not_before": 1700000000.0, "not_after": 1707776000.0,
           "serial_number": "03A1B", "fingerprint": colons(hashlib.sha1(leaf).digest()),
           "all_domains": ["leaf.example.org", "*.leaf.example.org"]}
    root = {"subject": {"C": "GB", "O": "Example CA", "CN": "Example Root"}, "fingerprint": "00"}
    heartbeat = json.dumps({"message_type": "heartbeat", "timestamp": 1700000101.5})
    source = {"url": "ct.example/logs/argon/", "name": "Example log"}
    (folder / "calidog.json").write_text("\n".join([
        heartbeat, update("X509LogEntry", dict(own, as_der=text64(leaf)), [root], source, 77),
        update("X509LogEntry", own, [root], source, 78),
        update("X509LogEntry", dict(own, as_der="%%"), [], source, 79),
        json.dumps({"message_type": "dns_entries", "data": ["leaf.example.org"]}),
        json.dumps({"message_type": "news"})]) + "\n")
    lite = dict(own, sha1=own["fingerprint"], sha256=colons(hashlib.sha256(leaf).digest()), issuer=root["subject"],
                signature_algorithm="ecdsa, sha256", is_ca=False, serial_number="00:0a:1b",
                all_domains=["Leaf.example.org", "rcgen self signed cert", "localhost", "*.leaf.example.org."])
    tiled = {"url": "https://ct.example/logs/tiled2027/", "name": "Tiled", "timestamp": 0, "type": "tiled"}
    whole = dict(lite, as_der=text64(precert))
    (folder / "go.json").write_text("\n".join([
        update("PrecertLogEntry", whole, [dict(root, as_der=text64(issuer))], tiled, 5),
        update("X509LogEntry", lite, None, tiled, 6), heartbeat]) + "\n")


def pem(der):
    return f"-----BEGIN CERTIFICATE-----\n{base64.encodebytes(der).decode()}-----END CERTIFICATE-----\n"


def tlsx(folder, leaf, precert, issuer):
    def described(der, **more):
        return {"not_before": "2023-11-14T22:13:20Z", "not_after": "2024-02-12T22:13:20Z", "self_signed": True,
                "subject_dn": "CN=leaf.example.org", "subject_cn": "leaf.example.org", "subject_org": ["Old", "New"],
                "subject_an": ["leaf.example.org", "www.leaf.example.org", "192.0.2.1"], "serial": "0A:1B",
                "issuer_dn": "CN=Example Root", "issuer_cn": "Example Root", "issuer_org": ["Example CA"],
                "fingerprint_hash": {"md5": "", "sha1": "", "sha256": hashlib.sha256(der).hexdigest()}, **more}

    def line(**more):
        return json.dumps({"timestamp": "2026-03-04T05:06:07.891234567Z", "host": "leaf.example.org",
                           "ip": "192.0.2.7", "port": "443", "probe_status": True, "tls_version": "tls13",
                           "cipher": "TLS_AES_128_GCM_SHA256", "tls_connection": "ctls", **more})

    (folder / "tlsx.json").write_text("\n".join([
        line(**described(leaf, mismatched=True, wildcard_certificate=True)),
        line(certificate=pem(precert), ctl_source="Example log", ctl_index=99,
             chain=[described(precert, certificate=pem(precert)), described(issuer, certificate=pem(issuer))]),
        line(probe_status=False, error="connection refused"),
        line(error="no certificate"),
        line(fingerprint_hash={"sha256": hashlib.sha256(leaf).hexdigest()}, not_before="0001-01-01T00:00:00Z"),
        line(), line(certificate="no PEM")]) + "\n")


def main():
    folder = pathlib.Path(sys.argv[1])
    leaf, precert, issuer = (pathlib.Path(f).read_bytes() for f in sys.argv[2:5])
    weird = ""
    for number, (case, parts) in enumerate(CASES.items(), 1):
        der = certificate(number, **parts)
        (folder / f"{case}.der").write_bytes(der)
        weird += pem(der)
    (folder / "weird.pem").write_text(weird)

    good = [get_entry(1700000000123, leaf, None, [issuer]), get_entry(1700000001000, leaf, precert, [issuer, issuer])]
    (folder / "entries.json").write_text(json.dumps({"entries": good}))
    other = get_entry(1700000002000, leaf, None, [])
    wrong_type = base64.b64encode(b"\0\0" + struct.pack(">QH", 1, 7)).decode()
    cut = base64.b64encode(base64.b64decode(good[0]["leaf_input"])[:-3]).decode()
    broken = [{"leaf_input": "%%"}, {"extra_data": ""}, {"leaf_input": wrong_type}, {"leaf_input": cut},
              {"leaf_input": good[1]["leaf_input"]}, {"leaf_input": good[0]["leaf_input"], "extra_data": 7},
              {"leaf_input": base64.b64encode(b"\1\0").decode()},
              get_entry((1 << 64) - 1, leaf, None, []), get_entry(5, b"no certificate", None, [])]
    (folder / "broken.json").write_text(json.dumps({"entries": [good[0], *broken, other]}, indent=1))
    certstream(folder, leaf, precert, issuer)
    tlsx(folder, leaf, precert, issuer)
    tile = tile_leaf(1700000000123, 512, leaf, None) + tile_leaf(1700000001000, 513, leaf, precert)
    (folder / "tile").write_bytes(tile)


main()
