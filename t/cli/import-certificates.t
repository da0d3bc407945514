#!/bin/sh
# SPDX-License-Identifier: ISC
# surfacectl import certificates: unusual certificates, logs of Certificate Transparency, certstream and tlsx (C-404).
. t/lib.sh
pg_start

import() { import_records certificates "$@"; }
# show FINGERPRINT JQ: prints members of the stored certificate.
show() { sql "SELECT doc FROM record WHERE dataset = 5 AND encode(key, 'hex') LIKE '%$1'" | jq -c "$2"; }
fingerprint() { sha256sum "$1" | cut -c1-64; }
clear() { sql "DELETE FROM record_blob; DELETE FROM record" >/dev/null; }

cd "$W" || exit 1
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout ca.key -out ca.pem -days 3650 -subj '/C=GB/O=Example CA/CN=Example Root' 2>/dev/null
# issue NAME [OPTION ...]: writes NAME.pem and NAME.der, a certificate that the root has signed.
issue()
{
	_name=$1
	shift
	openssl req -new -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout "$_name.key" -subj "/CN=$_name.example.org" "$@" 2>/dev/null |
		openssl x509 -req -CA ca.pem -CAkey ca.key -copy_extensions copyall -days 90 -out "$_name.pem" 2>/dev/null
	openssl x509 -in "$_name.pem" -outform der -out "$_name.der"
}
issue leaf -addext 'subjectAltName=DNS:leaf.example.org,DNS:*.leaf.example.org'
issue pre -addext '1.3.6.1.4.1.11129.2.4.3=critical,ASN1:NULL'
openssl x509 -in ca.pem -outform der -out ca.der
/usr/bin/python3 -B "$TOP/t/helper/certificates.py" "$W" leaf.der pre.der ca.der || exit 1
openssl pkey -in ca.key -aes128 -passout pass:x -out secret.pem
cd "$TOP" || exit 1
LEAF=$(fingerprint "$W/leaf.der") PRE=$(fingerprint "$W/pre.der") CA=$(fingerprint "$W/ca.der")

# ---- PEM and DER ----

import --format pem --seen 2026-05-01T00:00:00Z "$W/weird.pem"
is "$STATUS $OUT" "1 15 read, 13 new, 0 changed, 0 unchanged, 2 bad, 0 skipped" "every readable certificate is stored, however unusual it is (C-404)"
is "$(printf '%s\n' "$ERR" | sed 's/.*pem:[0-9]*: //')" "the certificate is refused: its validity is no time
the certificate is refused: it is no certificate" "a validity that is no time and a broken UTF8String make bad records"
# weird NAME JQ: prints members of one of the unusual certificates.
weird() { show "$(fingerprint "$W/$1.der")" "$2"; }
is "$(weird negative .serial_number)" '"-1234"' "a negative serial number begins with a minus sign (C-910)"
is "$(weird short-time .not_before)" '"2026-01-01T02:03:00.000000Z"' "a validity without seconds is a time"
is "$(weird offset-time .not_before)" '"2026-01-01T01:03:04.000000Z"' "a validity with an offset is a time"
is "$(weird ancient '[.not_before, .validity_days]')" '["0001-01-01T00:00:00.000000Z",739647]' "a validity may begin in the year 1"
is "$(weird backwards .validity_days)" '-28' "a validity that ends before it begins has negative days"
is "$(weird names '[.subject.common_name, .names]')" '["wide.example.org",["first.example.org","wide.example.org"]]' \
	"the last common name is the subject's, and every one that is a host name is a name"
is "$(weird nul '[.subject.common_name, .names]')" '["gov.us?.evil.test",["fine.example.org"]]' "a name with U+0000 never becomes the name before it (C-910)"
is "$(weird latin '[.subject, .names]')" '[{"common_name":"café.example.org","organisation":"Café ? & Co"},null]' \
	"texts in Latin-1 are stored in UTF-8, with question marks for control characters"
