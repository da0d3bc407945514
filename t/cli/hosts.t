#!/bin/sh
# SPDX-License-Identifier: ISC
# surfacectl hosts: the list, and a host that is removed from it; it comes back by itself when it starts again.
. t/lib.sh

[ -f "$BUILD/t/helper/faults.so" ] || skip_all "t/helper/faults.so is not built"
world_start
"$BUILD/t/helper/hostgen" --hosts 20 --seed 1 | ctl import hosts - >/dev/null
hosts_wait 20
host2_start

listed() { ctl --json hosts list | jq -r '[.hosts[].name] | sort | join(" ")'; }
machine=$(uname -n)
both=$(printf '%s\n' "$machine:$W/run" "$machine:$W2/run" | sort | paste -sd ' ')
has_both() { [ "$(listed)" = "$both" ]; }
ok "the list has both hosts" world_until 20 has_both
like "$(ctl hosts remove "$machine:$W2/run" 2>&1)" ": it wrote to the database in the last 30 seconds: systemctl stop surfaced.target on that machine first\$" \
	"a host that runs is not removed"
like "$(ctl hosts remove nobody:/run 2>&1)" 'nobody:/run: not found$' "a host that is not in the list is not removed"
host2 world_stop
removed() { ctl hosts remove "$1" >"$W/removed" 2>&1; }
ok "a host that is silent is removed" world_until 60 removed "$machine:$W2/run"
is "$(listed)" "$machine:$W/run" "the list no longer has the host that was removed"
like "$(ctl audit --action host.remove)" " host.remove .*$machine:$W2/run" \
	"the audit log has the removal of a host"
is "$(sql "SELECT count(*) > 0 FROM search_feed")" t "the index of the machine stays while the machine has another host"

# The last host of a machine: its index goes with it, and is built again when the machine is back.
world_kill surfaced
world_kill surfaced-meter
world_kill surfaced-index
ok "the last host of a machine is removed" world_until 60 removed "$machine:$W/run"
is "$(sql "SELECT count(*) FROM search_feed")" 0 "the index of a machine without hosts is forgotten"
"$BUILD/t/helper/hostgen" --hosts 5 --seed 2 | ctl import hosts - >/dev/null
cp "$BUILD/t/helper/faults.so" "$W/run/"
touch "$W/run/stop"
# The worker of surfaced-index stops before it begins, and goes on; then its child stops, which builds the index again.
WORLD_ENV="ASAN_OPTIONS=verify_asan_link_order=0 STOP_CHILDREN=$W/run/stop LD_PRELOAD=$W/run/faults.so" world_index_start
world_api_start
worker() { pgrep -P "$(world_pid surfaced-index)"; }
stopped() { _p=$("$@") && [ -n "$_p" ] && grep -q '^State:.T' "/proc/$_p/status"; }
ok "the worker of surfaced-index is stopped" world_until 20 stopped worker
kill -CONT "$(worker)"
child() { pgrep -P "$(worker)"; }
rebuilds() { grep -q 'dataset=hosts rebuilding=' "$W/log/surfaced-index.log"; }
ok "surfaced-index of a forgotten host builds its index again" world_until 60 rebuilds
ok "the child that builds the index is stopped" world_until 20 stopped child
doctor() { (world_as "$BIN/surfacectl" -c "$W/etc/surfacectl.conf" --json doctor --etc "$W/etc" --nginx "$W/etc/nginx.conf" --sql-dir "$SQL" --user "$WORLD_USER") >"$W/doctor"; }
doctor
like "$(jq -r '.checks[] | select(.check == "index" and .state == "warning") | .detail + " -> " + .advice' "$W/doctor" | head -1)" \
	'^hosts: surfaced-index builds the index again -> wait until it is built' "doctor reports an index that is built again"
unlike "$(cat "$W/doctor")" 'pg_snapshot' "doctor compares nothing with an index that has no snapshot"
rm "$W/run/stop"
kill -CONT "$(child)"
hosts_wait 25
is "$(listed)" "$machine:$W/run" "a host that starts again is in the list again"
