#!/bin/sh
# SPDX-License-Identifier: ISC
# t/helper/hostgen makes the same hosts in any pieces, all of them valid, with the rates that t/bench relies on.
. t/lib.sh
db_start
host_rows

gen=$BUILD/t/helper/hostgen
N=${N:-40000}

"$gen" --hosts "$N" >"$W/all"
{ "$gen" --hosts 1000; "$gen" --start 1000 --hosts $((N - 1000)); } >"$W/pieces"
ok "hostgen makes the same hosts in one piece and in two" cmp "$W/all" "$W/pieces"
"$gen" --hosts 1000 --seed 2 >"$W/other"
is "$(head -n 1000 "$W/all" | cat - "$W/other" | sort -u | wc -l)" 2000 \
	"another seed makes hosts that all differ"
bytes=$(($(wc -c <"$W/all") / N))
ok "a generated host takes $bytes bytes, within 1000 to 1600" [ "$bytes" -ge 1000 -a "$bytes" -le 1600 ]
import "$W/all"
is "$STATUS$OUT" "0$N read, $N new, 0 changed, 0 unchanged, 0 bad, 0 skipped" \
	"every generated host is valid and has its own address"

# rate QUERY LOW HIGH CONDITION: the bounds are in hundredths of a percent.
rate()
{
	r=$(sql "SELECT 10000 * count(*) FILTER (WHERE $4) / count(*) FROM host")
	ok "$1 matches $r of 10,000 hosts" [ "$r" -ge "$2" -a "$r" -le "$3" ]
}
rate "country_code:US" 3200 3450 "doc->>'country_code' = 'US'"
rate "tags:malware" 750 850 "doc->'tags' ? 'malware'"
rate "services.port:443 AND tags:malware" 350 450 "doc @> '{\"tags\":[\"malware\"],\"services\":[{\"port\":443}]}'"
rate "services.port:22 AND NOT country_code:CN" 2600 3600 \
	"doc @> '{\"services\":[{\"port\":22}]}' AND doc->>'country_code' <> 'CN'"
rate "(tags:c2 OR tags:phishing) AND services.port:8443" 80 120 \
	"doc->'tags' ?| '{c2,phishing}' AND doc @> '{\"services\":[{\"port\":8443}]}'"
rate "tags:sinkhole" 2 7 "doc->'tags' ? 'sinkhole'"
rate "services.http.title:login" 450 550 \
	"jsonb_path_exists(doc, '\$.services[*].http.title ? (@ like_regex \"login\" flag \"i\")')"
rate "ip:45.32.0.0/12" 38 42 "ip <<= '45.32.0.0/12'"
