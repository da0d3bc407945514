#!/bin/sh
# SPDX-License-Identifier: ISC
# surfacectl import reports without --format: the format of each file is guessed by its beginning and its name.
. t/lib.sh
pg_start
D=$W/tmp

# own NAME...: a file of our own documents for each name.
own()
{
	for name in "$@"; do
		jq -nc --arg t "Own $name" --arg u "$(cat /proc/sys/kernel/random/uuid)" \
			'{uuid: $u, title: $t, published_at: "2026-03-01T00:00:00Z", indicators: [{type: "ipv4", value: "203.0.113.9"}]}' >"$D/$name"
	done
}
# reports ARGUMENT...: sets OUT, ERR and STATUS.
reports()
{
	ctl import reports "$@" >"$W/out" 2>"$W/err"
	STATUS=$?
	OUT=$(cat "$W/out") ERR=$(cat "$W/err")
}
kinds() { sql "SELECT string_agg(source_kind || ' ' || title, ', ' ORDER BY source_kind, title COLLATE \"C\") FROM report"; }

own a.ndjson b.ndjson c.ndjson d.ndjson e.ndjson
reports "$D/a.ndjson" "$D/b.ndjson"
is "$STATUS $(kinds)" "0 native Own a.ndjson, native Own b.ndjson" "several files of our own documents are imported without --format"
is "$(printf '%s\n' "$OUT" | grep -c '^1 read, 1 new')" 2 "each file of our own documents has its summary"
reports --format ndjson "$D/c.ndjson" "$D/d.ndjson"
is "$STATUS $(sql "SELECT count(*) FROM report")" "0 4" "several files of our own documents are imported with --format ndjson"

sql "TRUNCATE report, report_text, report_name, report_request, indicator, taxii_cursor, taxii_object; DELETE FROM record"
printf '[A report](https://reports.example/x) about "bundle" and "Event" and <html>.\n\n# Indicators\n\n- heron-reeds[.]com\n' >"$D/list.md"
printf '<p>Herons at heron-fragment[.]com</p>\n' >"$D/part.HTML"
cp t/cli/data/reports/stix-2.1.json "$D/stix"
reports --account "$ACCOUNT" "$D/e.ndjson" "$D/list.md" "$D/stix" t/cli/data/reports/misp-event.json
is "$STATUS $(sql "SELECT string_agg(source_kind, ' ' ORDER BY source_kind) FROM report WHERE account_uuid = '$ACCOUNT'")" "0 misp native stix stix text" \
	"one import takes files of different formats, with the options that all of them have"
reports "$D/part.HTML"
like "$(sql "SELECT string_agg(source_kind, ' ') FROM report WHERE source_kind = 'html'") $ERR" "html|bubblewrap|converted" \
	"a piece of HTML is known by the name of its file"
reports --title Other "$D/list.md" "$D/e.ndjson"
like "$STATUS $ERR" '^2 .*--title belongs to --format pdf html text, and a file has our own documents' \
	"an option that one of the files cannot have is refused before any file is read"
reports --seen 2026-03-01 "$D/list.md" "$D/e.ndjson"
like "$STATUS $ERR" '^2 .*--seen belongs to --format ndjson' "an option of our own documents is refused beside a text"
echo '{"uuid":"no"}' >"$D/bad.ndjson"
own f.ndjson
reports --strict "$D/bad.ndjson" "$D/f.ndjson"
is "$STATUS $(sql "SELECT count(*) FROM report WHERE title = 'Own f.ndjson'")" "1 0" "--strict ends the import behind a file with a bad record"
reports "$D/bad.ndjson" "$D/f.ndjson"
is "$STATUS $(sql "SELECT count(*) FROM report WHERE title = 'Own f.ndjson'")" "1 1" "without --strict the next file is imported"
