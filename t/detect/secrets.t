#!/bin/sh
# SPDX-License-Identifier: ISC
# The detector secrets, from imports to answers: C-186 to C-189, C-191.
. t/lib.sh
. t/helper/detect.sh
pg_start
index_start
api_start
web_start
stranger_new

one=$(python3 t/helper/secrets.py github 1)
two=$(python3 t/helper/secrets.py github 2)
S=/projects/$P/esi/secrets
# host IP TIME SERVICES [MEMBERS]
host()
{
	echo "{\"ip\":\"$1\",\"last_seen\":\"$2\",\"services\":[$3]${4-}}" | ctl import hosts --quiet --strict - 2>"$W/err" || diag "$(cat "$W/err")"
}
banner() { printf '{"port":%s,"banner":"%s","last_seen":"%s"}' "$1" "$2" "$3"; }
# pages FIRST LAST TIME BODY: captures of this body at so many URLs
pages()
{
	_body=$(printf '%s' "$4" | base64 -w0)
	for _n in $(seq "$1" "$2"); do
		printf '{"url":"http://www.example.com/%s.js","captured_at":"%s","body_base64":"%s"}\n' "$_n" "$3" "$_body"
	done | ctl import content --project "$P" - >/dev/null 2>"$W/err" || diag "$(cat "$W/err")"
}
findings() { sql "SELECT evidence ->> 'secret_type', status, severity, confidence, evidence ->> 'occurrences' FROM finding WHERE finding_type = 'exposed_secret' AND project_uuid = '$P' ORDER BY finding_key"; }
D1=2026-11-01T00:00:00Z D2=2026-11-01T12:00:00Z D3=2026-11-02T00:00:00Z D4=2026-11-03T00:00:00Z

detect_asset address 192.0.2.7
detect_asset host www.example.com
detect_start
detect_idle
host 192.0.2.7 $D1 "$(banner 8080 "hello ci_token=$one bye" $D1)"
detect_idle
is "$(findings)" "github_token|open|critical|0.9|1" "a token in a banner of a project's address is a finding"
api GET "$S"
uuid=$(field '.[] | arrays | .[0].uuid' 2>/dev/null)
list=$(field 'to_entries|map(select(.value|type == "array"))[0].key')
is "$STATUS $(field ".${list}[0]|[.kind,.secret_type,.provider,.preview,.length,.check,.key_name,.occurrences,.matched_by,(.location|tojson),(.locations|length)]|tojson")" \
	'200 ["exposed_secret","github_token","github","ghp_…40",40,"valid","ci_token",1,"address","{\"kind\":\"banner\",\"url\":null,\"ip\":\"192.0.2.7\",\"port\":8080,\"line\":1,\"offset\":15}",1]' \
	"the area shows the secret's type, place and preview"
uuid=$(field ".${list}[0].uuid")
like "$(field ".${list}[0].fingerprint")" '^[0-9a-f]{32}$' "the area shows a fingerprint of 32 digits"
is "$(sql "SELECT doc::jsonb #>> '{services,0,banner}' FROM record WHERE dataset = 1")" "hello ci_token=ghp_…40 bye" \
	"the document of the host has the preview in place of the token (C-186)"
api GET "$S/$uuid"
is "$STATUS $(field .finding.preview)" "200 ghp_…40" "a record of the area is read by its UUID"
for filter in secret_type=github_token provider=github kind=exposed_secret status=open severity=critical; do
	api GET "$S?$filter"
	is "$(field ".$list|length")" 1 "the filter $filter finds the secret"
done
api GET "$S?secret_type=jwt"
is "$(field ".$list|length")" 0 "another secret_type finds nothing"
api GET "/projects/$P/esi/dangling-dns/$uuid"
is "$STATUS" 404 "the record of one area is not in another (C-164)"

# ---- the same again, and other places ----

before=$(sql "SELECT md5(string_agg(f::text, ' ' ORDER BY uuid)), (SELECT count(*) FROM audit) FROM finding f")
sql "SELECT detector_ask_all('secrets', NULL)" >/dev/null
detect_idle
is "$(sql "SELECT md5(string_agg(f::text, ' ' ORDER BY uuid)), (SELECT count(*) FROM audit) FROM finding f")" "$before" \
	"looking again at unchanged data changes no row (C-127)"
