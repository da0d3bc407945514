#!/bin/sh
# SPDX-License-Identifier: ISC
# kill -9 of surfaced-detect at its statements, while documents and rules change: what is stored equals an undisturbed run
# (C-124, C-154); a transaction that commits last is not missed (C-125).
#   KILLS: how often
. t/lib.sh
. t/helper/detect.sh
pg_start
index_start

KILLS=${KILLS:-6}
hosts()
{
	seq "$1" "$2" | while read -r n; do
		echo "{\"ip\":\"198.51.$((n / 256)).$((n % 256))\",\"first_seen\":\"2026-11-20T00:00:00Z\",\"last_seen\":\"2026-11-$3T00:00:00Z\",\"services\":[{\"port\":$((n % 3 + 80)),\"transport\":\"tcp\",\"first_seen\":\"2026-11-20T00:00:00Z\",\"last_seen\":\"2026-11-$3T00:00:00Z\"}]}"
	done | {
		import --format ndjson --replace-ports 1-65535 -
		[ "$STATUS" -eq 0 ] || diag "$ERR"
	}
}
stored()
{
	sql "SELECT o.record_key, o.state, o.gone_reason, o.returns, o.rule_version, o.first_seen_at, o.last_seen_at,
			(SELECT string_agg(e.event, ' ' ORDER BY e.id) FROM observation_event e WHERE e.observation_uuid = o.uuid)
		FROM rule_observation o JOIN rule_run n ON n.uuid = o.run_uuid JOIN rule r ON r.uuid = n.rule_uuid WHERE r.name = '$1'
		ORDER BY 1"
}

detect_rule hosts all 'services.port:80' "name='first'" >/dev/null
hosts 1 1200 20
detect_start
detect_idle
is "$(stored first | wc -l)" 400 "all hosts that match are observed"

# Two processes: one stands by.
world_spawn second "$BIN/surfaced-detect" -c "$W/etc/surfaced-detect.conf"

# Kills between two turns and within them, wherever the process happens to be while it is busy.
busy() { [ "$(sql "SELECT count(*) FROM pg_stat_activity WHERE usename = 'surfaced_detect' AND state <> 'idle'")" -gt 0 ] || moved; }
moved() { [ "$(sql "SELECT count(*) FROM detect_work WHERE due_at <= now()")" = 0 ]; }
killed=0
detect_rule hosts all 'services.port:81' "name='second'" >/dev/null
while [ "$killed" -lt "$KILLS" ]; do
	hosts $((killed * 200 + 1)) $((killed * 200 + 200)) $((21 + killed % 3)) &
	feeder=$!
	world_until 30 busy
	# shellcheck disable=SC2046 # pids
	kill -KILL $(pgrep -P "$(world_pid surfaced-detect)") $(pgrep -P "$(world_pid second)") 2>/dev/null
	wait "$feeder"
	killed=$((killed + 1))
done
world_kill surfaced-detect
detect_idle
is "$(sql "SELECT count(*) FROM rule_observation WHERE state = 'active'")" 800 "the process that stood by finds everything after $killed kills (C-124)"
is "$(sql "SELECT count(*) FROM observation_event")" 800 "each observation has one event, so nothing was stored twice (C-124)"
is "$(sql "SELECT string_agg(active_count || ' ' || a.active || ' ' || a.appeared, ', ') FROM rule_run n JOIN rule_activity a ON a.run_uuid = n.uuid")" \
	"400 400 400, 400 400 400" "the counts of the runs and of the day are those of the observations (C-124)"
is "$(sql "SELECT count(*) FROM rule_observation WHERE last_seen_at < '2026-11-21'")" 0 "each has the last time of its data"

# ---- in the middle of a transaction ----

# A write of this table waits for a lock that the test holds, and the process is killed there: before anything of its
# transaction is committed.
sql "CREATE FUNCTION hold() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_advisory_xact_lock(77); RETURN NEW; END'"
waits() { [ "$(sql "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND objid = 77 AND NOT granted")" -gt 0 ]; }
waits_no_more() { ! waits; }
mkfifo "$W/holder"
n=0
for table in rule_observation observation_event rule_run rule_activity detect_cursor detect_work; do
	n=$((n + 1))
	psql -XqAt -v ON_ERROR_STOP=1 <"$W/holder" >/dev/null 2>&1 &
	exec 3>"$W/holder"
	echo "SELECT pg_advisory_lock(77);" >&3
	held() { [ "$(sql "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND objid = 77 AND granted")" = 1 ]; }
	world_until 30 held
	sql "CREATE TRIGGER hold BEFORE INSERT OR UPDATE ON $table FOR EACH ROW WHEN (session_user = 'surfaced_detect')
		EXECUTE FUNCTION hold()"
	hosts $((1200 + n * 60 + 1)) $((1200 + n * 60 + 60)) 23
	[ $table != detect_work ] || sql "UPDATE rule SET version = version + 1 WHERE name = 'second'"
	ok "a process is in the middle of a write of $table" world_until 30 waits
	# shellcheck disable=SC2046 # pids
	kill -KILL $(pgrep -P "$(world_pid second)")
	ok "the server ends what it had begun" world_until 30 waits_no_more
	sql "DROP TRIGGER hold ON $table"
	printf '%s\n' '\q' >&3
	exec 3>&-
	detect_idle
done
is "$(sql "SELECT count(*) || ' ' || sum(returns) FROM rule_observation WHERE state = 'active'") $(sql "SELECT count(*) FROM observation_event")" \
	"1040 0 1040" "nothing was lost or stored twice (C-124)"
is "$(sql "SELECT count(*) FROM rule_observation o JOIN record r ON r.dataset = 1 AND r.key = o.document_key
	WHERE (r.doc::jsonb ->> 'last_seen')::timestamptz <> o.last_seen_at")" 0 "every observation has the time of its document (C-124)"

# ---- a writer that commits last ----

mkfifo "$W/late"
psql -XqAt -v ON_ERROR_STOP=1 <"$W/late" >/dev/null 2>&1 &
exec 3>"$W/late"
echo "BEGIN; UPDATE record SET doc = replace(doc, '\"port\":82', '\"port\":80') WHERE dataset = 1 AND key = '\x04c6330002';" >&3
open_now() { [ "$(sql "SELECT count(*) FROM pg_stat_activity WHERE state = 'idle in transaction' AND backend_xid IS NOT NULL")" = 1 ]; }
world_until 30 open_now
detect_host 203.0.113.1 2026-11-23T00:00:00Z '{"port":80,"transport":"tcp"}'
seen() { stored first | grep -q 203.0.113.1; }
ok "a later transaction is evaluated while an older one is open" world_until 30 seen
is "$(stored first | grep -c '^198.51.0.2|')" 0 "the older one is not visible yet"
echo "COMMIT;" >&3
exec 3>&-
late() { stored first | grep -q '^198.51.0.2|active'; }
ok "a document of the transaction that commits last is evaluated (C-125)" world_until 30 late
world_kill second
