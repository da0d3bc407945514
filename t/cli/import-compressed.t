#!/bin/sh
# SPDX-License-Identifier: ISC
# surfacectl import reads gzip and zstd as it reads plain files, whole and damaged ones (C-405).
. t/lib.sh
pg_start

records() { import_records "$@"; }
rows() { sql "SELECT md5(string_agg(doc, '' ORDER BY dataset, key)) FROM record"; }

/usr/bin/python3 - "$W" <<'END2'
import json, random, sys
random.seed(7)
with open(sys.argv[1] + "/dns", "w") as f:
    for i in range(3000):
        f.write(json.dumps({"host": "%08x.example.org" % random.getrandbits(32), "record_type": "A", "answer": "192.0.2.%d" % (i % 250),
                            "last_seen": "2026-01-02T00:00:00Z"}) + "\n")
END2
head -n 2000 "$W/dns" >"$W/head"
tail -n 1000 "$W/dns" >"$W/tail"
records dns "$W/dns"
is "$STATUS $OUT" "0 3000 read, 3000 new, 0 changed, 0 unchanged, 0 bad, 0 skipped" "a plain file is imported"
plain=$(rows)

gzip -k "$W/dns"
{ gzip -c "$W/head"; gzip -c "$W/tail"; head -c 1000 /dev/zero; } >"$W/members"
zstd -q "$W/dns"
{ zstd -qc "$W/head"; printf '\120\052\115\030\003\000\000\000xyz'; zstd -qc "$W/tail"; } >"$W/frames"
for file in dns.gz members dns.zst frames; do
	sql "TRUNCATE record CASCADE"
	records dns "$W/$file"
	is "$STATUS $OUT" "0 3000 read, 3000 new, 0 changed, 0 unchanged, 0 bad, 0 skipped" "$file gives the counts of the plain file (C-405)"
	is "$(rows)" "$plain" "$file gives the documents of the plain file (C-405)"
done
records dns - <"$W/dns.gz"
is "$OUT" "3000 read, 0 new, 0 changed, 3000 unchanged, 0 bad, 0 skipped" "standard input is unpacked too (C-405)"
"$BUILD/t/helper/hostgen" --hosts 50 | gzip >"$W/hosts.gz"
import "$W/hosts.gz"
is "$STATUS $OUT" "0 50 read, 50 new, 0 changed, 0 unchanged, 0 bad, 0 skipped" "hosts are read from gzip, and their format is recognised (C-405)"

# Cut and damaged files: an error, and the records before it are stored.
for kind in gz zst; do
	sql "TRUNCATE record CASCADE"
	size=$(stat -c %s "$W/dns.$kind")
	head -c $((size / 2)) "$W/dns.$kind" >"$W/cut.$kind"
	records dns "$W/cut.$kind"
	is "$STATUS" 1 "a cut file of $kind makes the import exit with status 1"
	like "$ERR" "surfacectl: $W/cut.$kind is cut off: its compressed data ends too early" "a cut file of $kind is named with the reason"
	stored=$(sql "SELECT count(*) FROM record")
	ok "the records before the cut of $kind are stored" test "$stored" -gt 500
	ok "the records behind the cut of $kind are missing" test "$stored" -lt 2500
	sql "TRUNCATE record CASCADE"
	{ cat "$W/dns.$kind"; echo "no compressed data"; } >"$W/garbage.$kind"
	records dns "$W/garbage.$kind"
	is "$STATUS ${OUT%%,*}" "1 3000 read" "a file of $kind with other data behind it is imported up to there"
	like "$ERR" "is damaged: its .* data cannot be unpacked any further" "other data behind a file of $kind is an error"
done
cp "$W/dns.gz" "$W/flip.gz"
printf '\377\377\377\377' | dd of="$W/flip.gz" bs=1 seek=$(($(stat -c %s "$W/flip.gz") - 8)) conv=notrunc 2>/dev/null
records dns "$W/flip.gz"
like "$STATUS $ERR" "^1 .*is damaged" "a gzip file whose checksum is wrong is an error"
records dns --json "$W/cut.gz"
is "$(printf '%s' "$OUT" | jq -r '.read > 500 and .bad <= 1')" true "the summary counts the records before a cut"

# A bomb: 128 MiB of zeros.
head -c 134217728 /dev/zero | gzip -1 >"$W/zeros.gz"
head -c 134217728 /dev/zero | zstd -q >"$W/zeros.zst"
for bomb in zeros.gz zeros.zst; do
	sql "TRUNCATE record CASCADE"
	# shellcheck disable=SC3045 # dash and bash have ulimit -v
	(ulimit -v 4000000; records dns --format ndjson "$W/$bomb"; printf '%s\n%s\n' "$STATUS $OUT" "$ERR" >"$W/bomb")
	like "$(head -1 "$W/bomb")" "^1 1 read, 0 new" "$bomb is one bad record (C-405)"
	like "$(cat "$W/bomb")" "record is longer than 4194304 bytes" "$bomb is bounded as a plain file is (C-405)"
done
like "$(cat "$W/bomb")" "zeros.zst unpacks to more than 1000 times its size" "a bomb beyond the ratio ends the import with its reason (C-405)"

printf '\3757zXZ' >"$W/xz"
records dns "$W/xz"
is "$STATUS $ERR" "1 surfacectl: $W/xz is compressed by xz; unpack it first (xz -dc FILE | surfacectl import ... -)" \
	"a compression that is not supported is named with the command that unpacks it"
: | gzip >"$W/empty.gz"
records dns "$W/empty.gz"
is "$STATUS ${OUT%%,*}" "0 0 read" "a compressed empty file imports nothing and succeeds"
printf '\037' >"$W/short"
records dns --format ndjson "$W/short"
is "$STATUS ${OUT%%,*}" "1 1 read" "a file of one byte is no compressed file"
