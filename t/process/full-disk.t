#!/bin/sh
# SPDX-License-Identifier: ISC
# Full disks, each a file system of its own: the programs report the reason, doctor finds the disk, and room is all
# that they need.
if [ -z "${IN_MOUNTS-}" ] && [ "$(id -u)" -eq 0 ]; then
	export IN_MOUNTS=1
	exec unshare --mount --propagation private "$0" "$@"
fi
. t/lib.sh

world_root || skip_all "a file system of its own takes root"

# disk DIRECTORY SIZE: mounts a file system there, which holds what was there.
disk()
{
	mkdir -p "$W/was" && cp -a "$1/." "$W/was/" && mount -t tmpfs -o "size=$2" none "$1" &&
		cp -a "$W/was/." "$1/" && chown --reference="$W/was" "$1" && rm -r "$W/was"
}

fill()
{
	head -c 1G /dev/zero >"$1/ballast" 2>/dev/null
	[ -s "$1/ballast" ]
}

doctor()
{
	(world_as "$BIN/surfacectl" -c "$W/etc/surfacectl.conf" --json doctor --etc "$W/etc" --nginx "$W/etc/nginx.conf" --sql-dir "$SQL" \
		--user "$WORLD_USER") >"$W/doctor" 2>"$W/doctor.err"
}

