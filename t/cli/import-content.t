#!/bin/sh
# SPDX-License-Identifier: ISC
# surfacectl import content: captured pages, which are searched for secrets and not stored (C-192).
. t/lib.sh
pg_start

# A GitHub token with right check digits, made here so that the tree has no secret.
token=$(python3 t/helper/secrets.py github 1)
other=$(python3 t/helper/secrets.py github 2)
b64() { base64 -w0; }
page() # URL TIME BODY
{
	printf '{"url":"%s","status":200,"content_type":"text/html","captured_at":"%s","body_base64":"%s"}\n' "$1" "$2" "$(printf '%s' "$3" | b64)"
}
content() { ctl --json import content --project "$P" "$@" 2>"$W/err"; }

{
	page http://www.example.com/app.js 2026-11-01T00:00:00Z "var ci_token = \"$token\";"
	page http://www.example.com/ 2026-11-01T00:00:00Z '<html><title>Front page</title>nothing'
	head -c 1048577 /dev/zero | tr '\0' a | b64 | sed 's|.*|{"url":"http://www.example.com/large","captured_at":"2026-11-01T00:00:00Z","body_base64":"&"}|'; echo
	echo '{"url":"http://www.example.com/odd","captured_at":"2026-11-01T00:00:00Z","body_base64":"*no base64*"}'
	echo '{"url":"ftp://www.example.com/","captured_at":"2026-11-01T00:00:00Z"}'
	echo '{"url":"http://www.example.com/untimed"}'
	echo '{"url":'
	head -c 1048576 /dev/zero | tr '\0' a | b64 | sed 's|.*|{"url":"http://www.example.com/most","captured_at":"2026-11-01T00:00:00Z","body_base64":"&"}|'; echo
} >"$W/pages"
out=$(content "$W/pages")
is "$?" 1 "an import with bad records has the exit status 1"
is "$out" '{"read":8,"new":3,"known":0,"changed":0,"skipped":0,"bad":5,"secrets":1}' \
	"a body of 1 MiB + 1, bad base64, no http URL, no time and no JSON are a bad record each; the rest goes on (C-192)"
like "$(cat "$W/err")" 'record 3: the body has more than 1048576 bytes' "the message of a body that is too large names its record"
like "$(cat "$W/err")" 'record 4: body_base64 is no base64' "the message of bad base64 names its record"
is "$(sql "SELECT url, hostname, status, title, body_sha256 IS NULL, captured_at FROM capture ORDER BY url")" \
"http://www.example.com/|www.example.com|200|Front page|f|2026-11-01 00:00:00+00
http://www.example.com/app.js|www.example.com|200||t|2026-11-01 00:00:00+00
http://www.example.com/most|www.example.com|||f|2026-11-01 00:00:00+00" \
	"a page is stored without its body; no hash of a body with a secret is stored"
is "$(sql "SELECT part, secret_type, preview, length, line, \"offset\", key_name, valid FROM secret_seen")" \
	"body|github_token|ghp_…40|40|1|16|ci_token|t" "the note of a secret has its place and its preview"
ok "no table has the secret or nine characters of it (C-186)" sh -c \
	"pg_dump -h '$W/db' -U postgres surfaced >'$W/dump' 2>/dev/null || pg_dump >'$W/dump'; test -s '$W/dump' && python3 t/helper/secrets.py search '$token' '$W/dump'"
is "$(content "$W/pages")" '{"read":8,"new":0,"known":3,"changed":0,"skipped":0,"bad":5,"secrets":1}' \
	"the same file again changes no row"
page http://www.example.com/app.js 2026-10-01T00:00:00Z "var ci_token = \"$other\";" | content - >/dev/null
is "$(sql "SELECT captured_at FROM capture WHERE url LIKE '%app.js'")" "2026-11-01 00:00:00+00" \
	"an older capture does not replace a newer one"
before=$(sql "SELECT note FROM secret_seen")
page http://www.example.com/app.js 2026-11-02T00:00:00Z "var ci_token = \"$other\";" | content - >/dev/null
isnt "$(sql "SELECT note FROM secret_seen")" "$before" "a newer capture replaces the notes of its page"
page http://www.example.com/app.js 2026-11-03T00:00:00Z "var ci_token = secret();" | content - >/dev/null
is "$(sql "SELECT count(*) FROM secret_seen")" 0 "a newer capture without a secret removes the notes of its page"

# ---- the URL and the title ----

