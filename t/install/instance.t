#!/bin/sh
# SPDX-License-Identifier: ISC
# t/instance: a world on a TCP port with its own authority and generated hosts; stopping it leaves only logs.
. t/lib.sh

dir=$(mktemp -d /tmp/t.XXXXXX)
chmod 755 "$dir" # as ./demo is: the world stands in it
trap 't/instance stop "$dir" 2>/dev/null; rm -rf "$dir"; lib_exit' EXIT
ok "t/instance start exits with status 0" \
	t/instance start "$dir" --port 0 --hosts 300 --workers 1 --search-workers 1 2>"$dir.err"
# shellcheck disable=SC1091 # written by t/instance
. "$dir/env"
export PGHOST PGDATABASE PGUSER
like "$BASE_URL" '^https://localhost:[0-9]+/api/v1$' "BASE_URL is an address on localhost"
ok "CACERT is a readable file" test -r "$CACERT"
like "$KEY" '^sfk_' "KEY is an API key"
like "$PROJECT" '^[0-9a-f-]{36}$' "PROJECT is a uuid"

count()
{
	curl -sS "$@" -H "X-API-Key: $KEY" "$BASE_URL/search/hosts/count" | jq -r .count
}
is "$(count --cacert "$CACERT")" 300 "the API answers over TCP with the instance's certificate"
# shellcheck disable=SC2086 # CURL is a list of options
is "$(count $CURL)" 300 "the API answers over the Unix socket"
is "$(psql -XqAt -c 'SELECT count(*) FROM record_hosts')" 300 "PGHOST and PGDATABASE connect to the database"
is "$($CTL --json workers --nginx "$W/etc/nginx.conf" | jq -c "[.pools[].state]")" '["ok","ok","ok","ok"]' \
	"CTL runs surfacectl with this instance"

# ---- no way out: the daemons have network namespaces as empty as new ones ----
interfaces() { awk 'NR > 2 { print $1 }' "$1/net/dev"; }
daemons=surfaced-alert
! world_browser_possible || daemons="$daemons surfaced-egress"
if world_namespaces; then
	fresh=$(world_as unshare -c -n cat /proc/self/net/dev | awk 'NR > 2 { print $1 }')
	for name in $daemons; do
		pid=$(world_pid "$name")
		is "$(interfaces "/proc/$pid") $(awk 'NR > 1' "/proc/$pid/net/route")" "$fresh " \
			"the network namespace of $name has no interface and no route that leads out"
	done
fi
if world_browser_possible; then
	sessions=$BASE_URL/projects/$PROJECT/sessions
	asks() { curl -sS --cacert "$CACERT" -H "X-API-Key: $KEY" -H "Content-Type: application/json" "$@"; }
	s=$(asks "$sessions" -d '{"start_url": "https://93.184.216.34/"}' | jq -r .session.uuid)
	failed() { asks "$sessions/$s/network-events" | jq -e '[.network_events[] | select(.failure != null)] | length > 0' >/dev/null; }
	ok "the page of a session on a public address cannot load" world_until 60 failed
	is "$(awk 'NR > 2 { n += $3 + $11 } END { print n }' "/proc/$(world_pid surfaced-egress)/net/dev")" 0 \
		"a session on a public address sends no packet"
fi
is "$(grep -rlE '^t/instance start .* --out' t)" t/helper/demo "only the demo starts an instance with --out"
ok "no daemon of the instance runs as root" test "$(pgrep -u 0 -f "$W/" | wc -l)" -eq 0

world=$W
W=''
ok "t/instance stop exits with status 0" t/instance stop "$dir"
is "$(pgrep -f "$world/")" "" "t/instance stop leaves no process behind"
# shellcheck disable=SC2016 # for the inner shell
ok "t/instance stop exits with an error if nothing runs" \
	sh -c '! t/instance stop "$1" 2>/dev/null' sh "$dir"
is "$(find "$dir" -mindepth 1 -maxdepth 1 -not -name log)" "" "t/instance stop leaves only the logs"
