#!/bin/sh
# SPDX-License-Identifier: ISC
# surfacectl import taxii: a server with faults, from discovery to the reports (C-138).
[ -n "${LOOPBACK-}" ] || exec t/helper/loopback "$0" "$@"
. t/lib.sh
pg_start
world_certificate
T=$W/taxii
mkdir -p "$T"
cp "$W/tls/server.crt" "$W/tls/server.key" "$T/"
! world_root || chown -R "$WORLD_USER" "$T"
install -m 755 t/helper/taxii-server "$W/"
world_spawn taxii-server /usr/bin/python3 "$W/taxii-server" "$T" "$T/server.crt" "$T/server.key"
world_until 20 test -f "$T/port"
SERVER=https://localhost:$(cat "$T/port")
COLLECTION=$SERVER/api/collections/91a7b528-80eb-42ed-a74d-c6fbd5a26116/

# taxii ARGUMENT...: sets OUT, ERR and STATUS, and empties the list of requests.
taxii()
{
	rm -f "$T/got"
	ctl import taxii --ca "$W/ca.crt" "$@" >"$W/out" 2>"$W/err"
	STATUS=$?
	OUT=$(cat "$W/out") ERR=$(cat "$W/err")
}
# requests JQ: of the requests of objects, as one array.
requests() { jq -rs "map(select(.path | endswith(\"/objects/\"))) | $1" "$T/got"; }
faults() { printf '%s\n' "$@" >"$T/faults"; }
# objects TIME...: a report and an identity, added at the first time, and ten indicators for each time.
objects()
{
	printf '%s\n' "$@" | jq -Rn '[inputs] as $times
		| def id($type; $n): "\($type)--00000000-0000-4000-8000-\("00000000000\($n)"[-12:])";
		def common($type; $n): {type: $type, spec_version: "2.1", id: id($type; $n),
			created: "2026-03-01T00:00:00.000Z", modified: "2026-03-01T00:00:00.000Z"};
		[{added: $times[0], object: (common("report"; 1) + {name: "Herons move", published: "2026-03-01T00:00:00Z",
			created_by_ref: id("identity"; 1),
			object_refs: [range(10 * ($times | length) - 2) | id("indicator"; .)]})},
		 {added: $times[0], object: (common("identity"; 1) + {name: "Example Response Team"})}] +
		[range(10 * ($times | length) - 2) | {added: $times[(. + 2) / 10 | floor], object: (common("indicator"; .) +
			{pattern_type: "stix", pattern: "[domain-name:value = '"'"'h\(.).example'"'"']", valid_from: "2026-03-01T00:00:00Z"})}]' \
		>"$T/objects.new"
	mv "$T/objects.new" "$T/objects"
}
fresh() { sql "TRUNCATE taxii_cursor, taxii_object, report, report_text, report_name, report_request, indicator; DELETE FROM record"; rm -f "$T/faults"; }
indicators() { sql "SELECT count(*), count(DISTINCT value) FROM indicator WHERE withdrawn_at IS NULL"; }
cursor() { sql "SELECT added_after, more FROM taxii_cursor"; }

# ---- pages ----

ONE=2026-03-02T10:00:00.123456Z
objects $ONE $ONE $ONE $ONE $ONE
taxii "$SERVER/taxii2/"
is "$STATUS $OUT" "0 5 pages, 50 objects, 50 objects_changed, 1 read, 1 new, 0 changed, 0 unchanged, 0 bad" \
	"five pages of objects with one time of addition become one report (C-138)"
is "$(indicators)" "48|48" "five pages with one time lose and repeat nothing (C-138)"
is "$(sql "SELECT title, publisher, source_kind, source_ref FROM report")" \
	"Herons move|Example Response Team|stix|report--00000000-0000-4000-8000-000000000001" \
	"the report is that of its object, and its publisher came on another page than most indicators"
is "$(requests 'length, (map(.query.added_after) | unique | .[0])' | paste -sd' ')" "5 null" \
	"each page is requested once, and the mark of the next page goes with the filters of the first request"
is "$(jq -rs 'map(.path) | .[:4] | join(" ")' "$T/got")" "/taxii2/ /api/ /api/collections/ ${COLLECTION#"$SERVER"}" \
	"the collection is found from discovery: the only one that may be read"
is "$(cursor)" "$ONE|f" "the stored place is the header of the last page (C-138)"
taxii "$COLLECTION"
is "$STATUS $OUT" "0 1 pages, 0 objects, 0 objects_changed, 0 read, 0 new, 0 changed, 0 unchanged, 0 bad" \
	"a second import reads nothing again"
is "$(requests '.[0].query.added_after')" "$ONE" "a later import begins at the stored header (C-138)"

# ---- breaks ----

