#!/usr/bin/env python3
# SPDX-License-Identifier: ISC
"""Secrets for tests, which the tree must not contain, and searches for them.

github SEED             prints a GitHub token with right check digits
search SECRET FILE...   exits with 1 when a file has nine characters of the secret in a row; those of its prefix do not count
"""
import random
import sys
import zlib

DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"


def github(seed):
    rng = random.Random("github %s" % seed)
    body = "".join(rng.choice(DIGITS) for _ in range(30))
    crc = zlib.crc32(body.encode())
    check = ""
    for _ in range(6):
        check = DIGITS[crc % 62] + check
        crc //= 62
    return "ghp_" + body + check


def has_piece(secret, text):
    secret = secret.encode()
    return any(secret[i : i + 9] in text for i in range(len(secret) - 8))


def main():
    command, *rest = sys.argv[1:]
    if command == "github":
        print(github(rest[0]))
        return 0
    for path in rest[1:]:
        with open(path, "rb") as file:
            if has_piece(rest[0], file.read()):
                print("# %s has a piece of the secret" % path)
                return 1
    return 0


sys.exit(main())