is "$(weird two-lists .names)" '["a.example.org","b.example.org"]' "two extensions of alternative names are both read"
is "$(weird no-hosts .names)" '["*.example.org","_dmarc.example.org","localhost"]' "names that no host can have are left out (C-910)"
is "$(weird empty '[.subject, .names, .issuer.common_name]')" '[null,null,"Test Issuer"]' "a certificate without subject and names is stored"
is "$(weird agreement-key '[.key_algorithm, .key_size]')" '["1.3.101.110",253]' "a key that signs nothing has its OID, too"
is "$(weird odd-key '[.key_algorithm, .key_size]')" '["1.3.6.1.4.1.99999.1",null]' "an unknown algorithm of a key is its OID"
import --format pem "$W/weird.pem"
is "$OUT" "15 read, 0 new, 0 changed, 13 unchanged, 2 bad, 0 skipped" "the same PEM file twice changes nothing (C-404)"
clear

# A terminal is the place where OpenSSL asks for a pass phrase.
cat "$W/secret.pem" "$W/leaf.pem" >"$W/both.pem"
/usr/bin/python3 - "$BIN/surfacectl" --database "host=$W/db dbname=surfaced user=surfaced_admin" import certificates --format pem "$W/both.pem" \
	>"$W/terminal" <<'END'
import os, pty, sys
pid, fd = pty.fork()
if pid == 0:
    os.execv(sys.argv[1], sys.argv[1:])
out = b""
while True:
    try:
        part = os.read(fd, 4096)
    except OSError:
        break
    if not part:
        break
    out += part
status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
print(status, out.decode().strip())
END
is "$(cat "$W/terminal")" "0 2 read, 1 new, 0 changed, 0 unchanged, 0 bad, 1 skipped" "an encrypted private key is passed over, and nobody is asked for its pass phrase"
is "$(sql "SELECT count(*) FROM record_blob")" 1 "nothing of a private key is stored (C-910)"
clear

# ---- logs of Certificate Transparency ----

import --format ct --log argon2027 --start 1000 "$W/entries.json"
is "$STATUS $OUT" "0 2 read, 2 new, 0 changed, 0 unchanged, 0 bad, 0 skipped" "an answer of get-entries gives a certificate for each entry, without its chain (C-404)"
is "$(show "$LEAF" '[.ct, .first_seen, .last_seen, .precertificate, .names]')" \
	'[{"log":"argon2027","index":1000,"seen_at":"2023-11-14T22:13:20.123000Z"},"2023-11-14T22:13:20.123000Z","2023-11-14T22:13:20.123000Z",false,["*.leaf.example.org","leaf.example.org"]]' \
	"--log and --start name the log and the index of its first entry, and the entry has the time"
is "$(show "$PRE" '[.ct.index, .precertificate, .subject.common_name]')" '[1001,true,"pre.example.org"]' "an entry of a precertificate is the precertificate of extra_data"
is "$(sql "SELECT encode(sha256(blob), 'hex') FROM record_blob WHERE encode(key, 'hex') LIKE '%$PRE'")" "$PRE" "the DER of a precertificate is stored"
import --format ct --log argon2027 --start 1000 "$W/entries.json"
is "$OUT" "2 read, 0 new, 0 changed, 2 unchanged, 0 bad, 0 skipped" "the same answer twice changes nothing (C-404)"
import --format ct --chains "$W/entries.json"
is "$OUT" "2 read, 1 new, 0 changed, 2 unchanged, 0 bad, 0 skipped" "--chains stores the issuers of the entries, too"
is "$(show "$CA" '[.ct, .last_seen, .self_signed]')" '[null,"2023-11-14T22:13:21.000000Z",true]' "an issuer was seen with its entries and has no place in the log"
clear
import --format ct "$W/broken.json"
is "$STATUS $OUT" "1 11 read, 1 new, 0 changed, 0 unchanged, 9 bad, 0 skipped" "the entries around broken ones are imported"
is "$(printf '%s\n' "$ERR" | sed 's/.*json:[0-9]*: //; s/element [0-9]* at byte [0-9]*: //')" "leaf_input: must be base64
leaf_input: must be base64
the type of the entry is unknown
leaf_input: has a wrong length
extra_data: has no precertificate
extra_data: must be base64
leaf_input: is no leaf of version 1
its timestamp is no time
the certificate is refused: it is no certificate" "each broken entry is reported with its fault"
is "$(show "$LEAF" '[.ct, .first_seen, .last_seen]')" \
	'[{"seen_at":"2023-11-14T22:13:20.123000Z"},"2023-11-14T22:13:20.123000Z","2023-11-14T22:13:22.000000Z"]' \
	"the earliest entry of a certificate stays, and the latest one says when it was last seen"