# found STATE CHECK ERE TITLE
found()
{
	like "$(jq -r --arg s "$1" --arg c "$2" '.checks[] | select(.state == $s and .check == $c) |
		.detail + " -> " + (.advice // "") + " because " + (.because // "nothing")' "$W/doctor")" "$3" "$4"
}

logged() { grep -qE "$2" "$W/log/$1.log"; }

status_of() { ctl --json search status | jq -r --arg d "$1" ".datasets[] | select(.dataset == \$d) | $2"; }

world
disk "$W/index" 24m
world_start
hostgen=$BUILD/t/helper/hostgen
"$hostgen" --hosts 100 --seed 1 | ctl import hosts - >/dev/null
hosts_wait 100

# ---- the index is fresh ----

fresh() { [ "$(status_of hosts '.lag_seconds < 15 and .lag_seconds >= 0 and .fed_at != null')" = true ]; }
ok "the lag of an index that is up to date is small" world_until 20 fresh
metric() { curl -s --unix-socket "$W/run/metrics.sock" http://localhost/metrics | sed -n "s,^surfaced_index_age_seconds{index=\"$(uname -n | cut -c1-32):$W/index\"\,dataset=\"$1\"} ,,p"; }
small() { metric "$1" | grep -qE '^([0-9]|1[0-4])(\.|$)'; }
ok "the age of the index is a metric of this host and dataset" world_until 20 small hosts
index_at() { ctl --json hosts list | jq -r '.hosts[0].index_at // ""'; }
before=$(index_at)
later() { [ "$(index_at)" ">" "$before" ]; }
ok "the time of an index without changes moves on in the list of hosts" world_until 20 later

# ---- the disk of the index is full ----

ok "the disk of the index is filled" fill "$W/index"
"$hostgen" --hosts 3000 --seed 2 | ctl import hosts - >/dev/null
ok "surfaced-index logs why a pass fails" world_until 60 logged surfaced-index 'dataset=hosts failed=".*No space left on device"'
none_else() { ! grep -E 'Bad file descriptor|Success"' "$W/log/surfaced-index.log"; }
ok "surfaced-index logs no other reason" none_else
lags() { [ "$(status_of hosts '.lag_seconds > 1')" = true ]; }
ok "the lag grows while changes are missing" world_until 20 lags
doctor
found failed disk "/index: 0 MB free, 0 % -> make room on the disk of " "doctor finds the full disk of the index"
found failed index '^hosts: 3000 changed documents are not in the index after .*: .*No space left on device.* because disk' \
	"doctor shows the missing changes as a consequence of the disk"
rm "$W/index/ballast"
hosts_wait 3100
doctor
found ok index '^hosts: .* 3100 documents, up to date' "the index follows by itself when the disk has room"
ok "the lag is small again" world_until 20 fresh

# A large segment may be too large for a disk that has some room.
ok "the disk of the index is filled again" fill "$W/index"
truncate -s -600k "$W/index/ballast"
"$hostgen" --hosts 4000 --seed 3 | ctl import hosts - >/dev/null
: >"$W/log/surfaced-index.log"
ok "surfaced-index logs why a pass fails" world_until 60 logged surfaced-index 'dataset=hosts failed=".*No space left on device"'
doctor
found failed index '^hosts: 4000 changed documents .*: .*No space left on device' \
	"doctor reports the reason of surfaced-index, also when the disk has some room"
rm "$W/index/ballast"
hosts_wait 7100

# ---- the disk of exports has less room than export_reserve ----

sed -i '/^export_reserve/d' "$W/etc/surfaced-export.conf"
echo "export_reserve = $(($(df -B1 --output=size "$W/exports" | tail -1) + 1))" >>"$W/etc/surfaced-export.conf"
export_start
doctor
found failed disk '/exports: .*, less than export_reserve: each export fails with disk_full -> make room on the disk of .*, or lower export_reserve' \
	"doctor finds that no export can be written"
world_kill surfaced-export
sed -i '/^export_reserve/d' "$W/etc/surfaced-export.conf"

# ---- the disk of PostgreSQL is full ----

world_pg_stop
disk "$W/db" 400m
world_pg_resume
doctor
found ok disk "/db/pg: " "doctor checks the disk of a PostgreSQL on this machine"
fill "$W/db"
"$hostgen" --hosts 3000 --seed 4 | ctl import hosts - >/dev/null 2>"$W/err"
like "$(cat "$W/err")" 'No space left on device$' "an import names the full disk"
unlike "$(cat "$W/err")" 'is the database migrated' "an import on a full disk does not ask for a migration"
doctor
found failed disk "/db/pg: 0 MB free, 0 % -> make room on the disk of .*/db/pg because nothing" "doctor finds the full disk of PostgreSQL"
found failed database 'it cannot store rows: .*No space left on device.* because disk' "doctor shows that nothing can be stored"
rm "$W/db/ballast"
ok "an import succeeds when PostgreSQL has room" sh -c '"$1" --hosts 3000 --seed 4 | $2 import hosts - >/dev/null' sh "$hostgen" "$CTL"
doctor
none_full() { ! jq -r '.checks[] | select(.state != "ok") | .detail' "$W/doctor" | grep -E 'No space|0 % *$'; }
ok "doctor finds no full disk any more" none_full

# ---- small files on a full disk ----

small=$W/small
mkdir "$small"
chown "$WORLD_USER" "$small"
disk "$small" 64k
fill "$small"
for name in surfacectl surfaced-meter; do
	sed "s,^secret_file = .*,secret_file = $small/secret,; s,^run_directory = .*,run_directory = $small," "$W/etc/$name.conf" >"$W/etc/small-$name.conf"
done
like "$("$BIN/surfacectl" -c "$W/etc/small-surfacectl.conf" secret rotate 2>&1)" "^surfacectl: $small/secret: No space left on device\$" \
	"surfacectl reports why a secret could not be stored"
(world_as "$BIN/surfaced-meter" -c "$W/etc/small-surfaced-meter.conf") >"$W/log/small.log" 2>&1 &
ok "surfaced-meter logs why its file cannot be made" world_until 20 logged small "meter.map: No space left on device"
kill $!
wait $!
LOG_EXPECTED='meter.map: No space'
like "$(ctl backup "$small/backup" 2>&1)" 'No space left on device' "surfacectl reports why a backup could not be written"
like "$(ctl search export hosts 'ip:0.0.0.0/0' 2>&1 >/dev/full)" 'No space left on device|part of it is lost' \
	"surfacectl reports that its output could not be written"
like "$(ctl import hosts "$W/etc" 2>&1)" 'Is a directory' "surfacectl import reports why a file cannot be read"
finish
umount "$W/index" "$W/db" "$small"
