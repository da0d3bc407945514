#!/bin/sh
# SPDX-License-Identifier: ISC
# t/instance runs as a user other than root, with a copy of the tree in the user's directory.
. t/lib.sh

world
who=$(id -u)
as()
{
	"$@"
}
if world_root; then
	who=nobody
	id "$who" >/dev/null 2>&1 || skip_all "there is no user nobody"
	as()
	{
		setpriv --reuid="$who" --regid="$(id -g "$who")" --clear-groups --inh-caps=-all \
			env -u PG_USER HOME="$W/home" TMPDIR="$W/home" "$@"
	}
fi
T=$W/home/tree
mkdir -p "$T"
t/helper/files t sql nginx | xargs cp --parents -pt "$T"
(cd "$BUILD" && cp --parents -pt "$T" surfaced surfaced-alert surfaced-detect surfaced-dispatch surfaced-egress surfaced-export surfaced-index \
	surfaced-meter surfaced-runner surfaced-stream surfacectl t/helper/hostgen)
! world_root || chown -R "$who" "$W/home"

instance()
{
	(cd "$T" && as env TOP_BUILDDIR="$T" t/instance "$@")
}
ok "t/instance start succeeds as an ordinary user" \
	instance start "$W/home/i" --hosts 200 --workers 1 --search-workers 1 2>"$W/start.err"
if [ ! -f "$W/home/i/env" ]; then
	diag "$(cat "$W/start.err")"
	exit 1
fi
trap 'instance stop "$W/home/i" 2>/dev/null || :; lib_exit' EXIT
# shellcheck disable=SC1091 # written by t/instance
KEY=$(. "$W/home/i/env" && echo "$KEY") CURL=$(. "$W/home/i/env" && echo "$CURL")
# shellcheck disable=SC1091 # written by t/instance
BASE_URL=$(. "$W/home/i/env" && echo "$BASE_URL")
key=$KEY
api GET /search/hosts/count
is "$STATUS/$(field .count)" 200/200 "the instance of an ordinary user answers a search"
api POST /search/hosts/aggregate '{"aggregations":[{"field":"country_code","limit":1}]}'
is "$STATUS" 200 "the instance of an ordinary user answers an aggregation"
is "$(pgrep -f "$W/home/i/" | while read -r p; do stat -c %U "/proc/$p"; done | sort -u)" "$(id -un "$who")" \
	"every process runs as the ordinary user"
ok "t/instance stop succeeds as an ordinary user" instance stop "$W/home/i"
is "$(pgrep -f "$W/home/i/")" "" "t/instance stop leaves no process of the user"