host 192.0.2.7 $D1 "$(banner 8080 "hello ci_token=$one bye" $D1),$(banner 8081 "$two" $D1)"
detect_idle
is "$(findings)" "github_token|open|critical|0.9|1
github_token|open|critical|0.9|1" "two secrets of one prefix and length are two findings (C-187)"
pages 1 39 $D1 "var ci_token = '$one';"
detect_idle
api GET "$S/$uuid"
is "$(field '.finding|[.occurrences,(.locations|length)]|tojson')" "[40,32]" "one secret in 40 places is one finding with 32 locations (C-187)"
is "$(findings | wc -l)" 2 "40 places of one secret add no finding (C-187)"

# ---- two projects ----

detect_asset address 192.0.2.7 "$PROJECT2"
detect_idle
is "$(sql "SELECT count(DISTINCT evidence ->> 'fingerprint'), count(*) FROM finding WHERE evidence ->> 'secret_type' = 'github_token'")" "4|4" \
	"a new asset finds what is there, and two projects have two fingerprints of one secret (C-189)"
is "$(sql "SELECT count(*) FROM secret_seen s JOIN finding f ON position(f.evidence ->> 'fingerprint' IN s.note) > 0")" 0 \
	"no note contains a fingerprint (C-189)"

# ---- clearing ----

host 192.0.2.7 $D2 "$(banner 8080 "hello" $D2),$(banner 8081 "hello" $D2)"
detect_idle
is "$(findings | sed 's/.*open.*/open/' | paste -sd ' ')" "open open" "newer data without the secret clear nothing before 24 hours (C-129)"
host 192.0.2.7 $D3 "$(banner 8080 "hello" $D3),$(banner 8081 "hello" $D3)"
detect_idle
is "$(sql "SELECT status, evidence ->> 'occurrences' FROM finding WHERE project_uuid = '$P' ORDER BY (evidence -> 'occurrences')::integer")" \
	"resolved|1
open|39" "a secret that all its places have lost for 24 hours is resolved; one with places left stays open (C-848)"
pages 1 1 $D4 "nothing"
detect_idle
api GET "$S/$uuid"
is "$(field '.finding|[.status,.occurrences]|tojson')" '["open",38]' "a page that has lost the secret is one place less"
pages 2 39 $D4 "nothing"
detect_idle
api GET "$S/$uuid"
is "$(field '.finding|[.status]|tojson') $(sql "SELECT resolved_by_membership_uuid IS NULL FROM finding WHERE uuid = '$uuid'")" '["resolved"] t' \
	"the finding is resolved when its last place has lost the secret"
host 192.0.2.7 $D4 "$(banner 8080 "again ci_token=$one" $D4)"
detect_idle
api GET "$S/$uuid"
is "$(field .finding.status)" open "a secret that is seen again opens the same finding (C-848)"

# ---- a key that comes later ----

late=$(python3 t/helper/secrets.py github 5)
sed -i 's/^fingerprint_file/#&/' "$W/etc/surfacectl.conf"
host 192.0.2.7 $D4 "$(banner 9090 "token=$late" $D4)"
pages 50 50 $D4 "token=$late"
detect_idle
is "$(sql "SELECT count(*) FROM secret_place WHERE part = '9090/tcp/banner'")" 0 "an import without a key leaves no note"
sed -i 's/^#\(fingerprint_file\)/\1/' "$W/etc/surfacectl.conf"
host 192.0.2.7 $D4 "$(banner 9090 "token=$late" $D4)"
pages 50 50 $D4 "token=$late"
detect_idle
is "$(sql "SELECT evidence ->> 'occurrences' FROM finding WHERE finding_type = 'exposed_secret' AND status = 'open' AND title LIKE '%192.0.2.7' AND last_seen_at = '$D4' ORDER BY created_at DESC LIMIT 1")" 2 \
	"the same host and page with a key show the secret in both places"

# ---- retention ----

