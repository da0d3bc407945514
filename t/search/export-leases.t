#!/bin/sh
# SPDX-License-Identifier: ISC
# An export whose next step takes longer than its lease stays with its writer: the lock of the file shows that the writer
# lives (C-413).
. t/lib.sh
WORLD_CONF='export_lease = 100
export_poll = 10
export_checkpoint = 1
export_workers = 3'
world_start
"$BUILD/t/helper/hostgen" --hosts 3000 --seed 3 | ctl import hosts - >/dev/null
hosts_wait 3000
export_start

yields() { [ "$(grep -c "export=$UUID .*result=yielded" "$W/log/surfaced-export.log")" -ge "$1" ]; }
complete() { [ "$(sql "SELECT state FROM search_export WHERE uuid = '$UUID'")" = complete ]; }

# The reading of documents waits for this lock as long as the pipe is open.
mkfifo "$W/tmp/hold"
psql -Xq <"$W/tmp/hold" &
holder=$!
exec 9>"$W/tmp/hold"
echo "BEGIN; LOCK TABLE record_hosts IN ACCESS EXCLUSIVE MODE; \\! touch $W/tmp/held" >&9
held() { [ -e "$W/tmp/held" ]; }
ok "the documents are locked" world_until 10 held
api POST /search/hosts/exports '{"query":"*","compression":"identity"}'
UUID=$(field .export.uuid)
ok "other writers leave an export whose file is locked to its writer" world_until 30 yields 3
exec 9>&-
wait "$holder"
ok "the export is written when its documents can be read" world_until 30 complete
is "$(sql "SELECT epoch || ' ' || resumed FROM search_export WHERE uuid = '$UUID'")" "1 0" \
	"the first writer has written it, without an interruption"
is "$(tail -1 "$W/exports/$UUID.ndjson")" '{"end":{"records":3000,"gone":0,"resumed":0,"complete":true}}' \
	"the file has every record"
