#!/bin/sh
# SPDX-License-Identifier: ISC
# surfacectl workers: file, master and nginx side by side, and what to reload, in which order.
. t/lib.sh

look()
{
	(world_as "$BIN/surfacectl" -c "$W/etc/surfacectl.conf" --json workers --nginx "$W/etc/nginx.conf") >"$W/look" 2>"$W/look.err"
	RC=$?
}

# says JQ WANTED TITLE
says()
{
	is "$(jq -rc "$1" "$W/look")" "$2" "$3"
}

# The pool of the general operations: file, master, nginx, state.
api='.pools[] | select(.pool == "surfaced_api") | [.file, .master, .nginx, .state]'
next='.next | map(ltrimstr("systemctl reload "))'

weight()
{
	sed -i "/api\\.sock weight/s/weight=[0-9]*/weight=$1/" "$W/etc/upstreams.conf"
}

reload_surfaced()
{
	kill -HUP "$(world_pid surfaced)"
	world_until 10 looks "$1"
}

reload_nginx()
{
	kill -HUP "$(world_pid nginx)"
	world_until 10 looks "$1"
}

looks()
{
	look
	[ "$(jq -rc "$api" "$W/look")" = "$1" ]
}

# nginx reads the same file, as it does on a machine.
pg_start
index_start
api_start
ln -sf ../upstreams.conf "$W/etc/nginx/upstreams.conf"
web_start ''
hosts_wait 0

look
is "$RC $(cat "$W/look.err")" "0 " "a sound world"
says "$api" '[2,2,2,"ok"]' "three numbers that agree"
says "$next" '[]' "nothing to reload"

weight 3
look
says "$api" '[3,2,null,"reload needed"]' "more workers in the file; what nginx has is not known"
says "$next" '["surfaced","nginx"]' "growing: the workers first"
like "$(jq -r .reason "$W/look")" grows "and why"
ok "surfaced is reloaded" reload_surfaced '[3,3,null,"nginx reload needed"]'
says "$next" '["nginx"]' "then nginx"
ok "nginx is reloaded" reload_nginx '[3,3,3,"ok"]'
says "$next" '[]' "and that is all"

weight 1
look
says "$api" '[1,3,null,"reload needed"]' "fewer workers in the file"
says "$next" '["nginx","surfaced"]' "shrinking: nginx first"
ok "nginx is reloaded" reload_nginx '[1,3,1,"reload needed"]'
says "$next" '["surfaced"]' "then the workers"
like "$( (world_as "$BIN/surfacectl" -c "$W/etc/surfacectl.conf" workers --nginx "$W/etc/nginx.conf") | tail -1)" \
	'^->  systemctl reload surfaced$' "as text, below the table"
ok "surfaced is reloaded" reload_surfaced '[1,1,1,"ok"]'

cp "$W/etc/upstreams.conf" "$W/upstreams.good"
sed 's,/api\.sock,/other.sock,' "$W/upstreams.good" >"$W/etc/upstreams.conf"
look
says '[.pools[] | select(.pool != "surfaced_stream") | [.socket, .file, .master] | select(.[1] != .[2])] | map(.[0] |= sub(".*/"; ""))' \
	'[["other.sock",1,0],["api.sock",0,1]]' "a socket for another: both are shown"
like "$(jq -r .reason "$W/look")" 'two changes, first what grows' "which wants two steps"
cp "$W/upstreams.good" "$W/etc/upstreams.conf"

echo 'nonsense;' >>"$W/etc/nginx.conf"
look
like "$(jq -r .reason "$W/look")" '\[emerg\].*nonsense' "a configuration that nginx refuses is said"
says "$api" '[1,1,null,"ok"]' "and the workers are shown all the same"
sed -i '$d' "$W/etc/nginx.conf"
world_kill nginx
look
says "$api" '[1,1,null,"nginx stopped"]' "without nginx"
world_kill surfaced
look
says "$api" '[1,0,null,"stopped"]' "without surfaced"
like "$(jq -r .reason "$W/look")" 'systemctl start surfaced' "what to start"