sql "UPDATE secret_place SET gone_at = '2020-01-09', last_seen_at = '2020-01-01' WHERE part = '9090/tcp/banner' AND project_uuid = '$P';
	INSERT INTO secret_seen SELECT 'page ' || gen_random_uuid(), part, item, key_id, pad, note, secret_type, provider, preview, length, line, \"offset\", key_name, severity, valid,
		'2020-01-01' FROM secret_seen WHERE part = '9090/tcp/banner'"
kept=$(sql "SELECT (SELECT count(*) FROM secret_place), (SELECT count(*) FROM secret_seen)")
mkfifo "$W/again"
psql -Xq -v ON_ERROR_STOP=1 <"$W/again" >"$W/again.out" 2>&1 &
again=$!
exec 9>"$W/again"
printf '%s\n' "BEGIN; UPDATE secret_seen SET seen_at = now() WHERE seen_at = '2020-01-01' RETURNING 'seen again';" >&9
seen() { grep -q 'seen again' "$W/again.out"; }
ok "an import is about to see a secret again" world_until 60 seen
sql "SELECT secret_keep('', 100)" >"$W/kept" &
keep=$!
waits() { [ "$(sql "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE 'SELECT secret_keep%'")" = 1 ]; }
ok "the deletion of its old note waits for it" world_until 60 waits
echo 'COMMIT;' >&9
exec 9>&-
wait "$again" "$keep"
is "$(sql "SELECT count(*) FROM secret_seen")" "${kept#*|}" "a note that is seen again meanwhile stays"
sql "UPDATE secret_seen SET seen_at = '2020-01-01' WHERE place LIKE 'page %' AND part = '9090/tcp/banner'"
is "$(sql "SELECT left(secret_keep('', 100), 5)") $(sql "SELECT secret_keep('page g', 100) IS NULL")" "page  t" "notes without data, and places that have lost their secret, are deleted after 90 days"
is "$(sql "SELECT (SELECT count(*) + 1 FROM secret_place), (SELECT count(*) + 1 FROM secret_seen)")" "$kept" "exactly one note and one place were deleted"

# ---- sensitive files ----

cat >"$W/listing" <<END
{"url":"http://192.0.2.7:8000/backup/","ip":"192.0.2.7","port":8000,"path":"/backup/","last_seen":"$D1","files":[{"name":".env","size":120},{"name":".env.example"},{"name":"index.html"},{"name":"dump.sql.gz","size":7},{"name":"id_rsa.pub"}]}
{"url":"http://198.51.100.1/","ip":"198.51.100.1","port":80,"path":"/","last_seen":"$D1","files":[{"name":".env"}]}
END
ctl import open-directories --quiet "$W/listing"
detect_idle
api GET "$S?kind=sensitive_file"
is "$(field "[.${list}[]|[.file_name,.url,.size,.severity,.fingerprint]]|sort|tojson")" \
	'[[".env","http://192.0.2.7:8000/backup/.env",120,"high",null],["dump.sql.gz","http://192.0.2.7:8000/backup/dump.sql.gz",7,"high",null]]' \
	"sensitive files of a project's open directories are findings, and look-alikes are none (C-849)"
sed 's/{"name":".env","size":120},//; s/'"$D1"'/'"$D3"'/' "$W/listing" | ctl import open-directories --quiet -
detect_idle
is "$(sql "SELECT finding_key, status FROM finding WHERE finding_type = 'sensitive_file' AND project_uuid = '$P' ORDER BY 1")" \
	"sensitive_file/http://192.0.2.7:8000/backup/.env|resolved
sensitive_file/http://192.0.2.7:8000/backup/dump.sql.gz|open" "a file that a newer listing lacks is resolved (C-849)"

# ---- datasets of which no secret is a finding ----

text=$(python3 t/helper/secrets.py github 6)
printf '{"host":"txt.example.com","record_type":"TXT","answer":"ci=%s end","last_seen":"%s"}\n' "$text" "$D1" | ctl import dns --quiet --strict -
printf '{"url":"http://192.0.2.8:8000/","ip":"192.0.2.8","port":8000,"path":"/","title":"for %s","last_seen":"%s","files":[{"name":"%s.txt"}]}\n' \
	"$text" "$D1" "$text" | ctl import open-directories --quiet --strict -
