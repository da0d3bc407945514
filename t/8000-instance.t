#!/bin/sh
# SPDX-License-Identifier: ISC
# t/instance: a world on a TCP port with its own authority, generated hosts, nothing left after its stop.
. t/lib.sh

dir=$(mktemp -d /tmp/t.XXXXXX)
chmod 755 "$dir" # as ./demo is: the world stands in it
trap 't/instance stop "$dir" 2>/dev/null; rm -rf "$dir"; lib_exit' EXIT
ok "t/instance start" t/instance start "$dir" --port 0 --hosts 300 --workers 1 --search-workers 1 2>"$dir.err"
# shellcheck disable=SC1091 # written by t/instance
. "$dir/env"
export PGHOST PGDATABASE PGUSER
like "$BASE_URL" '^https://localhost:[0-9]+/api/v1$' "BASE_URL"
ok "CACERT" test -r "$CACERT"
like "$KEY" '^sfk_' "KEY"
like "$PROJECT" '^[0-9a-f-]{36}$' "PROJECT"

count()
{
	curl -sS "$@" -H "X-API-Key: $KEY" "$BASE_URL/search/hosts/count" | jq -r .count
}
is "$(count --cacert "$CACERT")" 300 "over TCP with the instance's own authority"
# shellcheck disable=SC2086 # CURL is a list of options
is "$(count $CURL)" 300 "over the Unix socket"
is "$(psql -XqAt -c 'SELECT count(*) FROM host')" 300 "PGHOST and PGDATABASE lead to the database"
is "$($CTL --json workers --nginx "$W/etc/nginx.conf" | jq -c "[.pools[].state]")" '["ok","ok","ok"]' "CTL is the admin tool of this instance"
ok "no daemon runs as root" test "$(pgrep -u 0 -f "$W/" | wc -l)" -eq 0

world=$W
W=''
ok "t/instance stop" t/instance stop "$dir"
is "$(pgrep -f "$world/")" "" "nothing it started runs on"
# shellcheck disable=SC2016 # for the inner shell
ok "t/instance stop again says there is none" sh -c '! t/instance stop "$1" 2>/dev/null' sh "$dir"
is "$(find "$dir" -mindepth 1 -maxdepth 1 -not -name log)" "" "only the logs are left"
