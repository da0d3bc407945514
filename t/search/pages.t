#!/bin/sh
# SPDX-License-Identifier: ISC
# Documents on pages of every dataset: the order of their members and projections (C-414), and the size of a page (C-415).
. t/lib.sh
world_start
export DIR="$W"
world_env

t/helper/fill-world "$W" --documents 60 --seed "${SEED:-1}" 2>"$W/fill.err" || diag "$(cat "$W/fill.err")"
api GET /search/schemas
printf '%s' "$BODY" >"$W/schemas"

# Whether the members of each object of a document stand in the order of the schema. What a service has of its host stands
# below host.
cat >"$W/order.jq" <<'END'
($schemas[0].schemas[] | select(.dataset == $dataset).fields | map(.name) | to_entries
	| map({(.value): .key}) | add) as $place
| [.[$member][] | del(.services, .files, .indicators), {services: (.services // [] | .[])}, {files: (.files // [] | .[])},
		{indicators: (.indicators // [] | .[])}
	| [paths(scalars) | map(select(type == "string")) | join(".")] | reduce .[] as $p ([]; if any(.[]; . == $p) then . else . + [$p] end)
	| map(sub("^host\\.(?=.)"; "")) | map($place[.] | select(.))]
| [length > 50, all(. == sort)]
END
# How many values of documents each member has.
cat >"$W/members.jq" <<'END'
[.[$member][] | del(.matched_services, .matched_files, .matched_indicators) | paths(scalars) | map(select(type == "string")) | join(".")]
| group_by(.) | map({(.[0]): length}) | add // {}
END
members()
{
	printf '%s' "$BODY" | jq -c --arg member "$member" -f "$W/members.jq"
}

for dataset in hosts services dns whois certificates reports open-directories; do
	member=$(printf %s "$dataset" | tr - _)
	api GET "/search/$dataset?limit=1000"
	is "$STATUS $(printf '%s' "$BODY" | jq -c --arg dataset "$dataset" --arg member "$member" --slurpfile schemas "$W/schemas" \
		-f "$W/order.jq")" "200 [true,true]" "the members of $dataset on a page have the order of the schema (C-414)"
	is "$(printf '%s' "$BODY" | jq -c .)" "$BODY" "a page of $dataset has no white space between members (C-414)"

	# tags.category, tags.classification, expired and the hidden members of reports are in queries alone.
	members >"$W/whole"
	[ "$dataset" != reports ] ||
		is "$(jq -r '[has("title"), has("indicators.value"), has("body"), has("indicators.ip"), has("indicators.name")] | join(" ")' "$W/whole")" \
			"true true false false false" "an answer has no hidden member of a report (C-414)"
	wrong=''
	for name in $(jq -r --arg d "$dataset" '.schemas[]|select(.dataset == $d).fields[].name' "$W/schemas"); do
		api GET "/search/$dataset?limit=1000&fields=$name"
		case $name in
		*tags.category | *tags.classification | expired | body | indicators.ip | indicators.name) [ "$STATUS" = 400 ] || wrong="$wrong $name" ;;
		*) [ "$STATUS $(members)" = "200 $(jq -c --arg name "$name" --arg d "$dataset" '[$name, "host." + $name] as [$a, $b] |
			with_entries(select(.key == $a or ($d == "services" and .key == $b)))' "$W/whole")" ] ||
			wrong="$wrong $name" ;;
		esac
	done
	is "$wrong" "" "each field of $dataset can be selected alone (C-414)"
done

# ---- pages of 8 MiB ----

# 400 documents of 30 KB or more.
filler=$(head -c 15000 /dev/zero | tr '\0' x)
for i in $(seq 400); do
	printf '{"domain":"large%d.example","whois":{"registrar":"%s","registrant":{"organisation":"%s"}}}\n' "$i" "$filler" "$filler"
done | ctl import whois --format ndjson --quiet -
for i in $(seq 400); do
	printf '{"fingerprint_sha256":"%064x","not_before":"2020-01-01T00:00:00Z","subject":{"common_name":"%s","organisation":"large"},"issuer":{"common_name":"%s"}}\n' \
		"$i" "$filler" "$filler"
done | ctl import certificates --format ndjson --quiet -
files=$(seq 300 | jq -c '{name: "\(.)/\("f" * 100)"}' | paste -sd,)
for i in $(seq 400); do
	printf '{"host":"large%d.example","port":80,"server":"large","files":[%s]}\n' "$i" "$files"
done | ctl import open-directories --format ndjson --quiet -

# large_are DATASET QUERY
large_are()
{
	api GET "/search/$1?limit=1&fields=$3&q=$2"
	[ "$(field .total.value)" = 400 ]
}
# walk DATASET QUERY NAMING [FIELDS]: gets all pages; sets n, their number, and largest, the bytes of the largest one.
walk()
{
	_member=$(printf %s "$1" | tr - _)
	largest=0 _cursor='' n=0
	: >"$W/seen"
	while [ "$n" -lt 20 ]; do
		api GET "/search/$1?limit=1000&q=$2$_cursor${4-}"
		n=$((n + 1))
		[ "$STATUS" = 200 ] || break
		printf '%s' "$BODY" | jq -r ".${_member}[].$3" >>"$W/seen"
		size=$(wc -c <"$W/body")
		[ "$size" -le "$largest" ] || largest=$size
		[ "$(field .has_more)" = true ] || break
		_cursor="&cursor=$(field .next_cursor)"
	done
}
while read -r dataset query naming; do
	ok "the large documents of $dataset become searchable" world_until 60 large_are "$dataset" "$query" "$naming"
	walk "$dataset" "$query" "$naming"
	is "$STATUS $(wc -l <"$W/seen") $(sort -u "$W/seen" | wc -l)" "200 400 400" \
		"the pages of large $dataset have each document once (C-415)"
	ok "a page of large $dataset ends at 8 MiB (C-415)" test "$largest" -le 8400000
	ok "a page of large $dataset is nearly as large as it may be (C-415)" test "$largest" -ge 7000000
	walk "$dataset" "$query" "$naming" "&fields=$naming"
	is "$STATUS $(wc -l <"$W/seen") $(sort -u "$W/seen" | wc -l)" "200 400 400" \
		"the pages of selected members of large $dataset have each document once, and a page that ends early is told (C-414)"
done <<'END'
whois domain:example domain
certificates subject.organisation:large fingerprint_sha256
open-directories server:large host
END
