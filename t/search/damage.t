#!/bin/sh
# SPDX-License-Identifier: ISC
# Files of the index that are cut or changed under running workers: each request gets the right answer or an
# envelope, no worker dies, and surfaced-index builds the index again (C-423).
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
world_kill surfaced-index
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