echo '{"error_message":"need tree size: 5 to get leaves but only got: 3","error_code":400}' >"$W/error.json"
import --format ct "$W/error.json"
is "$STATUS $OUT" "1 1 read, 0 new, 0 changed, 0 unchanged, 1 bad, 0 skipped" "an answer that is an error is a bad record"
echo '{"entries":[]}' >"$W/none.json"
import --format ct "$W/none.json"
is "$STATUS ${OUT#*read, }" "0 0 new, 0 changed, 0 unchanged, 0 bad, 0 skipped" "an answer without entries stores nothing and succeeds"
jq -c '.entries[]' "$W/entries.json" >"$W/lines.json"
import --format ct --start 1000 "$W/lines.json"
is "$OUT $(show "$PRE" .ct.index)" "2 read, 1 new, 1 changed, 0 unchanged, 0 bad, 0 skipped 1001" "entries on one line each are read like their answer"
clear
jq -c . "$W/entries.json" | sed 's/},{/},{"x":[1},{/' >"$W/damaged.json"
import --format ct --log argon2027 --start 1000 "$W/damaged.json"
like "$STATUS $OUT $ERR" '^1 3 read, 2 new, 0 changed, 0 unchanged, 1 bad, 0 skipped .*:1: element 2 at byte [0-9]*: no valid JSON at byte' \
	"an entry of an answer that is no JSON costs no other entry"
is "$(show "$LEAF" .ct.index) $(show "$PRE" .ct.index)" "1000 null" "entries behind one that is no JSON get no index, because it may have been several"
clear
# One line of 12 MB: logs answer with thousands of entries.
/usr/bin/python3 - "$W" <<'END'
import json, sys
entry = json.load(open(sys.argv[1] + "/entries.json"))["entries"][0]
pad = dict(entry, unknown="x" * 4000)
open(sys.argv[1] + "/long.json", "w").write('{"entries":[' + ",".join([json.dumps(pad)] * 2000) + ']}')
END
import --format ct "$W/long.json"
is "$STATUS $OUT" "0 2000 read, 1 new, 0 changed, 0 unchanged, 0 bad, 0 skipped" "an answer on one line of many megabytes is read entry by entry"
clear

import --format ct-tile --log tuscolo2027 "$W/tile"
is "$STATUS $OUT" "0 2 read, 2 new, 0 changed, 0 unchanged, 0 bad, 0 skipped" "a data tile gives a certificate for each leaf (C-404)"
is "$(show "$LEAF" .ct)" '{"log":"tuscolo2027","index":512,"seen_at":"2023-11-14T22:13:20.123000Z"}' "the index of a leaf is the one of its extension"
is "$(show "$PRE" '[.ct.index, .precertificate]')" '[513,true]' "a leaf of a precertificate is the precertificate"
import --format ct-tile --log tuscolo2027 "$W/tile"
is "$OUT" "2 read, 0 new, 0 changed, 2 unchanged, 0 bad, 0 skipped" "the same tile twice changes nothing (C-404)"
{ cat "$W/tile"; head -c -40 "$W/tile"; } >"$W/cut"
import --format ct-tile "$W/cut"
is "$STATUS $OUT" "1 4 read, 0 new, 0 changed, 2 unchanged, 1 bad, 0 skipped" "a tile that was cut off gives the leaves before the cut"
is "$ERR" "$W/cut:4: the leaf is cut off; the rest of the tile cannot be read" "the leaf that was cut off is named by its number"
printf '\0\0\1\215\200\0\0\0\0\7 and the rest of the leaf' >"$W/unknown"
import --format ct-tile "$W/unknown"
is "$STATUS $ERR" "1 $W/unknown:1: the type of the entry is unknown; the rest of the tile cannot be read" \
	"a leaf of an unknown type is named"
