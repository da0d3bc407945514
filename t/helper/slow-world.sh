# shellcheck shell=sh
# SPDX-License-Identifier: ISC
# A world whose nginx learns the client's address from the PROXY protocol, so that one machine has many clients,
# and the programs of t/helper/slow.py in it. For t/nginx/slow-clients.t and t/bench/slow-clients.

slow_world()
{
	world
	for _server in surfaced plain; do
		_name=proxied _tls=ssl
		[ "$_server" = surfaced ] || _name=proxied-plain _tls=
		echo "listen unix:$W/run/$_name.sock $_tls proxy_protocol; set_real_ip_from unix:; real_ip_header proxy_protocol;" |
			world_http2 >>"$W/etc/nginx/$_server.conf"
	done
	pg_start
	index_start
	stream_start
	api_start
	web_start ''
	hosts_wait 0
	export W KEY P
}

# slow_attack CONNECTIONS ADDRESSES: returns when all of them are open and have sent their first bytes.
slow_attack()
{
	rm -f "$W/hold"
	mkfifo "$W/hold"
	/usr/bin/python3 t/helper/slow.py attack "$1" "$2" <"$W/hold" >"$W/attack" 2>"$W/attack.err" &
	SLOW_PID=$!
	exec 9>"$W/hold"
	world_until 30 grep -q ready "$W/attack"
}

# slow_over: ends the attack; "$W/attack" has its figures.
slow_over()
{
	exec 9>&-
	wait "$SLOW_PID"
}

# slow_measure ROUNDS FILE
slow_measure()
{
	/usr/bin/python3 t/helper/slow.py measure "$1" >"$2"
}
