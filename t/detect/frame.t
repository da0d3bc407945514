#!/bin/sh
# SPDX-License-Identifier: ISC
# The frame of the detectors: kill -9 loses and doubles nothing (C-124), a subject that fails does not stop others, and projects
# take turns.
. t/lib.sh
. t/helper/detect.sh
pg_start
index_start

# reports FROM TO: reports of one indicator each, with the addresses of these numbers: 198.51.100.0 is the first, and a network
# of 256 has 250 of them.
reports()
{
	sql "SELECT count(report_put(jsonb_build_object('uuid', u, 'source_kind', 'native', 'source_ref', u, 'status', 'published',
		'revision', 1, 'title', 'Report', 'threat_actors', e, 'malware_families', e, 'sectors', e, 'techniques', e, 'cves', e,
		'countries', e, 'tags', e, 'imported_at', now(), 'updated_at', now(), 'first_seen', '2026-11-01', 'last_seen', '2026-11-01',
		'truncated', false, 'published_at', '2026-11-01', 'digest', '\\x' || repeat('00', 32)), NULL,
		jsonb_build_array(jsonb_build_object('uuid', gen_random_uuid(), 'type', 'ipv4', 'value', '198.51.' || 100 + n / 250 || '.' || n % 250,
			'disposition', 'indicator', 'confidence', 90, 'occurrences', 1, 'defanged', false, 'labels', e)), '[]',
		decode('7fffffffffffffff', 'hex') || uuid_send(u), '{\"visibility\":\"*\",\"uuid\":\"' || u || '\"}'))
		FROM generate_series($1, $2) AS n, LATERAL (SELECT md5('report' || n)::uuid AS u, '{}'::text[] AS e) AS x" >/dev/null
}
sql "INSERT INTO asset (project_uuid, kind, name, first_seen_at, last_seen_at)
	SELECT '$P', 'address', '198.51.100.' || n, now(), now() FROM generate_series(1, 200) AS n"
detect_start
detect_idle

# Kills wherever the process happens to be while reports come.
busy() { [ "$(sql "SELECT count(*) FROM pg_stat_activity WHERE usename = 'surfaced_detect' AND state <> 'idle'")" -gt 0 ] || quiet; }
quiet() { [ "$(sql "SELECT count(*) FROM detector_work")" = 0 ]; }
for n in 0 1 2 3; do
	reports $((n * 25 + 1)) $((n * 25 + 25))
	world_until 30 busy
	# shellcheck disable=SC2046 # pids
	kill -KILL $(pgrep -P "$(world_pid surfaced-detect)") 2>/dev/null
done
detect_idle
is "$(sql "SELECT count(*) FROM finding WHERE status = 'open'") $(sql "SELECT count(*) FROM finding_event")" "100 100" \
	"after four kills each asset has its finding, and each finding one event (C-124)"

# In the middle of a transaction: a write waits for a lock that the test holds, and the process is killed there.
sql "CREATE FUNCTION hold() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_advisory_xact_lock(77); RETURN NEW; END'"
waits() { [ "$(sql "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND objid = 77 AND NOT granted")" -gt 0 ]; }
waits_no_more() { ! waits; }
held() { [ "$(sql "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND objid = 77 AND granted")" = 1 ]; }
mkfifo "$W/holder"
n=100
for table in detector_work detector_finding finding detector_state; do
	psql -XqAt -v ON_ERROR_STOP=1 <"$W/holder" >/dev/null 2>&1 &
	exec 3>"$W/holder"
	echo "SELECT pg_advisory_lock(77);" >&3
	world_until 30 held
	sql "CREATE TRIGGER hold BEFORE INSERT OR UPDATE ON $table FOR EACH ROW WHEN (session_user = 'surfaced_detect') EXECUTE FUNCTION hold()"
	reports $((n + 1)) $((n + 10))
	n=$((n + 10))
	ok "a process is in the middle of a write of $table" world_until 30 waits
	# shellcheck disable=SC2046 # pids
	kill -KILL $(pgrep -P "$(world_pid surfaced-detect)")
	ok "the server ends what it had begun in $table" world_until 30 waits_no_more
	sql "DROP TRIGGER hold ON $table"
	printf '%s\n' '\q' >&3
	exec 3>&-
	detect_idle
done
is "$(sql "SELECT count(*) FROM finding WHERE status = 'open'") $(sql "SELECT count(*) FROM finding_event") $(sql "SELECT count(*) FROM detector_work")" \
	"140 140 0" "nothing was lost or stored twice, and no work is left (C-124)"
is "$(sql "SELECT count(*) FROM detector_hand")" 0 "the table detector_hand is empty at the end"

# A subject that cannot be stored.
sql "ALTER TABLE finding ADD CONSTRAINT poison CHECK (finding_key <> 'indicator/ipv4/198.51.100.150')"
reports 141 160
looked() { [ "$(sql "SELECT count(*) FROM finding WHERE status = 'open'")" = 159 ]; }
ok "the other subjects of a look that fails are stored (C-836)" world_until 30 looked
is "$(sql "SELECT subject, tries > 0 FROM detector_work")" "198.51.100.150|t" "the subject that fails stays, and is tried again later (C-836)"
is "$(sql "SELECT error FROM detector_state WHERE detector = 'threat-indicators'")" \
	"The look failed; the log of surfaced-detect has the reason." "the state of the detector points to the log, and quotes no database"
like "$(cat "$W/log/surfaced-detect.log")" poison "the log of surfaced-detect has the reason of the failed look"
sql "ALTER TABLE finding DROP CONSTRAINT poison; UPDATE detector_work SET due_at = now(); NOTIFY detect_work"
looked() { [ "$(sql "SELECT count(*) FROM finding WHERE status = 'open'")" = 160 ]; }
ok "a subject that failed is stored when its next look succeeds" world_until 30 looked
is "$(sql "SELECT coalesce(error, '-') FROM detector_state WHERE detector = 'threat-indicators'")" - "the state of the detector has no error when every subject has succeeded"
LOG_EXPECTED=poison

# Much work of one project and little of another, which comes after it by its UUID. A look takes 500 addresses.
set -- "$P" "$(ctl --json projects create --account "$ACCOUNT" Little | jq -er .project.uuid)"
[ "$1" = "$(printf '%s\n' "$@" | sort | head -n 1)" ] || set -- "$2" "$1"
world_kill surfaced-detect
sql "INSERT INTO asset (project_uuid, kind, name, first_seen_at, last_seen_at)
	SELECT CASE n WHEN 1301 THEN '$2'::uuid ELSE '$1' END, 'address', '198.51.' || 100 + n / 250 || '.' || n % 250, now(), now()
	  FROM generate_series(300, 1301) AS n"
reports 300 1301
n=$(sql "SELECT max(id) FROM finding_event")
detect_start
detect_idle
is "$(sql "SELECT count(*) FROM finding_event WHERE id > $n AND project_uuid = '$1' AND id < (
	SELECT id FROM finding_event WHERE id > $n AND project_uuid = '$2')")" 500 "projects take turns: the second one waits for one look of the first (C-836)"
is "$(sql "SELECT count(*) FROM finding_event WHERE id > $n")" 1002 "every address of both projects has its finding"