fresh
# libcurl itself repeats a request when a connection that it uses again has ended.
faults good good close close close close close close close close close close
taxii "$COLLECTION"
is "$STATUS $(sql "SELECT count(*) FROM taxii_object")" "1 20" "a server that goes away ends the import, and two pages are kept"
like "$ERR" "2 pages are kept; the same command goes on" "the message names the pages that are kept"
is "$(cursor)" "$ONE|t" "a break within objects of one time is stored as one (C-138)"
is "$(sql "SELECT count(*) FROM report")" 0 "no report is made of a part of a collection"
rm "$T/faults"
taxii "$COLLECTION"
is "$STATUS $(requests '.[0].query.added_after') $(indicators)" "0 2026-03-02T10:00:00.123455Z 48|48" \
	"after a break within objects of one time none of them is lost (C-138)"

fresh
objects 2026-03-02T10:00:01Z 2026-03-02T10:00:02Z 2026-03-02T10:00:03Z 2026-03-02T10:00:04Z 2026-03-02T10:00:05Z
faults good good good 500
taxii "$COLLECTION"
is "$STATUS $(cursor)" "1 2026-03-02T10:00:03Z|t" "a break keeps the header of the last page that was stored (C-138)"
taxii --json "$COLLECTION"
is "$STATUS $(printf %s "$OUT" | jq -c '[.pages, .objects, .objects_changed, .new]') $(indicators)" "0 [3,30,20,1] 48|48" \
	"the next import goes on at the stored header (C-138)"

fresh
faults break good break close good
taxii "$COLLECTION"
is "$STATUS $(indicators) $(requests length)" "0 48|48 8" "connections that break within an answer or before it are tried again"
like "$ERR" 'trying again \(2 of 5\)' "an attempt that is repeated is told"
faults stall
taxii --timeout 1 "$COLLECTION"
is "$STATUS $(requests length)" "0 2" "a server that falls silent counts as broken after --timeout"

fresh
faults nomark nomark nomark nomark nomark nomark nomark nomark
taxii --limit 15 "$COLLECTION"
is "$STATUS $(indicators)" "0 48|48" "a server without marks is read on by the header"
fresh
objects $ONE $ONE $ONE $ONE $ONE
faults nomark nomark nomark nomark nomark nomark
taxii "$COLLECTION"
is "$STATUS $(indicators)" "0 48|48" "objects of one time are asked for in larger pages, where a server names no next page"
is "$(requests '[.[].query.limit] | map(select(. != null)) | join(" ")')" "20 40 80" "each page is twice as large as the one before"
fresh
objects $ONE $ONE $ONE $ONE $ONE
echo 20 >"$T/most"
faults nomark nomark nomark nomark nomark nomark
taxii "$COLLECTION"
is "$STATUS" 1 "objects of one time that no page can hold end the import"
like "$ERR" 'more objects of one time than the 20 that it puts on a page' "the message names the size of the page, and what to do"
rm "$T/most"
objects $ONE $ONE
fresh
faults bare
taxii "$COLLECTION"
like "$STATUS $ERR" '^1 .*names neither the next page' "a page with more objects and no way to them ends the import"
faults same same same
taxii --limit 5 "$COLLECTION"
like "$STATUS $ERR" '^1 .*the same mark' "a server that goes in a circle ends the import"

# ---- refusals ----

fresh
faults '429 1' '503 1'
taxii "$COLLECTION"
is "$STATUS $(requests length)" "0 4" "the statuses 429 and 503 are waited for as Retry-After says"
like "$ERR" 'answers 429; waiting for 1 s' "the waiting is told"
faults '429 3600'
taxii "$COLLECTION"
like "$STATUS $(requests length) $ERR" '^1 1 .* answers 429: too many requests' "a longer wait than --patience ends the import at once"
for status in 401 403 406 500; do
	faults $status
	taxii "$COLLECTION"
	like "$STATUS $(requests length) $ERR" "^1 1 .* answers $status" "the status $status ends the import without another attempt"
done
faults html
taxii "$COLLECTION"
like "$STATUS $ERR" '^1 .*is no JSON: byte 0' "a page that is no JSON ends the import"
faults oversized
taxii "$COLLECTION"
like "$STATUS $(requests length) $ERR" '^1 1 .*larger than 67108864 bytes; a smaller --limit' "an oversized page ends the import"
faults heads
taxii "$COLLECTION"
is "$STATUS $(requests length)" "1 1" "a head that does not end ends the import"
ctl import taxii "$COLLECTION" >"$W/out" 2>"$W/err"
like "$? $(cat "$W/err")" '^1 .*certificate' "a certificate of an unknown authority is refused"
is "$(sql "SELECT count(*) FROM taxii_object")" 20 "what was kept before stays"

# ---- credentials ----