page "http://www.example.com/?t=$token" 2026-11-01T00:00:00Z "<title>for $token</title>" | content - >/dev/null
is "$(sql "SELECT url, title FROM capture WHERE url LIKE '%?t=%'")" "http://www.example.com/?t=ghp_…40|for ghp_…40" \
	"the URL and the title are stored without their secrets (C-186)"

# ---- WARC ----

record() # TYPE URL BLOCK-FILE
{
	printf 'WARC/1.1\r\nWARC-Type: %s\r\nWARC-Target-URI: %s\r\nWARC-Date: 2026-11-05T10:00:00Z\r\nContent-Length: %s\r\n\r\n' \
		"$1" "$2" "$(stat -c %s "$3")"
	cat "$3"
	printf '\r\n\r\n'
}
answer() { printf 'HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n%b\r\n' "${1-}"; cat; }
printf 'software: test\r\n' >"$W/info"
printf '<title>One</title> token="%s"' "$token" | answer >"$W/one"
printf '<title>Two</title> token="%s"' "$other" | gzip -c | answer 'Content-Encoding: gzip\r\n' >"$W/two"
{ printf '1c\r\n<title>Three</title> token="\r\n28\r\n%s\r\n1\r\n"\r\n0\r\n\r\n' "$token"; } | answer 'Transfer-Encoding: chunked\r\n' >"$W/three"
printf 'no HTTP' >"$W/none"
{ head -c 1200000 /dev/zero | tr '\0' a; } | answer >"$W/large"
{
	record warcinfo urn:x "$W/info"
	record response http://a.example.com/1 "$W/one"
	record request http://a.example.com/1 "$W/info"
	record response http://a.example.com/none "$W/none"
	record response http://a.example.com/large "$W/large"
	record response http://a.example.com/2 "$W/two"
	record resource http://a.example.com/info "$W/info"
	record response http://a.example.com/3 "$W/three"
} >"$W/archive.warc"
is "$(content "$W/archive.warc")" '{"read":8,"new":4,"known":0,"changed":0,"skipped":2,"bad":2,"secrets":3}' \
	"an archive has its responses searched, with their codings removed; bad ones are left out (C-192)"
is "$(sql "SELECT title FROM capture WHERE hostname = 'a.example.com' AND title <> '' ORDER BY 1" | tr '\n' ' ')" "One Three Two " \
	"the titles of an archive come from its bodies"
sql "DELETE FROM capture" >/dev/null
for part in warcinfo:urn:x:info response:http://a.example.com/1:one response:http://a.example.com/2:two; do
	file=${part##*:} rest=${part%:*}
	record "${rest%%:*}" "${rest#*:}" "$W/$file" | gzip -c
done >"$W/archive.warc.gz"
is "$(content "$W/archive.warc.gz")" '{"read":3,"new":2,"known":0,"changed":0,"skipped":1,"bad":0,"secrets":2}' \
	"an archive whose records are compressed one by one is read"
size=$(stat -c %s "$W/archive.warc")
head -c $((size - 40)) "$W/archive.warc" >"$W/short.warc"
is "$(content "$W/short.warc")" '{"read":8,"new":1,"known":2,"changed":0,"skipped":2,"bad":3,"secrets":2}' \
	"an archive that ends early has one bad record more; the others are stored (C-192)"
like "$(cat "$W/err")" 'record 8: the archive ends within the record' "the message of an archive that ends early says so"
{ record response http://a.example.com/9 "$W/one"; echo damaged; echo lines; record response http://a.example.com/10 "$W/one"; } >"$W/damaged.warc"
is "$(content "$W/damaged.warc")" '{"read":3,"new":2,"known":0,"changed":0,"skipped":0,"bad":1,"secrets":2}' \
	"behind a damaged record the next one is read"

# ---- without a key ----

mv "$W/etc/fingerprint-key" "$W/etc/away"
page http://b.example.com/ 2026-11-01T00:00:00Z "token=\"$token\"" | content - >/dev/null
like "$(cat "$W/err")" 'nothing will report the secrets: .*fingerprint-key: No such file' "without the key an import says that nothing is reported"
mv "$W/etc/away" "$W/etc/fingerprint-key"
ctl import content "$W/pages" 2>"$W/err"
is "$? $(head -n 1 "$W/err")" "2 surfacectl: --project UUID is missing" "a project is needed"
ctl import content --project 00000000-0000-4000-8000-000000000001 "$W/pages" 2>"$W/err"
is "$? $(cat "$W/err")" "3 surfacectl: there is no project 00000000-0000-4000-8000-000000000001" "an unknown project is refused"