import --format ct-tile "$W/leaf.pem"
is "$STATUS $OUT" "1 1 read, 0 new, 0 changed, 0 unchanged, 1 bad, 0 skipped" "a file that is no tile is one bad record"
import --format pem --log argon2027 "$W/leaf.pem"
is "$STATUS $(printf '%s\n' "$ERR" | head -1)" "2 surfacectl: --log belongs to --format ct ct-tile" "an option of another format is refused"
import --format ct --start -1 "$W/entries.json"
is "$STATUS $(printf '%s\n' "$ERR" | head -1)" "2 surfacectl: --start wants a number from 0 to 9007199254740991" "an index below zero is refused"
clear

# ---- certstream: CaliDog's server 1.4 and certstream-server-go after 1.6 ----

import --format certstream "$W/go.json"
is "$STATUS $OUT" "0 3 read, 2 new, 0 changed, 0 unchanged, 0 bad, 1 skipped" "certstream-server-go gives a certificate for each update (C-404)"
is "$(show "$PRE" '[.ct, .first_seen, .precertificate]')" \
	'[{"log":"ct.example/logs/tiled2027","index":5,"seen_at":"2023-11-14T22:15:00.250000Z"},"2023-11-14T22:15:00.250000Z",true]' \
	"an update has its place in the log and its time, and as_der of a PrecertLogEntry is the precertificate"
is "$(show "$LEAF" 'del(.ct)')" "$(jq -c . <<END
{"fingerprint_sha256":"$LEAF","serial_number":"A1B","subject":{"common_name":"leaf.example.org"},
"issuer":{"common_name":"Example Root","organisation":"Example CA","country_code":"GB"},"names":["*.leaf.example.org","leaf.example.org"],
"apex_domains":["example.org"],"signature_algorithm":"ecdsa-with-SHA256","validity_days":90,"precertificate":false,
"not_before":"2023-11-14T22:13:20.000000Z","not_after":"2024-02-12T22:13:20.000000Z","first_seen":"2023-11-14T22:15:00.250000Z","last_seen":"2023-11-14T22:15:00.250000Z"}
END
)" "a certificate of the lite stream has the members of its message"
is "$(sql "SELECT count(*) FROM record_blob")" 1 "a certificate of the lite stream has no DER"
import --format certstream "$W/go.json"
is "$OUT" "3 read, 0 new, 0 changed, 2 unchanged, 0 bad, 1 skipped" "the same messages twice change nothing (C-404)"
import --format certstream --chains "$W/go.json"
is "$OUT" "3 read, 1 new, 0 changed, 2 unchanged, 0 bad, 1 skipped" "--chains stores the issuers of messages, too"
clear
import --format certstream "$W/calidog.json"
is "$STATUS $OUT" "1 6 read, 1 new, 0 changed, 0 unchanged, 3 bad, 2 skipped" "CaliDog's messages without DER are bad, since their fingerprint is the SHA-1 (C-404)"
is "$ERR" "$W/calidog.json:3: leaf_cert: has neither as_der nor sha256
$W/calidog.json:4: as_der: must be base64
$W/calidog.json:6: message_type: must be certificate_update" "each bad message is reported with its line"
is "$(show "$LEAF" '[.ct.log, .ct.index, (.spki_sha256 | length)]')" '["ct.example/logs/argon",77,64]' "the URL of a log is stored without scheme and final slash"
jq -c 'select(.message_type == "certificate_update").data' "$W/go.json" >"$W/data.json"
import --format certstream "$W/data.json"
is "$OUT" "2 read, 2 new, 0 changed, 0 unchanged, 0 bad, 0 skipped" "the member data alone is read like its message"
clear

