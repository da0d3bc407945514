#!/bin/sh
# SPDX-License-Identifier: ISC
# Look-alikes of public lists and honest names (t/detect/data/lookalikes/README), imported as records of DNS and previewed by
# HTTPS: the shares that are reported without any other import, and with a ranking. A preview equals what watching finds
# (C-183). The honest names of these lists are those that resemble a watched domain most, so their shares are limits that
# may only fall.
. t/lib.sh
. t/helper/detect.sh
pg_start
index_start
api_start
web_start

LISTS=t/detect/data/lookalikes
NOW=$(date -u +%Y-%m-%dT%H:%M:%SZ)

# preview_all LIST: previews each watched domain of a list; writes "watched found" of the candidates to LIST.found.
preview_all()
{
	for watched in $(cut -d' ' -f2 "$LISTS/$1" | sort -u); do
		api POST "/projects/$P/esi/typosquatting/preview" "{\"domain\":\"$watched\"}"
		[ "$STATUS" = 200 ] || diag "$watched: $STATUS $BODY"
		field ".candidates[] | \"$watched \" + .found"
	done >"$W/tmp/$1.found"
}

# share LIST KIND: the percentage of names of a kind that are reported, each as itself or by a domain above it.
share()
{
	awk -v kind="$2" 'FNR == NR { found[$1 " " $2] = 1; next }
		$1 == kind { all++; name = $3; hit = 0
			do hit = hit || ($2 " " name) in found; while (sub(/^[^.]*\./, "", name))
			hits += hit }
		END { printf "%.1f\n", 100 * hits / all }' "$W/tmp/$1.found" "$LISTS/$1"
}

# shares LIST WHEN FOUND NEIGHBOURS OWN: asserts the limits of a list.
shares()
{
	preview_all "$1"
	found=$(share "$1" lookalike) near=$(share "$1" neighbour) own=$(share "$1" owner)
	ok "at least $3 % of the look-alikes of the list $1 are found $2: $found" awk "BEGIN { exit !($found >= $3) }"
	ok "at most $4 % of the neighbours of the list $1 are reported $2: $near" awk "BEGIN { exit !($near <= $4) }"
	ok "at most $5 % of the owners' names of the list $1 are reported $2: $own" awk "BEGIN { exit !($own <= $5) }"
}

cut -d' ' -f3 $LISTS/tuned $LISTS/held-out | sort -u |
	jq -cR --arg now "$NOW" '{host: ., record_type: "A", answer: "192.0.2.7", rcode: "NOERROR", first_seen: $now, last_seen: $now}' |
	ctl import dns --format ndjson - >/dev/null
shares tuned "without other imports" 75 11 13
shares held-out "without other imports" 75 11 21.5
ctl import rankings $LISTS/ranking >/dev/null
shares tuned "with a ranking" 84 13 13
shares held-out "with a ranking" 85 13 22
finish
