#!/bin/sh
# SPDX-License-Identifier: ISC
# Files of the index that are cut or changed under running workers: each request gets the right answer or an
# envelope, no worker dies, and surfaced-index repairs the files or builds the index again (C-423).
. t/lib.sh
world_start
"$BUILD/t/helper/hostgen" --hosts 2000 | ctl import hosts --quiet - || exit 1
hosts_wait 2000

# answers N: N requests; prints each status and code once.
answers()
{
	_i=0
	while [ "$_i" -lt "$1" ]; do
		api GET "/search/hosts/count?q=services.port:%3E0"
		echo "$STATUS $(field '.error.code // .count')"
		_i=$((_i + 1))
	done | sort -u
}
whole=$(answers 1)
like "$whole" '^200 [0-9]+$' "hosts are counted while the files are whole"

# lost COMMAND...: no request fails when the command loses all that the segments have. surfaced-index is stopped first, then
# it puts files in place.
lost()
{
	world_kill surfaced-index
	_rebuilds=$(rebuilds)
	for file in "$W"/index/*.seg; do
		"$@" "$file"
	done
	_replies="$(answers 10) $(restart)"
	world_index_start
	ok "surfaced-index writes files anew from their copies after $1 (C-423)" world_until 60 in_place
	is "$_replies $(answers 10) $(($(rebuilds) - _rebuilds))" "$whole $whole $whole 0" \
		"files that are lost by $1 take no answer, of running and of new workers, and no rebuild (C-423)"
}
rebuilds() { grep -c 'dataset=hosts .*how=rebuild' "$W/log/surfaced-index.log"; }
# restart: new workers, each of which has looked at the index.
restart()
{
	world_kill surfaced
	world_api_start
	answers 5
}
in_place()
{
	for _file in "$W"/index/*.seg.copy; do
		cmp -s "$_file" "${_file%.copy}" || return 1
	done
}
empty() { : >"$1"; }
zeros() { dd if=/dev/zero of="$1" bs=4096 count=$(($(stat -c %s "$1") / 4096)) conv=notrunc status=none; }
lost empty
lost zeros
lost rm
is "$(grep -c 'worker_died' "$W/log/surfaced.log")" 0 "no worker dies of lost files"

# Copies are compared with their files in the background. The doctor tells of damage that was repaired.
# spoiled WHAT COMMAND...: the command damages the copy of the largest segment.
spoiled()
{
	_what=$1
	shift
	copy=$(find "$W/index" -name 'hosts-*.seg.copy' -printf '%s %p\n' | sort -n | tail -1 | cut -d' ' -f2)
	"$@"
	ok "$_what of a copy is repaired (C-423)" world_until 60 cmp -s "$copy" "${copy%.copy}"
}
flip_copy() { printf '\377\377\377\377' | dd of="$copy" bs=1 seek=50000 conv=notrunc status=none; }
cut_copy() { truncate -s 5000 "$copy"; }
remove_copy() { rm "$copy"; }
_rebuilds=$(rebuilds)
spoiled "a change" flip_copy
spoiled "a cut" cut_copy
spoiled "a loss" remove_copy
is "$(grep -c 'dataset=hosts repaired=.* how=copy' "$W/log/surfaced-index.log") $(rebuilds)" "2 $_rebuilds" \
	"copies that were damaged are logged, and cause no rebuild"
lost rm
damage() { ctl doctor --etc "$W/etc" 2>&1 | grep '^warning *index *hosts: damaged files were found [0-9]* times, at last'; }
like "$(damage)" ' [0-9]+ times' "the doctor tells how often damage was found, after restarts too (C-423)"

# Without copies such an index is built again.
world_kill surfaced-index
echo 'index_copies = no' >>"$W/etc/surfaced-index.conf"
rm "$W"/index/*.copy
for file in "$W"/index/*.seg; do
	truncate -s 8192 "$file"
done
is "$(answers 20)" "503 search_upstream_failed" "cut files give an envelope and never a number"
is "$(grep -c 'worker_died' "$W/log/surfaced.log")" 0 "no worker dies of cut files"
world_index_start
recovered() { [ "$(answers 1)" = "$whole" ]; }
ok "cut files are built again and the same hosts are counted" world_until 60 recovered

file=$(find "$W/index" -name '*.seg' | head -1)
printf '\377\377\377\377\377\377\377\377' | dd of="$file" bs=1 seek=30000 conv=notrunc status=none
is "$(answers 20 | grep -vxF -e "$whole" -e '503 search_upstream_failed')" '' \
	"a changed file gives the right answer or an envelope"
ok "a changed file is built again and the same hosts are counted" world_until 60 recovered
is "$(grep -c 'worker_died' "$W/log/surfaced.log")" 0 "no worker dies of a changed file"

# Less damage than the parity of a file can mend takes no answer at all, and surfaced-index puts a whole file in its place.
# mended WHAT COMMAND...: the command damages the largest segment, whose name is $file.
mended()
{
	_what=$1
	shift
	file=$(find "$W/index" -name 'hosts-*.seg' -printf '%s %p\n' | sort -n | tail -1 | cut -d' ' -f2)
	_inode=$(stat -c %i "$file") _repairs=$(repairs)
	_rebuilds=$(rebuilds)
	"$@"
	is "$(answers 10)" "$whole" "$_what takes no answer (C-423)"
	ok "$_what is noticed and repaired (C-423)" world_until 60 repaired "$_repairs"
	isnt "$(stat -c %i "$file")" "$_inode" "the file with $_what is never mapped again (C-423)"
	is "$(rebuilds)" "$_rebuilds" \
		"$_what causes no rebuild (C-423)"
	is "$(answers 10)" "$whole" "the same hosts are counted after $_what (C-423)"
}
repairs() { grep -c 'dataset=hosts repaired=' "$W/log/surfaced-index.log"; }
repaired() { [ "$(repairs)" -gt "$1" ] && [ -f "$file" ]; }
zero_page() { dd if=/dev/zero of="$file" bs=4096 seek=20 count=1 conv=notrunc status=none; }
flip_bits() { printf '\377\377\377\377\377\377\377\377' | dd of="$file" bs=1 seek=50000 conv=notrunc status=none; }
cut_end() { truncate -s -1500 "$file"; }
remove_file() { rm "$file"; }
mended "a page of zeros" zero_page
mended "eight changed bytes" flip_bits
mended "a lost end" cut_end
mended "a missing file" remove_file
is "$(grep -c 'worker_died' "$W/log/surfaced.log")" 0 "no worker dies of damage that is mended (C-423)"

# A disk that rots changes the content of files and not their times, so nothing but the bounds of each read protects a
# worker. The index has two segments, therefore ordinals. surfaced-index, which would find the damage, does not run.
"$BUILD/t/helper/hostgen" --hosts 300 --start 2000 | ctl import hosts --quiet - || exit 1
two_segments() { [ "$(find "$W/index" -name '*.map' | wc -l)" -ge 1 ] && [ "$(answers 1)" != "$whole" ]; }
ok "the index has a second segment" world_until 60 two_segments
world_kill surfaced-index
whole=$(answers 1)
mkdir "$W/tmp/good"
cp -p "$W"/index/*.seg "$W"/index/*.map "$W/tmp/good"
# rot SEED: puts the good content back, and then, unless SEED is 0, random numbers at 400 random places of each file.
rot()
{
	python3 - "$1" "$W/tmp/good" "$W/index" <<'END'
import os, random, struct, sys

seed, good, index = int(sys.argv[1]), sys.argv[2], sys.argv[3]
random.seed(seed)
for name in sorted(os.listdir(good)):
    path = os.path.join(index, name)
    content = bytearray(open(os.path.join(good, name), "rb").read())
    for _ in range(400 if seed else 0):
        at = random.randrange(len(content) // 4) * 4
        content[at:at + 4] = struct.pack("<I", random.getrandbits(random.randrange(1, 33)))
    times = os.stat(path)
    with open(path, "r+b") as f:
        f.write(content)
    os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
END
}
facets='[{"field":"services.port"},{"field":"services.product"},{"field":"tags"},{"field":"hostnames"},{"field":"asn"},{"field":"services.http.title"}]'
queries='services.port:443 services.product:*ng* tags:c2 (hostnames:example.com+OR+country_code:US) NOT+services:(port:22+AND+product:ssh) last_seen:>2020-01-01 10.0.0.0/8 services.port:{22,80,443}+AND+nginx'
# ask_all: each query as a search, a count and facets; prints each status and code once.
ask_all()
{
	for q in $queries; do
		api GET "/search/hosts?limit=50&q=$q" --globoff
		echo "$STATUS $(field '.error.code // empty')"
		api GET "/search/hosts/count?q=$q" --globoff
		echo "$STATUS $(field '.error.code // empty')"
		api POST /search/hosts/aggregate "{\"query\":\"$(echo "$q" | tr + ' ')\",\"aggregations\":$facets}"
		echo "$STATUS $(field '.error.code // empty')"
	done | sort -u
}
is "$(ask_all)" "200 " "every query is answered while the files are whole"
seed=1
while [ "$seed" -le "${ROUNDS:-12}" ]; do
	rot "$seed"
	ask_all
	seed=$((seed + 1))
done >"$W/tmp/answers"
is "$(sort -u "$W/tmp/answers" | grep -vxF -e '200 ' -e '502 search_upstream_failed' -e '503 search_upstream_failed')" '' \
	"damage of trusted files gives answers or envelopes (C-423)"
is "$(grep -c 'worker_died' "$W/log/surfaced.log")" 0 "no worker dies of damaged numbers (C-423)"
rot 0
is "$(answers 5)" "$whole" "the workers that read damaged files serve whole ones again"

# Workers that start map a file only as its writer left it, or after they have read it whole. mapped: how many mappings of
# segments the workers have together.
mapped()
{
	for _pid in $(pgrep -P "$(world_pid surfaced)"); do
		cat "/proc/$_pid/maps"
	done | grep -c "$W/index/.*\.seg"
}
is "$(restart)" "$whole" "new workers map whole files"
ok "the mappings of the index are seen in /proc" [ "$(mapped)" -ge 2 ]
rot 77
touch "$W"/index/*.seg
is "$(restart)" "503 search_upstream_failed" "new workers refuse damaged files that changed since they were written (C-423)"
is "$(mapped)" 0 "a file that was refused is mapped by no worker (C-423)"
rot 0
is "$(restart)" "$whole" "new workers map the files when they are whole again"

# The writer has the files open and trusts them. It verifies all of them again and again, a part in each pass.
world_index_start
followed() { [ -n "$(find "$W/index" -name hosts.manifest -newer "$W/tmp/answers")" ]; }
ok "the marks of files that changed and are whole are published (C-423)" world_until 60 followed
damages=$(grep -c 'dataset=hosts damaged=' "$W/log/surfaced-index.log")
# counted NUMBER: the metrics have more damages of the index of hosts.
metric() { sql "SELECT value FROM metrics_now() WHERE series = 'surfaced_index_damages_total{dataset=\"hosts\"}'"; }
counted() { [ "$(metric)" -gt "$1" ]; }
metric=$(metric)
rot 99
noticed() { [ "$(grep -c 'dataset=hosts damaged=' "$W/log/surfaced-index.log")" -gt "$damages" ]; }
ok "damage that keeps the times of a file is found in the background (C-423)" world_until 60 noticed
ok "an index with such damage is built again, and the same hosts are counted (C-423)" world_until 60 recovered
ok "damage is added to the metrics of the installation (C-423)" world_until 60 counted "$metric"
is "$(grep -c 'worker_died' "$W/log/surfaced.log")" 0 "no worker dies of such damage (C-423)"
