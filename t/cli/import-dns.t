#!/bin/sh
# SPDX-License-Identifier: ISC
# surfacectl import dns reads the files of DNS tools: exact counts, the stored documents, and the same file twice (C-404). A
# file TOOL-VERSION.json of t/cli/data/dns is output of that tool. TOOL-VERSION.out beside it has the messages, the summary
# and all documents of its import; UPDATE=1 writes these files, whose difference is read before it is committed.
. t/lib.sh
pg_start
DATA=t/cli/data/dns

records() { import_records dns "$@"; }
docs() { sql "SELECT doc FROM record ORDER BY key"; }
rows() { sql "SELECT md5(string_agg(key::text || doc || changed::text, '' ORDER BY dataset, key)) FROM record"; }

# golden FILE NAME FORMAT [OPTION ...]: compares the import with NAME.out, and that --format auto finds the format.
golden()
{
	file=$1 name=$2 format=$3
	shift 3
	sql "TRUNCATE record CASCADE"
	records --format "$format" "$@" "$file"
	{ printf '%s\n' "$ERR" | sed "s|^$DATA/||"; printf '%s %s\n' "$STATUS" "$OUT"; docs; } | sed '/^$/d' >"$W/got"
	[ -z "${UPDATE-}" ] || cp "$W/got" "$DATA/$name.out"
	ok "the import of $name gives the messages, counts and documents that are expected (C-404)" diff -u "$DATA/$name.out" "$W/got"
	before=$(rows)
	records "$@" "$file"
	like "$OUT" "^[0-9]* read, 0 new, 0 changed, " "the format of $name is guessed, and the same file twice changes nothing (C-404)"
	is "$(rows)" "$before" "the second import of $name writes no row (C-404)"
}
golden $DATA/zdns-2.1.json zdns-2.1 zdns
golden $DATA/zdns-1.0.json zdns-1.0 zdns
golden $DATA/zdns-1.0.json zdns-1.0-type zdns --type ptr
golden $DATA/massdns-1.0.json massdns-1.0 massdns
golden $DATA/massdns-1.1.json massdns-1.1 massdns
golden $DATA/massdns-1.1.json massdns-1.1-authorities massdns --authorities
golden $DATA/dnsx-1.2.json dnsx-1.2 dnsx
golden $DATA/dnsx-1.2.json dnsx-1.2-type dnsx --type A
golden $DATA/dnsx-1.0.json dnsx-1.0 dnsx
golden $DATA/dnsx-1.0.json dnsx-1.0-type dnsx --type A
golden $DATA/sonar-fdns-v2.json sonar-fdns-v2 sonar
golden $DATA/sonar-rdns-v2.json sonar-rdns-v2 sonar
golden $DATA/cof-13.json cof-13 cof
golden $DATA/dnsdb-2.json dnsdb-2 cof

# One fact is one record, whichever tool found it.
sql "TRUNCATE record CASCADE"
head -1 $DATA/massdns-1.1.json >"$W/m"
head -1 $DATA/zdns-2.1.json | jq -c 'del(.results.MX, .results.TXT) | del(.results.A.data.answers[1])' >"$W/z"
head -1 $DATA/sonar-fdns-v2.json | sed 's/www.example.org/EXAMPLE.org./' >"$W/s"
for file in m z s; do records "$W/$file"; done
is "$(docs | jq -r '[.host, .answer, .ttl, .first_seen, .last_seen] | join(" ")')" \
	"example.org 192.0.2.1 300 2020-09-30T01:08:38.000000Z 2026-01-02T02:04:05.000000Z" \
	"massdns, zdns and Sonar tell one record of the same answer, whose ttl is the latest (C-889)"
there=$(docs)
sql "TRUNCATE record CASCADE"
for file in s z m; do records "$W/$file"; done
is "$(docs)" "$there" "three files in another order give the same document (C-404)"

# Texts of massdns before 1.1.0 have quotes.
sql "TRUNCATE record CASCADE"
records $DATA/massdns-1.0.json
sed 's/"data":"\\"v=spf1 -all\\" "/"data":"v=spf1 -all"/' $DATA/massdns-1.0.json | head -1 >"$W/newer"
records "$W/newer"
is "$OUT" "1 read, 0 new, 0 changed, 1 unchanged, 0 bad, 0 skipped" "two releases of massdns tell one record of the same text"

# The same lines in other forms: as an array, indented, after a byte order mark, with line ends of Windows.
sql "TRUNCATE record CASCADE"
records $DATA/massdns-1.1.json
there=$(docs)
jq -s . $DATA/massdns-1.1.json >"$W/indented"
jq -sc . $DATA/massdns-1.1.json >"$W/array"
{ printf '\357\273\277'; sed 's/$/\r/' $DATA/massdns-1.1.json; } >"$W/windows"
for file in indented array windows; do
	sql "TRUNCATE record CASCADE"
	records "$W/$file"
	is "$STATUS $OUT" "1 12 read, 14 new, 0 changed, 0 unchanged, 3 bad, 2 skipped" "$file JSON of massdns has the counts of its lines"
	is "$(docs)" "$there" "$file JSON of massdns has the documents of its lines"
done

# A broken line is one bad record.
{ head -1 $DATA/dnsx-1.2.json; echo '{"host":"cut.example.org","a":["192'; tail -4 $DATA/dnsx-1.2.json | head -1; } >"$W/broken"
sql "TRUNCATE record CASCADE"
records "$W/broken"
is "$STATUS $OUT" "1 3 read, 2 new, 0 changed, 0 unchanged, 1 bad, 0 skipped" "the lines around a broken line of dnsx are imported (C-404)"
is "$ERR" "$W/broken:2: no valid JSON: the record does not end" "a broken line of dnsx is named (C-404)"

# Options of a format.
records --type nonsense --format zdns $DATA/zdns-1.0.json
like "$OUT" ", 1 bad, 4 skipped" "a type that is none makes no record of a name without answers"
records --authorities $DATA/dnsx-1.2.json
is "$STATUS $(printf '%s\n' "$ERR" | head -1)" "2 surfacectl: --authorities belongs to --format massdns" \
	"an option of another format is refused when the format is guessed"
records --help
is "$(printf '%s\n' "$OUT" | sed -n 's/^  \([a-z]*\) .*/\1/p' | paste -sd ' ')" "auto ndjson cof zdns massdns dnsx sonar httpx" \
	"the help of surfacectl import dns lists the formats of the table"
