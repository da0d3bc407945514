#!/bin/sh
# SPDX-License-Identifier: ISC
# surfacectl import reports: STIX, MISP and text, from the file to the tables (C-137).
. t/lib.sh
pg_start
DATA=t/cli/data/reports

# reports ARGUMENT...: sets OUT, ERR and STATUS.
reports()
{
	ctl import reports "$@" >"$W/out" 2>"$W/err"
	STATUS=$?
	OUT=$(cat "$W/out") ERR=$(cat "$W/err")
}
values() { sql "SELECT string_agg(value, ' ' ORDER BY value COLLATE \"C\") FROM indicator i JOIN report r ON r.uuid = i.report_uuid WHERE $1"; }

reports --format stix $DATA/stix-2.1.json
is "$STATUS $OUT" "0 2 read, 2 new, 0 changed, 0 unchanged, 0 bad, 1 dangling, 1 duplicates, 1 unknown_types, 2 unparsed, 1 revoked, 1 unreferenced" \
	"a bundle with parts that cannot be used is imported, and each part is counted (C-137)"
like "$ERR" 'stix-2.1.json: indicator--[0-9a-f-]+ is referenced, but not in the file' "a dangling reference is named (C-137)"
like "$ERR" 'indicator--[0-9a-f-]+ is in the file more than once; the newest is used' "a duplicate id is named (C-137)"
like "$ERR" 'x-example-object--[0-9a-f-]+ has a type that is not known' "an unknown type is named (C-137)"
like "$ERR" 'indicator--[0-9a-f-]+ \(yara\) has a pattern from which no value can be read' "an unknown pattern is named (C-137)"
is "$(values "disposition = 'indicator' AND type = 'domain' AND title LIKE 'Quiet%'")" "after.example heron-cdn.example heron-update.example" \
	"the newer of two objects with one id is used (C-137)"
is "$(values "title = 'stix-2.1.json'") $(sql "SELECT tlp FROM report WHERE title = 'stix-2.1.json'")" "alone.example green" \
	"an indicator that no report refers to is in one that the file names, with the marking of the report beside it"
is "$(sql "SELECT source_kind, title, publisher, tlp, threat_actors FROM report WHERE publisher <> ''")" \
	'stix|Quiet Heron moves to loaders|Example Response Team|green|{"Quiet Heron"}' "the report has the members of its object"

reports $DATA/stix-2.1.json
like "$STATUS $OUT" '^0 2 read, 0 new, 0 changed, 2 unchanged, 0 bad' "the same bundle again changes nothing, and its format is recognised (C-137)"
gzip -c $DATA/stix-2.1.json >"$W/stix-2.1.json.gz"
zstd -q $DATA/stix-2.1.json -o "$W/stix-2.1.json.zst"
for packed in gz zst; do
	reports "$W/stix-2.1.json.$packed"
	like "$STATUS $OUT" '^0 2 read, 0 new, 0 changed, 2 unchanged, 0 bad' "a bundle that is compressed ($packed) is the same bundle"
done
head -c 2147483648 /dev/zero | gzip -1 >"$W/bomb.gz"
reports "$W/bomb.gz" $DATA/stix-2.1.json
like "$STATUS $OUT" '^1 3 read, 0 new, 0 changed, 2 unchanged, 1 bad' "a compressed file without end is one bad record, and the import goes on (C-139)"
like "$ERR" 'bomb.gz: has more than 67108864 bytes' "the message names the limit of a file (C-139)"
reports $DATA/stix-2.1-later.json
like "$OUT" '^2 read, 1 new, 1 changed, 0 unchanged' "a newer revision of the report is a change (C-137)"
is "$(values "withdrawn_at IS NOT NULL")" "198.51.100.0/24 203.0.113.7" "the newer revision withdraws the indicators that are gone (C-137)"

reports --json $DATA/stix-2.0.json
is "$STATUS $(printf %s "$OUT" | jq -c '[.new, .unparsed, .without_type]')" '0 [1,2,1]' "a bundle of STIX 2.0 is imported, and --json has the counts (C-809)"
reports $DATA/stix-no-report.json
is "$(sql "SELECT source_ref FROM report WHERE title = 'stix-no-report.json'")" stix-no-report.json \
	"a bundle without a report is imported as a report that its file names (C-809)"

reports $DATA/stix-markings.json
like "$STATUS $OUT" '^1 5 read, 2 new, 0 changed, 0 unchanged, 3 bad' "shared reports of strict and unknown markings are refused"
reports --account "$ACCOUNT" $DATA/stix-markings.json
is "$STATUS $(sql "SELECT count(*), count(*) FILTER (WHERE tlp = 'red') FROM report WHERE account_uuid = '$ACCOUNT'")" "0 5|3" \
	"an account gets them, and an unknown marking is red"

reports $DATA/misp-event.json $DATA/misp-response.json
like "$STATUS $OUT" '^0 2 read, 2 new, 0 changed, 0 unchanged, 0 bad' "events of MISP are recognised, and one import takes several files (C-809)"
is "$(sql "SELECT tlp, publisher, techniques FROM report WHERE title = 'Heron seen in mail'")" 'green|Example Response Team|{T1566}' \
	"the report of an event has its tags"

head -c 900 $DATA/stix-2.1.json >"$W/cut.json"
reports "$W/cut.json" $DATA/misp-event.json
like "$STATUS $OUT" '^1 2 read, 0 new, 0 changed, 1 unchanged, 1 bad' "a file that is cut off is one bad record, and the import goes on"

cat >"$W/note.md" <<'END'
# Herons in the reeds

Some prose about Quiet Heron.

## Indicators of compromise

- heron-reeds[.]com
- 0123456789abcdef0123456789abcdef
END
echo '{"values":[{"value":"Quiet Heron"}]}' >"$W/tmp/actors.json"
ctl import vocabulary --kind actor "$W/tmp/actors.json" >"$W/out" 2>&1 || diag "$(cat "$W/out")"
reports --publisher Example --tlp amber --url https://reports.example/reeds --published-at 2026-03-09 "$W/note.md"
like "$STATUS $OUT" '^0 1 read, 1 new' "a report in Markdown is imported"
is "$(sql "SELECT title, source_kind, source_ref, tlp, threat_actors FROM report WHERE url LIKE '%reeds'")" \
	'Herons in the reeds|text|https://reports.example/reeds|amber|{"Quiet Heron"}' \
	"the title of a text is its heading, and its names are those of the vocabulary"
is "$(values "r.url LIKE '%reeds' AND disposition = 'indicator'")" "0123456789abcdef0123456789abcdef heron-reeds.com" \
	"the indicators of a text are extracted"
