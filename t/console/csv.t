#!/bin/sh
# SPDX-License-Identifier: ISC
# CSV has one dialect: the console's dialog, an export of the service and surface --csv print the same lines. Texts that a
# spreadsheet would compute get an apostrophe, numbers never do, and the services of a host keep their places.
[ -n "${MODULES-}" ] || { MODULES=$(t/helper/npm) && export MODULES || exit 1; }
. t/lib.sh
. t/helper/console/start.sh
console_world
export_start
cat >"$W/hosts.ndjson" <<'.'
{"ip":"203.0.113.160","tags":["field42"],"country_code":"DE","services":[{"port":80,"product":"-2+3+cmd|' /C calc'!A0","http":{"title":"=HYPERLINK(\"http://x-42.top\",\"a\")","favicon_mmh3":-235701012,"server":"@SUM(1+1)"}}],"last_seen":"2026-09-21T10:00:00Z"}
{"ip":"203.0.113.161","tags":["field42"],"services":[{"port":80,"product":"+49 30 1234","http":{"title":"\t=1+1","favicon_mmh3":12,"server":"-5.00"}}],"last_seen":"2026-09-21T10:00:00Z"}
{"ip":"203.0.113.162","tags":["field42"],"services":[{"port":80,"product":"\r=1+1","http":{"title":"Shop; \"best\", now","favicon_mmh3":0,"server":"-- comment"}},{"port":443,"product":"nginx"}],"last_seen":"2026-09-21T10:00:00Z"}
{"ip":"203.0.113.163","tags":["field42"],"services":[{"port":80,"product":"\uff1d1+1","http":{"title":"\uff20SUM(1)","server":"\uff0b1"}},{"port":81,"product":"\uff0d1","http":{"title":"\n=1+1"}}],"last_seen":"2026-09-21T10:00:00Z"}
.
ctl import hosts --format ndjson "$W/hosts.ndjson" >/dev/null 2>&1
hosts_wait 4
export DIR="$W"
world_env
fields=ip,country_code,port,product,http.title,http.favicon_mmh3,http.server
SURFACE_ENV='XDG_CACHE_HOME=/dev/null' surface search services net:203.0.113.160/30 --csv -f "$fields"
printf '%s\n' "$OUT" >"$W/surface.csv"
is "$STATUS $(head -1 "$W/surface.csv" | tr -d '\r')" "0 $fields" "surface --csv begins with the names of its columns"
like "$(cat "$W/surface.csv")" "^203.0.113.160,DE,80,'-2\\+3\\+cmd" "a text that a spreadsheet would compute has an apostrophe, and the country of the host is in its column"
like "$(cat "$W/surface.csv")" ',-235701012,' "a negative number has no apostrophe"
is "$(grep -c -- "'-235701012\|,[=+@]\|\"[=+@]" "$W/surface.csv")" 0 "no cell begins with what a spreadsheet would compute"
surface export services net:203.0.113.160/30 -o "$W/export.csv" -f "$fields"
is "$STATUS" 0 "the service exports the same services"
SURFACE_ENV='XDG_CACHE_HOME=/dev/null' surface search hosts net:203.0.113.160/30 --csv -f ip,services.port,services.product,services.http.favicon_mmh3
printf '%s\n' "$OUT" >"$W/hosts.csv"
is "$(sed -n 4p "$W/hosts.csv" | tr -d '\r')" "203.0.113.162,\"[80,443]\",\"[\"\"\\r=1+1\"\",\"\"nginx\"\"]\",\"[0,null]\"" \
	"the services of a host keep their places in each column of the host"
surface export hosts net:203.0.113.160/30 -o "$W/hosts-export.csv" -f ip,services.port,services.product,services.http.favicon_mmh3
is "$(tr -d '\r' <"$W/hosts-export.csv")" "$(tr -d '\r' <"$W/hosts.csv")" "an export of hosts has the lines of surface --csv"
ANN=$(invitation owner ann@example.com Ann)
export ANN FIELDS="$fields"
console_test csv.mjs