printf 'Basic %s' "$(printf 'reader:s3cret:x' | base64)" >"$T/auth"
printf 'basic reader:s3cret:x\n' >"$W/basic"
chmod 600 "$W/basic"
taxii "$COLLECTION"
like "$STATUS $ERR" '^1 .*answers 401: --credentials names a file' "a server that wants credentials is told so"
taxii --credentials "$W/basic" "$COLLECTION"
is "$STATUS" 0 "a user and a password come from a file"
chmod 640 "$W/basic"
taxii --credentials "$W/basic" "$COLLECTION"
like "$STATUS $ERR" '^1 .*must have the mode 0600' "a file that others may read is refused"
is "$(test -f "$T/got" || echo none)" none "such a file is refused before any request"
printf 'Bearer t0ken.with-signs_' >"$T/auth"
printf 'bearer t0ken.with-signs_\n' >"$W/bearer"
chmod 600 "$W/bearer"
taxii --credentials "$W/bearer" "$COLLECTION"
is "$STATUS" 0 "a token comes from a file"
faults redirect
taxii --credentials "$W/bearer" "$COLLECTION"
like "$STATUS $ERR" '^1 .*answers 302: redirects are not followed; it leads to https://localhost' "a redirect is named, not followed (C-812)"
echo "https://localhost:$(cat "$T/other")/api/" >"$T/root"
taxii --credentials "$W/bearer" "$SERVER/taxii2/"
like "$STATUS $ERR" '^1 .*is on another host' "an API root on another host is named, not followed"
echo "https://LOCALHOST:$(cat "$T/port")/api/" >"$T/root"
taxii --credentials "$W/bearer" "$SERVER/taxii2/"
is "$STATUS" 0 "an API root on the same host may be a full URL"
is "$(test -f "$T/elsewhere" || echo none)" none "no request and no credentials reached another host (C-812)"
printf 'reader:s3cret\n' >"$W/basic"
chmod 600 "$W/basic"
taxii --credentials "$W/basic" "$COLLECTION"
like "$STATUS $ERR" '^1 .*must be "basic USER:PASSWORD"' "a file without a scheme is refused"
unlike "$ERR" s3cret "the message does not show the secret"
rm "$T/auth" "$T/root"
taxii "https://reader:s3cret@localhost/taxii2/"
is "$STATUS" 2 "a URL with a password is refused"
taxii "http://localhost/taxii2/"
is "$STATUS" 2 "a URL without TLS is refused"

# ---- what becomes of objects ----

fresh
objects $ONE $ONE
taxii --collection Closed "$SERVER/api/"
like "$STATUS $ERR" '^1 .*may not read this collection|^1 .*answers 404' "a collection that may not be read is refused"
taxii --collection none "$SERVER/api/"
like "$ERR" 'collection 91a7b528-80eb-42ed-a74d-c6fbd5a26116: Herons$' "the collections are listed where none fits"
taxii --account "$ACCOUNT" --collection herons --limit 7 "$SERVER/api/"
is "$STATUS $(sql "SELECT account_uuid FROM report") $(requests '.[0].query.limit')" "0 $ACCOUNT 7" \
	"an account gets the reports, from a collection by its alias, in pages of --limit"
jq '. + [{added: "2026-03-03T00:00:00Z", object: (.[5].object + {modified: "2026-03-03T00:00:00Z", pattern: "[domain-name:value = '"'later.example'"']"})}]' \
	"$T/objects" >"$T/objects.new"
mv "$T/objects.new" "$T/objects"
taxii --account "$ACCOUNT" "$COLLECTION"
is "$STATUS $OUT" "0 1 pages, 1 objects, 1 objects_changed, 1 read, 0 new, 1 changed, 0 unchanged, 0 bad" \
	"a newer version of an indicator revises the report that refers to it"
is "$(sql "SELECT string_agg(value, ' ') FROM indicator WHERE withdrawn_at IS NOT NULL") $(indicators)" "h3.example 18|18" \
	"the former value is withdrawn, and all others stay"

fresh
taxii --type indicator "$COLLECTION"
is "$STATUS $(requests '.[0].query["match[type]"]') $(sql "SELECT title, source_ref FROM report")" \
	"0 indicator Herons 2026-03|${COLLECTION}?indicator#2026-03" "indicators without a report are a report of each month"
jq '. + [{added: "2026-04-01T00:00:00Z", object: (.[5].object + {id: "indicator--00000000-0000-4000-8000-100000000000", created: "2026-04-01T00:00:00Z", modified: "2026-04-01T00:00:00Z"})}]' \
	"$T/objects" >"$T/objects.new"
mv "$T/objects.new" "$T/objects"
taxii --type indicator "$COLLECTION"
is "$STATUS $(sql "SELECT string_agg(title, ', ' ORDER BY title) FROM report") $(sql "SELECT count(*) FROM indicator WHERE withdrawn_at IS NOT NULL")" \
	"0 Herons 2026-03, Herons 2026-04 0" "indicators of a later import withdraw none of the former ones"
fresh
taxii --added-after 2026-03-02T12:00:00Z "$COLLECTION"
is "$STATUS $(requests '.[0].query.added_after') $(sql "SELECT count(*) FROM taxii_object")" "0 2026-03-02T12:00:00.000000Z 2" \
	"the first import begins at --added-after"
