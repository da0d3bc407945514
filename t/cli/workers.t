#!/bin/sh
# SPDX-License-Identifier: ISC
# surfacectl workers compares upstream file, master and nginx, and prints the reloads in the right order.
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
is "$RC $(cat "$W/look.err")" "0 " "workers exits with 0 in a sound world"
says "$api" '[2,2,2,"ok"]' "workers shows three equal numbers in a sound world"
says "$next" '[]' "workers suggests no reload in a sound world"

weight 3
look
says "$api" '[3,2,null,"reload needed"]' "workers shows more workers in the file and no number of nginx"
says "$next" '["surfaced","nginx"]' "workers suggests to reload surfaced first when the pool grows"
like "$(jq -r .reason "$W/look")" grows "workers gives the growth as the reason"
ok "surfaced has the new number of workers after its reload" \
	reload_surfaced '[3,3,null,"nginx reload needed"]'
says "$next" '["nginx"]' "workers suggests to reload nginx after surfaced"
ok "nginx has the new number of workers after its reload" reload_nginx '[3,3,3,"ok"]'
says "$next" '[]' "workers suggests no reload after both reloads"

weight 1
look
says "$api" '[1,3,null,"reload needed"]' "workers shows fewer workers in the file than in the master"
says "$next" '["nginx","surfaced"]' "workers suggests to reload nginx first when the pool shrinks"
ok "nginx has the smaller number of workers after its reload" reload_nginx '[1,3,1,"reload needed"]'
says "$next" '["surfaced"]' "workers suggests to reload surfaced after nginx"
like "$( (world_as "$BIN/surfacectl" -c "$W/etc/surfacectl.conf" workers --nginx "$W/etc/nginx.conf") | tail -1)" \
	'^->  systemctl reload surfaced$' "workers prints the suggested command below its table"
ok "surfaced has the smaller number of workers after its reload" reload_surfaced '[1,1,1,"ok"]'

cp "$W/etc/upstreams.conf" "$W/upstreams.good"
sed 's,/api\.sock,/other.sock,' "$W/upstreams.good" >"$W/etc/upstreams.conf"
look
says '[.pools[] | select(.pool != "surfaced_stream") | [.socket, .file, .master] | select(.[1] != .[2])] | map(.[0] |= sub(".*/"; ""))' \
	'[["other.sock",1,0],["api.sock",0,1]]' "workers shows the new and the old socket of a pool"
like "$(jq -r .reason "$W/look")" 'two changes, first what grows' \
	"workers explains that a renamed socket needs two changes"
cp "$W/upstreams.good" "$W/etc/upstreams.conf"

echo 'nonsense;' >>"$W/etc/nginx.conf"
look
like "$(jq -r .reason "$W/look")" '\[emerg\].*nonsense' \
	"workers shows the fault of a configuration that nginx refuses"
says "$api" '[1,1,null,"ok"]' "workers shows the master beside a broken configuration of nginx"
sed -i '$d' "$W/etc/nginx.conf"
world_kill nginx
look
says "$api" '[1,1,null,"nginx stopped"]' "workers reports that nginx is stopped"
world_kill surfaced
look
says "$api" '[1,0,null,"stopped"]' "workers reports that surfaced is stopped"
like "$(jq -r .reason "$W/look")" 'systemctl start surfaced' "workers suggests to start a stopped surfaced"
