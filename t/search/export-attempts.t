#!/bin/sh
# SPDX-License-Identifier: ISC
# An export whose writers die again and again before its file grows fails, and its records go back to the quota; a
# complete one never costs more than was counted (C-413).
. t/lib.sh
WORLD_CONF='export_lease = 100
export_poll = 10
export_checkpoint = 1
export_workers = 1'
world_start
"$BUILD/t/helper/hostgen" --hosts 500 --seed 3 | ctl import hosts - >/dev/null
hosts_wait 500
export_start

row() { sql "SELECT $1 FROM search_export WHERE uuid = '$UUID'"; }
attempted() { [ "$(row "(attempts >= $1 OR finished_at IS NOT NULL)::int")" = 1 ]; }
ended() { [ "$(row "(finished_at IS NOT NULL)::int")" = 1 ]; }
charged() { sql "SELECT charged FROM export_month"; }
attempts=$(sed -n 's/^LIMIT(EXPORT_ATTEMPTS,[[:space:]]*\([0-9]*\),.*/\1/p' src/tbl/limits.h)

# hold: the reading of documents waits until release.
hold()
{
	rm -f "$W/tmp/hold" "$W/tmp/held"
	mkfifo "$W/tmp/hold"
	psql -Xq <"$W/tmp/hold" &
	holder=$!
	exec 9>"$W/tmp/hold"
	echo "BEGIN; LOCK TABLE record_hosts IN ACCESS EXCLUSIVE MODE; \\! touch $W/tmp/held" >&9
	world_until 10 held
}
held() { [ -e "$W/tmp/held" ]; }
release()
{
	exec 9>&-
	wait "$holder"
}

ok "the documents are locked" hold
api POST /search/hosts/exports '{"query":"*"}'
UUID=$(field .export.uuid)
is "$(charged)" 500 "the matches of a new export are taken from the quota"
kills=0
while [ "$kills" -lt $((3 * attempts)) ] && ! ended; do
	world_until 30 attempted 1 || break
	last=$(row attempts)
	# shellcheck disable=SC2046 # a list of processes
	kill -KILL $(pgrep -P "$(world_pid surfaced-export)") 2>/dev/null
	kills=$((kills + 1))
	world_until 30 attempted $((last + 1)) || break
done
diag "$kills kills"
is "$(row "state || ' ' || error")" "failed attempts_failed" \
	"an export fails when $attempts processes have died while they wrote it and its file has not grown"
is "$(charged)" 0 "an export that failed after too many attempts returns its records to the quota"
gone() { [ -z "$(find "$W/exports" -name "$UUID*")" ]; }
ok "the file of an export that failed after too many attempts is removed" world_until 30 gone
release

# Without its directory no process can begin: what was counted before stays counted.
mv "$W/exports" "$W/exports.away"
given_up() { [ "$(grep -c "export=$UUID .*result=left" "$W/log/surfaced-export.log")" -ge 3 ]; }
api POST /search/hosts/exports '{"query":"*"}'
UUID=$(field .export.uuid)
sql "UPDATE search_export SET attempts = 3 WHERE uuid = '$UUID'"
ok "an export that cannot begin is given up again and again" world_until 30 given_up
is "$(row attempts)" 3 "giving up an attempt that had not begun takes no earlier attempt back"
api DELETE "/search/exports/$UUID"
sql "DELETE FROM search_export WHERE uuid = '$UUID'; UPDATE export_month SET charged = 0"
mv "$W/exports.away" "$W/exports"

# A later index has more matches than were counted.
ok "the documents are locked again" hold
api POST /search/hosts/exports '{"query":"*","compression":"identity"}'
UUID=$(field .export.uuid)
sql "UPDATE search_export SET charged = 400 WHERE uuid = '$UUID'; UPDATE export_month SET charged = 400"
release
ok "an export is written after the documents can be read" world_until 30 ended
is "$(row "state || ' ' || written || ' ' || charged") $(charged)" "complete 500 400 400" \
	"a complete export costs at most the records that were counted when it was created"
