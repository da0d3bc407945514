#!/bin/sh
# SPDX-License-Identifier: ISC
# Clients without a key that never end their requests take nothing from a client with a key: 1,000 connections of
# 10 addresses, against searches, other operations, the upgrade of the stream and plain HTTP (C-066).
# t/bench/slow-clients prints the times of this; here they have only a generous bound.
. t/lib.sh
. t/helper/slow-world.sh

slow_world
slow_measure 50 "$W/quiet"
is "$(jq -c .refused "$W/quiet")" 0 "a client with a key is served by the quiet world"
slow_attack 1000 10
result $? "1,000 slow connections from 10 addresses are open"
slow_measure 50 "$W/attacked"
is "$(jq -c .refused "$W/attacked")" 0 "no request with a key is refused beside 1,000 slow connections"
diag "quiet:    $(cat "$W/quiet")"
diag "attacked: $(cat "$W/attacked")"
is "$(jq -n --slurpfile q "$W/quiet" --slurpfile a "$W/attacked" '$a[0].p99 <= 10 * $q[0].p99 + 1000')" true \
	"the 99th percentile of its times stays below tenfold and a second"
slow_over
diag "attack:   $(tail -1 "$W/attack") $(tail -1 "$W/attack.err")"
is "$(jq -c '.opened >= 1000' <<-END
	$(tail -1 "$W/attack")
END
)" true "the slow clients were there until the end of the measurement"

# With short bounds, each kind of client that sends nothing more is closed: half-open handshakes, heads and bodies.
sed -i -E 's/^((client|keepalive|lingering)[a-z_]*) .*/\1 300ms;/' "$W/etc/nginx/limits.conf"
world_kill nginx
rm -f "$W"/run/proxied*.sock
world_web_start '' || diag "$(cat "$W/log/nginx.out")"
is "$(/usr/bin/python3 t/helper/slow.py silent 2>&1)" "" "nginx closes every kind of silent client"