# The DER of a certificate replaces members that a tool reported, and never the other way round.
/usr/bin/python3 - "$W" <<'END'
import datetime, json, subprocess, sys
lite = json.loads(open(sys.argv[1] + "/go.json").read().splitlines()[1])
text = subprocess.check_output(["openssl", "x509", "-in", sys.argv[1] + "/leaf.pem", "-noout", "-startdate"], text=True).strip()
begin = datetime.datetime.strptime(text, "notBefore=%b %d %H:%M:%S %Y GMT").replace(tzinfo=datetime.timezone.utc)
lite["data"]["leaf_cert"].update(not_before=int(begin.timestamp()), not_after=7)
lite["data"]["leaf_cert"]["subject"]["O"] = "Told"
open(sys.argv[1] + "/lite.json", "w").write(json.dumps(lite, indent=2))
END
import --format certstream "$W/lite.json"
import --format der "$W/leaf.der"
is "$OUT" "1 read, 0 new, 1 changed, 0 unchanged, 0 bad, 0 skipped" "the DER of a certificate completes its record"
is "$(show "$LEAF" '[.subject, .ct.index, .validity_days, (.spki_sha256 | length)]')" '[{"common_name":"leaf.example.org"},6,90,64]' "the members of a parsed certificate replace those that a tool reported"
is "$(sql "SELECT encode(sha256(blob), 'hex') FROM record_blob WHERE encode(key, 'hex') LIKE '%$LEAF'")" "$LEAF" "the DER that came later is stored"
before=$(sql "SELECT doc FROM record")
import --format certstream "$W/lite.json"
is "$(sql "SELECT doc FROM record" | jq -c 'del(.last_seen)')" "$(printf %s "$before" | jq -c 'del(.last_seen)')" "a message without DER changes nothing of a parsed certificate"
clear

# ---- tlsx 1.2 ----

import --format tlsx "$W/tlsx.json"
is "$STATUS $OUT" "1 7 read, 3 new, 0 changed, 0 unchanged, 3 bad, 2 skipped" "tlsx gives the certificates of its lines and chains (C-404)"
is "$ERR" "$W/tlsx.json:5: not_before: is missing
$W/tlsx.json:6: fingerprint_sha256: is missing or no SHA-256
$W/tlsx.json:7: certificate: must be PEM" "a line whose certificate has no key is a bad record"
is "$(show "$LEAF" .)" "$(jq -c . <<END
{"fingerprint_sha256":"$LEAF","serial_number":"A1B","subject":{"common_name":"leaf.example.org","organisation":"New"},
"issuer":{"common_name":"Example Root","organisation":"Example CA"},"names":["leaf.example.org","www.leaf.example.org"],"apex_domains":["example.org"],
"validity_days":90,"not_before":"2023-11-14T22:13:20.000000Z","not_after":"2024-02-12T22:13:20.000000Z",
"first_seen":"2026-03-04T05:06:07.891234Z","last_seen":"2026-03-04T05:06:07.891234Z"}
END
)" "a line without a certificate in PEM has the members that tlsx prints"
is "$(show "$PRE" '[.ct, .precertificate, .last_seen]')" \
	'[{"log":"Example log","index":99,"seen_at":"2026-03-04T05:06:07.891234Z"},true,"2026-03-04T05:06:07.891234Z"]' \
	"a certificate in PEM is parsed, and ctl_source and ctl_index are its place in a log"
is "$(show "$CA" '[.ct, .self_signed]')" '[null,true]' "the certificates of a chain are stored without a place in a log"
import --format tlsx "$W/tlsx.json"
is "$OUT" "7 read, 0 new, 0 changed, 3 unchanged, 3 bad, 2 skipped" "the same output of tlsx twice changes nothing (C-404)"

# ---- the format is guessed, from plain and from compressed files ----

# guess FILE COUNTS: imports the file without --format.
guess()
{
	clear
	import "$W/$1"
	is "${OUT%% changed*}" "$2" "the format of $1 is guessed"
}
guess entries.json "2 read, 2 new, 0"
guess broken.json "11 read, 1 new, 0"
guess tile "2 read, 2 new, 0"
guess go.json "3 read, 2 new, 0"
guess calidog.json "6 read, 1 new, 0"
guess data.json "2 read, 2 new, 0"
guess tlsx.json "7 read, 3 new, 0"
guess leaf.pem "1 read, 1 new, 0"
guess leaf.der "1 read, 1 new, 0"
gzip -c "$W/tile" >"$W/tile.gz"
guess tile.gz "2 read, 2 new, 0"

# Two files in either order give the same certificates.
clear
import --log a "$W/entries.json"; import "$W/go.json"; import "$W/tlsx.json"
there=$(sql "SELECT doc FROM record ORDER BY key")
clear
import "$W/tlsx.json"; import "$W/go.json"; import --log a "$W/entries.json"
is "$(sql "SELECT doc FROM record ORDER BY key")" "$there" "files of three formats give the same certificates in either order (C-404)"
