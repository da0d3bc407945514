#!/bin/sh
# SPDX-License-Identifier: ISC
# surface aggregate and usage: the order of words, aliases, bars on a terminal, and what a wrong field is answered.
. t/lib.sh
world_start
for i in 1 2 3; do
	printf '{"ip":"192.0.2.%s","country_code":"%s","services":[{"port":22,"transport":"tcp"}]}\n' $i "$([ $i = 1 ] && echo GB || echo DE)"
done | ctl import hosts --quiet - || exit 1
hosts_wait 3

surface aggregate hosts port:22 --by country_code --table
is "$STATUS|$(printf '%s\n' "$OUT" | awk 'NR > 1 { print $1, $2 }' | tr '\n' ',')" "0|DE 2,GB 1," "surface aggregate takes the query behind the dataset"
like "$OUT" '^  DE  2  █+$' "the most frequent value has a bar"
surface aggregate hosts --by country,port --json
is "$STATUS $(printf '%s\n' "$OUT" | jq -r '"\(.field):\(.value)=\(.count)"' | tr '\n' ' ')" \
	"0 country_code:DE=2 country_code:GB=1 services.port:22=3 " "aliases of fields are resolved, and several fields are groups of their own"
SURFACE_ENV='XDG_CACHE_HOME=/dev/null' surface aggregate hosts --by country --csv
is "$STATUS" 0 "aliases are resolved where no schema can be kept"
surface aggregate hosts -b country,contry
is "$STATUS|$OUT|$ERR" '3||surface: hosts cannot be aggregated by "contry"; did you mean country? "surface fields hosts" lists the fields' \
	"an unknown field is named as it was typed, with a guess and the command that lists fields"
surface aggregate hosts --by banner
like "$STATUS $ERR" '^3 surface: hosts cannot be aggregated by "banner".*surface fields hosts" lists' "a field that cannot be aggregated is named as it was typed"
unlike "$ERR" '/search/' "the message has no path of the API"
surface aggregate hosts 'contry:DE' --by country
is "$STATUS $(printf '%s\n' "$ERR" | sed -n 3p)" "3   ^" "a wrong query of an aggregation has a caret"
surface aggregate hosts port:22
is "$STATUS|$ERR" '2|surface: by which fields? As in: surface aggregate hosts --by country' "an aggregation without fields is wrong usage"

today=$(date -u +%F)
surface usage --table
is "$(printf '%s\n' "$OUT" | grep -cE '^  20[0-9]{2}-')" 7 "surface usage prints seven days on a terminal"
like "$(printf '%s\n' "$OUT" | tail -1)" "^  $today +[0-9]+" "the last day of surface usage is today"
surface usage --table --days 40
is "$(printf '%s\n' "$OUT" | grep -cE '^  20[0-9]{2}-')" 40 "--days chooses the days"
surface usage --csv --days 3
is "$(printf '%s\n' "$OUT" | wc -l) $(printf '%s\n' "$OUT" | tail -1 | cut -d, -f1)" "4 $today" "--days chooses the rows of CSV"
surface usage --days 181
is "$STATUS" 2 "more than 180 days are wrong usage"
