#!/bin/sh
# SPDX-License-Identifier: ISC
# surfacectl import dns, whois, certificates: exact counts, one record for one fact, and the same twice (C-404, C-405).
. t/lib.sh
pg_start

records() { import_records "$@"; }
docs() { sql "SELECT doc FROM record WHERE dataset = $1 ORDER BY key"; }
rows() { sql "SELECT md5(string_agg(key::text || doc || changed::text, '' ORDER BY dataset, key)) FROM record"; }

cat >"$W/dns" <<'END'
{"host":"WWW.Example.org.","record_type":"a","answer":"192.0.2.1","ttl":60,"last_seen":"2026-01-02T00:00:00Z"}
{"host":"www.example.org","record_type":"A","answer":"192.0.2.1","ttl":90,"last_seen":"2026-01-01T00:00:00Z"}
{"host":"www.example.org","record_type":"A","answer":"192.0.2.1.","ttl":90}
{"host":"mail.example.org","record_type":"MX",
{"host":"mail.example.org","record_type":"MX","answer":"10 MX.example.org."}
{
  "host": "gone.example.org",
  "record_type": "AAAA",
  "rcode": "nxdomain"
}
{"host":"x.example.org","record_type":"A","nome":1}
END
records dns "$W/dns"
is "$STATUS $OUT" "1 7 read, 3 new, 0 changed, 0 unchanged, 3 bad, 0 skipped" "the summary of DNS records counts records and faults (C-404)"
is "$ERR" "$W/dns:3: answer: is no answer of this record type
$W/dns:4: no valid JSON: the record does not end
$W/dns:11: nome: is no member of this format" "each bad record is reported with the line where it begins (C-404)"
is "$(docs 3 | tail -1)" '{"host":"www.example.org","record_type":"A","rcode":"NOERROR","answer":"192.0.2.1","answer_ip":"192.0.2.1","apex_domain":"example.org","tld":"org","ttl":60,"wildcard":false,"first_seen":"2026-01-01T00:00:00.000000Z","last_seen":"2026-01-02T00:00:00.000000Z"}' \
	"two records of one answer are one document in the order of the table (C-414)"
is "$(sql "SELECT count(*) FROM record WHERE doc::jsonb ->> 'last_seen' IS NULL")" 0 "a new record without a time gets the time of the import (C-909)"
# A value of many lines that is too long, and a stored document that cannot be read, do not stop the import of the others.
python3 - "$W/long" <<'END'
import sys
with open(sys.argv[1], "w") as f:
    f.write('{\n"host": "long.example.org",\n"answer": [\n')
    f.write(('"%s",\n' % ("x" * 1000)) * 5000)
    f.write('"end"]\n}\n{"host":"after.example.org","record_type":"A","answer":"192.0.2.9"}\n')
END
records dns "$W/long"
is "$STATUS $OUT" "1 2 read, 1 new, 0 changed, 0 unchanged, 1 bad, 0 skipped" "a value of many lines that is too long is one bad record"
is "$(printf '%s\n' "$ERR" | wc -l)" 1 "the lines of a value that is too long are not reported as records"
printf '{"host":"a.example.org","record_type":"A","answer":"192.0.2.9","\302\23331m":1}\n' >"$W/c1"
records dns "$W/c1"
is "$(printf '%s' "$ERR" | LC_ALL=C grep -c "$(printf '\302\233')")" 0 "a message contains no control character of the file"
sql "UPDATE record SET doc = '{\"host\":7}' WHERE doc LIKE '%after.example.org%'" >/dev/null
printf '{"host":"after.example.org","record_type":"A","answer":"192.0.2.9"}\n' >"$W/after"
records dns "$W/after"
is "$STATUS $OUT" "1 1 read, 0 new, 0 changed, 0 unchanged, 1 bad, 0 skipped" "a stored document that cannot be read is counted and stays"
is "$(printf '%s' "$ERR" | grep -c 'after.example.org.*cannot be read')" 1 "a stored document that cannot be read is named by its key"
is "$(sql "SELECT count(*) FROM record WHERE doc = '{\"host\":7}'")" 1 "a stored document that cannot be read is not overwritten"
sql "DELETE FROM record WHERE doc = '{\"host\":7}'" >/dev/null

before=$(rows)
records dns "$W/dns"
is "$OUT" "7 read, 0 new, 0 changed, 3 unchanged, 3 bad, 0 skipped" "the same file twice changes no DNS record (C-404)"
is "$(rows)" "$before" "the same file twice writes no row (C-404)"
echo '{"host":"www.example.org","record_type":"A","answer":"192.0.2.1","ttl":5,"last_seen":"2026-01-03T00:00:00Z"}' >"$W/later"
records dns --json "$W/later"
is "$OUT" '{"read":1,"new":0,"changed":1,"unchanged":0,"bad":0,"skipped":0,"new_tags":0}' "the summary with --json is one object"
is "$(docs 3 | tail -1 | jq -c '[.ttl, .last_seen]')" '[5,"2026-01-03T00:00:00.000000Z"]' "a later record changes the document"
records dns --strict "$W/dns"
is "$STATUS ${OUT%%,*}" "1 3 read" "--strict ends the import at the first bad record"

# A stored document may have a member of another release, and a record without a time is the later one.
sql "UPDATE record SET doc = left(doc, -1) || ',\"of_another_release\":1}' WHERE doc LIKE '%www.example.org%'" >/dev/null
echo '{"host":"www.example.org","record_type":"A","answer":"192.0.2.1","ttl":7}' >"$W/timeless"
records dns "$W/timeless"
is "$OUT $(docs 3 | tail -1 | jq -c '[.ttl, .last_seen]')" '1 read, 0 new, 1 changed, 0 unchanged, 0 bad, 0 skipped [7,"2026-01-03T00:00:00.000000Z"]' \
	"a record without a time changes a stored document, and an unknown member is no obstacle"

# A removed record is new again.
sql "SELECT record_remove(dataset, key) FROM record WHERE doc LIKE '%www.example.org%'" >/dev/null
records dns "$W/later"
is "$OUT $(sql 'SELECT count(*) FROM record WHERE gone')" "1 read, 1 new, 0 changed, 0 unchanged, 0 bad, 0 skipped 0" \
	"an import of a removed record counts it as new and clears its mark"

# Without the lock, an import could overwrite a change that another one makes between its reading and writing.
waits() { [ "$(sql "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'advisory'")" = 1 ]; }
waits_or_ends() { waits || ! kill -0 "$import" 2>/dev/null; }
mkfifo "$W/other"
psql -Xq <"$W/other" >/dev/null &
other=$!
exec 3>"$W/other"
echo "SELECT pg_advisory_lock(hashtext('record'), 16 * 3);" >&3
world_until 10 sql "SELECT 1 / count(*) FROM pg_locks WHERE locktype = 'advisory'" >/dev/null 2>&1
records dns "$W/later" 3>&- &
import=$!
world_until 10 waits_or_ends
ok "an import waits for another import of the dataset" waits
exec 3>&-
wait "$other" "$import"

# Two files in either order give the same documents.
printf '%s\n' '{"host":"o.org","record_type":"A","answer":"192.0.2.9","ttl":1,"count":9,"source":["a"],"last_seen":"2026-01-02T00:00:00Z"}' >"$W/one"
printf '%s\n' '{"host":"o.org","record_type":"A","answer":"192.0.2.9","ttl":2,"count":3,"source":["b"],"last_seen":"2026-01-02T00:00:00Z"}' >"$W/two"
records dns "$W/one"; records dns "$W/two"
there=$(docs 3)
sql "DELETE FROM record WHERE doc LIKE '%o.org%'"
records dns "$W/two"; records dns "$W/one"
is "$(docs 3)" "$there" "two files of the same second give the same documents in either order (C-404)"

# An array of records, on one line and over many, behind a byte order mark.
python3 - "$W" <<'END'
import json, sys
rows = [{"domain": f"d{i}.example.com", "whois": {"status": ["client hold"]}} for i in range(7000)]
json.dump(rows, open(sys.argv[1] + "/array", "w"))
open(sys.argv[1] + "/indented", "w").write("\ufeff" + json.dumps(rows[:3], indent=1))
END
records whois --seen 2026-02-03T00:00:00Z "$W/array"
is "$STATUS $OUT" "0 7000 read, 7000 new, 0 changed, 0 unchanged, 0 bad, 0 skipped" "an array on one line is read as its elements (C-891)"
is "$(docs 4 | head -1 | jq -c '[.tld, .whois.status, .last_seen]')" '["com",["clientHold"],"2026-02-03T00:00:00.000000Z"]' \
	"--seen gives the time of records that do not tell one (C-909)"
records whois "$W/indented"
is "$STATUS $OUT" "0 3 read, 0 new, 0 changed, 3 unchanged, 0 bad, 0 skipped" "an array over many lines behind a byte order mark is read (C-891)"

# Passive DNS.
cat >"$W/cof" <<'END'
{"cond":"begin"}
{"obj":{"count":5,"time_first":1700000000,"time_last":1700086400,"rrname":"P.example.net.","rrtype":"A","bailiwick":"example.net.","rdata":["198.51.100.1","198.51.100.2"]}}
{"cond":"ongoing","obj":{"count":2,"zone_time_first":1700000000,"zone_time_last":1700086400,"rrname":"p.example.net","rrtype":15,"rdata":"10 mx.example.net.","sensor_id":"s1"}}
{"obj":{"time_first":"2026-01-01T00:00:00Z","time_last_ms":1767312000000,"rrname":"h.example.net.","rrtype":"TXT","rdata":["\"v=spf1\" \"-all\""]}}
{"obj":{"num_results":7,"count":9}}
{"obj":{"time_first":true,"rrname":"t.example.net.","rrtype":"A","rdata":["198.51.100.3"]}}
{"cond":"limited","msg":"Result limit reached"}
END
records dns --format cof --source farsight "$W/cof"
is "$STATUS $OUT" "1 7 read, 4 new, 0 changed, 0 unchanged, 1 bad, 3 skipped" "passive DNS gives a record for each rdata, and counts frames as skipped (C-404)"
is "$ERR" "$W/cof:6: time_first: is no time" "a bad object of passive DNS is named"
is "$(sql "SELECT doc FROM record WHERE doc LIKE '%p.example.net%MX%'" | jq -c '[.answer, .count, .source, .first_seen]')" \
	'["10 mx.example.net",2,["s1"],"2023-11-14T22:13:20.000000Z"]' "a number is a record type, and the sensor is the source"
is "$(sql "SELECT doc FROM record WHERE doc LIKE '%h.example.net%'" | jq -c '[.answer, .last_seen, .source]')" \
	'["\"v=spf1\" \"-all\"","2026-01-02T00:00:00.000000Z",["farsight"]]' "--source names the source of records without one"
records dns --format cof --source farsight "$W/cof"
is "$OUT" "7 read, 0 new, 0 changed, 4 unchanged, 1 bad, 3 skipped" "the same passive DNS twice doubles no count (C-404)"
head -2 "$W/cof" >"$W/cut"
records dns --format cof --source farsight "$W/cut"
is "$STATUS $OUT" "1 2 read, 0 new, 0 changed, 2 unchanged, 1 bad, 1 skipped" "an answer without its last condition is stored and counts as bad"

# Certificates.
cd "$W" || exit 1
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout key.pem -out a.pem -days 30 -set_serial 0x0a1b \
	-subj '/C=GB/O=Example Ltd/CN=not a host/CN=www.Example.org' -addext 'subjectAltName=DNS:*.example.org,DNS:localhost,IP:192.0.2.1' 2>/dev/null
openssl req -x509 -newkey rsa:2048 -sigopt rsa_padding_mode:pss -sha256 -nodes -keyout rsa.pem -out b.pem -days 1 -subj / -set_serial -5 2>/dev/null
openssl pkey -in key.pem -aes128 -passout pass:x -out secret.pem
{ echo "some text"; cat a.pem secret.pem b.pem; printf -- '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n-----BEGIN CERTIFICATE-----\n'; } >all.pem
cd "$TOP" || exit 1
records certificates --format pem "$W/all.pem" </dev/null
is "$STATUS $OUT" "1 5 read, 2 new, 0 changed, 0 unchanged, 2 bad, 1 skipped" "a PEM file gives its certificates and asks for no pass phrase"
like "$ERR" "the certificate is refused: it is no certificate.*" "a block that is no certificate is reported"
print="openssl x509 -noout -fingerprint -sha256 -in"
sum=$($print "$W/a.pem" | sed 's/.*=//; s/://g' | tr 'A-F' 'a-f')
is "$(sql "SELECT doc FROM record WHERE doc LIKE '%$sum%'" | jq -c '[.serial_number, .subject, .names, .apex_domains, .key_algorithm, .key_size, .signature_algorithm, .validity_days, .self_signed, .precertificate]')" \
	'["A1B",{"common_name":"www.Example.org","organisation":"Example Ltd","country_code":"GB"},["*.example.org","localhost","www.example.org"],["example.org"],"ECDSA",256,"ecdsa-with-SHA256",30,true,false]' \
	"a certificate has its facts in the canonical forms"
is "$(docs 5 | grep -v "$sum" | jq -c '[.serial_number, .key_algorithm, .key_size, .signature_algorithm, .subject]')" \
	'["-5","RSA",2048,"rsassaPss-SHA256",null]' "a negative serial number and RSA-PSS have their forms"
is "$(sql "SELECT encode(sha256(blob), 'hex') FROM record_blob WHERE encode(key, 'hex') LIKE '%$sum'")" "$sum" "the DER of a certificate is stored"
openssl x509 -in "$W/a.pem" -outform der -out "$W/a.der"
records certificates --format der "$W/a.der"
is "$STATUS $OUT" "0 1 read, 0 new, 0 changed, 1 unchanged, 0 bad, 0 skipped" "the same certificate in DER is the same record (C-404)"
openssl x509 -in "$W/a.pem" -trustout -addtrust serverAuth -out "$W/trusted.pem"
records certificates --format pem "$W/trusted.pem"
is "$STATUS $OUT" "0 1 read, 0 new, 0 changed, 1 unchanged, 0 bad, 0 skipped" "a trusted certificate is the certificate that it contains"
other=$(printf '%064d' 7)
echo "{\"fingerprint_sha256\":\"$other\",\"not_before\":\"2026-01-01T00:00:00Z\",\"signature_algorithm\":\"SHA256-RSA\"}" >"$W/cert"
records certificates "$W/cert"
is "$STATUS $OUT" "0 1 read, 1 new, 0 changed, 0 unchanged, 0 bad, 0 skipped" "a certificate that is known without DER is stored"
sum=$(openssl x509 -noout -fingerprint -sha256 -in "$W/b.pem" | sed 's/.*=//; s/://g' | tr 'A-F' 'a-f')
begin=$(docs 5 | grep "$sum" | jq -r .not_before)
sql "DELETE FROM record_blob; DELETE FROM record WHERE doc LIKE '%$sum%'" >/dev/null
echo "{\"fingerprint_sha256\":\"$sum\",\"not_before\":\"$begin\"}" >"$W/known"
records certificates "$W/known"
records certificates --format pem "$W/b.pem"
is "$OUT $(sql 'SELECT encode(sha256(blob), $$hex$$) FROM record_blob')" \
	"1 read, 0 new, 1 changed, 0 unchanged, 0 bad, 0 skipped $sum" "a certificate that was known without DER gets its DER (C-890)"

records dns --format pem "$W/dns"
like "$STATUS $ERR" "^2 surfacectl: the format must be one of: auto, ndjson, cof, .*" "an unknown format is refused with the known ones"
records dns "$W/none"
is "$STATUS" 1 "a missing file makes the import of records exit with status 1"
printf '\000' >"$W/nul"
records dns "$W/nul"
is "$STATUS $OUT$ERR" "1 surfacectl: $W/nul is in no format known here; name one with --format: ndjson, cof, zdns, massdns, dnsx, sonar, httpx" "a binary file is in no known format"
records dns --format ndjson "$W/nul"
is "$STATUS ${OUT}" "1 1 read, 0 new, 0 changed, 0 unchanged, 1 bad, 0 skipped" "a binary file is one bad record of a named format"
: >"$W/empty"
records dns "$W/empty"
is "$STATUS $OUT" "0 0 read, 0 new, 0 changed, 0 unchanged, 0 bad, 0 skipped" "an empty file imports nothing and succeeds"
