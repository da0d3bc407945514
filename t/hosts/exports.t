#!/bin/sh
# SPDX-License-Identifier: ISC
# Exports where each host has a directory of its own (export_shared = no): the host that wrote a file keeps and sends it, any
# other fetches it from there, and neither removes what belongs to the other (C-413).
# shellcheck disable=SC2030,SC2031 # "on" works in a subshell of its own
[ -n "${HOSTS_WORLD-}" ] || exec t/helper/hosts-world "$0" "$@"
LOG_EXPECTED='connect\(\) failed|upstream timed out|open\(\) .* failed'
. t/helper/hosts.sh
WORLD_CONF='export_shared = no
export_lease = 1000
export_poll = 200'
hosts_start
on api1 world_daemon surfaced-index
on api2 world_daemon surfaced-index
"$BUILD/t/helper/hostgen" --hosts 300 --seed 1 | on api1 ctl import hosts --quiet - >/dev/null

# counts NAME: the host finds all.
counts()
{
	[ "$(on "$1" ask /search/hosts/count | jq -r .count)" = 300 ]
}

# ask PATH [OPTIONS...]
ask()
{
	_path=$1
	shift
	# shellcheck disable=SC2086 # CURL is a list of options
	curl -s $CURL -H "X-API-Key: $KEY" "$@" "$BASE_URL$_path"
}

ok "both hosts find the hosts" world_until 60 counts api1
world_until 60 counts api2

# new NAME: asks a host for an export; prints its UUID.
new()
{
	on "$1" ask /search/hosts/exports -X POST -H 'Content-Type: application/json' --data '{"query":"","compression":"identity"}' |
		jq -r .export.uuid
}

is_state()
{
	[ "$(on api1 ask "/search/exports/$1" | jq -r .export.state)" = "$2" ]
}

on api1 world_daemon surfaced-export
one=$(new api2)
ok "api1 writes an export that api2 was asked for" world_until 60 is_state "$one" complete
on api1 world_kill surfaced-export
on api2 world_daemon surfaced-export
two=$(new api1)
ok "api2 writes an export that api1 was asked for" world_until 60 is_state "$two" complete
on api1 world_daemon surfaced-export
is "$(cd "$W" && find host-api?/exports -type f | sort)" "host-api1/exports/$one.ndjson
host-api2/exports/$two.ndjson" "each host has the file that it wrote (C-413)"

# ---- any host sends any file ----

for uuid in "$one" "$two"; do
	sum=$(on api1 ask "/search/exports/$uuid" | jq -r .export.sha256)
	for name in api1 api2; do
		on "$name" ask "/search/exports/$uuid/content" -D "$W/head" -o "$W/file"
		is "$(sha256sum <"$W/file" | cut -c 1-64)" "$sum" "$name sends the file of $uuid whole (C-413)"
		is "$(tr -d '\r' <"$W/head" | sed -n 's/^etag: //Ip')" "\"$sum\"" "$name names its SHA-256 as ETag (C-413)"
		is "$(tr -d '\r' <"$W/head" | sed -n 's/^content-type: //Ip')" "application/x-ndjson" "$name names its type"
		head -c 1000 "$W/file" >"$W/part"
		is "$(on "$name" ask "/search/exports/$uuid/content" -r 1000- -H "If-Range: \"$sum\"" -w '%{http_code}' -o "$W/rest")" 206 \
			"a download from $name goes on by Range"
		cat "$W/part" "$W/rest" >"$W/both"
		is "$(sha256sum <"$W/both" | cut -c 1-64)" "$sum" "the two parts from $name are the file (C-413)"
	done
done
is "$(on api2 ask "/search/exports/$one/content" -H 'X-API-Key: none' -o /dev/null -w '%{http_code}')" 401 \
	"the file of another host needs a key, too"
is "$(on api2 ask "/../_surfaced_export_of/api1/$one.ndjson" -o /dev/null -w '%{http_code}')" 404 "the way between the hosts is not a client's"

# ---- who removes what ----

sql "UPDATE search_export SET finished_at = finished_at - interval '1 hour'" >/dev/null
three=$(new api1)
ok "another export is written" world_until 60 is_state "$three" complete
# A file without a row is removed when a host has compared its directory with the table.
lost=00000000-0000-4000-8000-000000000001
for name in api1 api2; do
	on "$name" sh -c ': >"$1"' sh "$W/host-$name/exports/$lost.part"
done
lost_is_gone()
{
	[ ! -e "$W/host-api1/exports/$lost.part" ] && [ ! -e "$W/host-api2/exports/$lost.part" ]
}
ok "both hosts have compared their directories with the table" world_until 60 lost_is_gone
ok "a host does not let the export of another one expire (C-413)" is_state "$one" complete
ok "the other host lets none of the first one expire either (C-413)" is_state "$two" complete
on api1 rm "$W/host-api1/exports/$one.ndjson"
for name in api1 api2; do
	on "$name" sh -c ': >"$1"' sh "$W/host-$name/exports/$lost.part"
done
ok "a host lets its own export expire whose file is lost (C-413)" world_until 60 is_state "$one" expired
ok "the export of the other host stays complete (C-413)" is_state "$two" complete