is "$(sql "SELECT doc::jsonb ->> 'answer' FROM record WHERE doc::jsonb ->> 'host' = 'txt.example.com'")" '"ci=ghp_\226\128\16640 end"' \
	"a DNS answer has the preview in place of the token"
is "$(sql "SELECT doc::jsonb ->> 'title', doc::jsonb #>> '{files,0,name}' FROM record WHERE doc::jsonb ->> 'ip' = '192.0.2.8'")" "for ghp_…40|ghp_…40.txt" \
	"the title and the file names of an open directory have previews in place of tokens"

# ---- names, headers, bodies, CDNs ----

host 203.0.113.5 $D1 '{"port":80,"http":{"title":"for '"$two"'","headers":["location: https://u:'"$one"'@x.example/"]}}' ',"hostnames":["www.example.com"]'
host 203.0.113.6 $D1 "$(banner 80 "$(python3 t/helper/secrets.py github 3)" $D1)" ',"hostnames":["www.example.com"],"tags":["cdn"]'
detect_idle
is "$(sql "SELECT subject, location ->> 'kind' FROM secret_place WHERE subject = 'host 203.0.113.5' ORDER BY 2")" \
	"host 203.0.113.5|header
host 203.0.113.5|title" "secrets in titles and headers of a host of the project's name are found"
is "$(sql "SELECT count(*) FROM secret_place WHERE subject = 'host 203.0.113.6'")" 0 "the name of a host of a CDN does not make it an asset (C-931)"
sql "SELECT secret_owner('$P', '{\"hostnames\":[\"www.example.com\"]}')" >"$W/owner"
# The tag exists in one transaction alone, because surfaced-detect would remove a tag that its rule does not apply.
tagger=$(detect_rule hosts all ip:192.0.2.99)
is "$(cat "$W/owner") $(sql "BEGIN; INSERT INTO document_tag (dataset, key, slug, rule_uuid) VALUES (1, secret_host_key('203.0.113.5'), 'cdn', '$tagger');
	SELECT count(*) FROM secret_look('$P', '{host 203.0.113.5}'); ROLLBACK")" "{host,www.example.com} 0" \
	"the name of a host that a rule has tagged as a CDN does not make it an asset"
sql "DELETE FROM document_tag"

# ---- browser evidence ----

before=$(sql "SELECT count(*) FROM finding")
session=$(session_new)
seen=$(python3 t/helper/secrets.py github 4)
sql "INSERT INTO network_event VALUES ('$session', 1, gen_random_uuid(), now(), '{\"url\":\"https://www.example.com/?t=$seen\"}')" >/dev/null
sql "SELECT detector_ask_all('secrets', NULL)" >/dev/null
detect_idle
is "$(sql "SELECT (SELECT count(*) FROM finding), (SELECT count(*) FROM network_event)")" "$before|1" \
	"evidence of a browser with a secret in a URL makes no finding (C-191)"

# ---- C-186: everything that this world has written ----

for path in "$S" "/projects/$P/esi/findings" "/projects/$P/esi/findings/$uuid" "/projects/$P/esi/findings/$uuid/history" "/search/hosts?q=*" "/search/services?q=*" "/search/open-directories?q=*"; do
	api GET "$path"
	printf '%s\n' "$STATUS $BODY" >>"$W/answers"
done
pg_dump >"$W/dump" && [ "$(grep -c 'ghp_…40' "$W/dump")" -gt 5 ]
result $? "the dump of the database has the previews"
is "$(grep -c '^200' "$W/answers")" 7 "the answers are those of requests that succeed"
for secret in "$one" "$two"; do
	ok "no table, log, message or answer has nine characters of the secret (C-186)" sh -c \
		"find '$W/dump' '$W/answers' '$W/err' '$W/log' '$W/index' -type f -exec python3 t/helper/secrets.py search '$secret' {} +"
done
printf 'x%sx' "$(printf %s "$one" | cut -c 20-29)" >"$W/piece"
ok "the search finds a piece of ten characters" sh -c "! python3 t/helper/secrets.py search '$one' '$W/piece' >/dev/null"
