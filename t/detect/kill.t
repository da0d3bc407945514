#!/bin/sh
# SPDX-License-Identifier: ISC
# kill -9 of surfaced-detect at its statements, while documents and rules change: what is stored equals an undisturbed run
# (C-124, C-154); a transaction that commits last is not missed (C-125).
#   KILLS, CHANGES: how often, and over how many documents, with rules and all detectors; make campaign-detect is the long form
. t/lib.sh
. t/helper/detect.sh
pg_start
index_start

KILLS=${KILLS:-6} CHANGES=${CHANGES:-400}

# ---- rules and all detectors, beside an undisturbed run ----

# Ten kills in a round, and 40 documents at least; the data are of the 20 days before today.
ROUNDS=$(((KILLS + 9) / 10 > 3 ? (KILLS + 9) / 10 : 3))
T0=${T0:-$(($(date +%s) / 86400 * 86400 - 20 * 86400))}
at() { date -u -d "@$((T0 + $1 * 20 * 86400 / ROUNDS))" +%Y-%m-%dT%H:%M:%SZ; }
# everything: a world in which every detector and three rules have something to find.
everything()
{
	token=$(python3 t/helper/secrets.py github 1)
	sql "INSERT INTO asset (project_uuid, kind, name, metadata, first_seen_at, last_seen_at)
			SELECT '$P'::uuid, 'domain', 'acme.com', '{\"seed\": true}'::jsonb, now(), now()
			UNION ALL SELECT '$P', 'address', '198.51.100.' || n, '{}', now(), now() FROM generate_series(1, 30) AS n;
		INSERT INTO watched_domain (project_uuid, domain) VALUES ('$P', 'paypal.com')"
	printf '{"uuid":"0190a8c1-0000-7000-8000-000000000001","title":"R","publisher":"A","published_at":"%s","indicators":[%s]}\n' "$(at 0)" \
		"$(seq -f '{"type":"ipv4","value":"198.51.100.%g"}' -s , 1 20)" | ctl import reports - >/dev/null || diag "reports"
	rule_new >/dev/null
	detect_rule hosts all 'services.port:90' "name='all'" "uuid='00000000-0000-4000-8000-000000000001'" >/dev/null
	detect_rule services surface 'port:91' "name='surface'" "uuid='00000000-0000-4000-8000-000000000002'" account_uuid=NULL \
		"content_sha256='$(printf x | sha256sum | cut -c1-64)'" \
		"produces='{\"area\":\"service\",\"exposure_kind\":\"database\",\"rank\":1,\"title\":\"At {ip}:{port}\"}'" >/dev/null
	detect_start
	alert_start
	detect_idle
}
# round N: documents, of which many change from round to round; a third are hosts, and two thirds DNS. What a detector finds is
# there or not for two days at least, so that findings end and come back however many rounds there are: `phase` counts these times.
# Half of the hosts have names below the seed of the inventory.
round()
{
	python3 - "$1" "$ROUNDS" "$((CHANGES / ROUNDS))" "$(at "$1")" "$token" "$W" <<'END'
import json, sys
r, rounds, n, at, token, w = *map(int, sys.argv[1:4]), *sys.argv[4:]
phase = r * 8 // rounds
address = lambda i: f"198.51.{100 + i // 30}.{i % 30 + 1}"
with open(w + "/hosts", "w") as f:
    for i in range(n // 3):
        banner = "hello token=" + token if i % 40 == 7 and phase % 4 < 2 else "hello"
        print(json.dumps({"ip": address(i), "first_seen": at, "last_seen": at, "services": [
            {"port": 90 + (i + (r if i % 4 < 2 else phase % 4 // 2)) % 2, "transport": "tcp", "banner": banner, "first_seen": at,
             "last_seen": at}]}), file=f)
with open(w + "/dns", "w") as f:
    for i in range(n // 3):
        target = f"x{i}.eu-west-1.elasticbeanstalk.com"
        dns = {"first_seen": at, "last_seen": at}
        print(json.dumps({"host": f"n{i}.acme.com", "record_type": "CNAME", "rcode": "NOERROR", "answer": target, **dns}), file=f)
        if i % 2 == 0:
            print(json.dumps({"host": f"a{i}.acme.com", "record_type": "A", "rcode": "NOERROR", "answer": address(i), **dns}), file=f)
        gone = i % 5 == phase % 5
        print(json.dumps({"host": target, "record_type": "A", **({"rcode": "NXDOMAIN"} if gone else
            {"rcode": "NOERROR", "answer": "192.0.2.7"}), **dns}), file=f)
    for i in range(r * 5, r * 5 + 5):
        print(json.dumps({"host": f"paypal-w{i}.com", "record_type": "A", "rcode": "NOERROR", "answer": "192.0.2.7", **dns}), file=f)
END
	ctl import hosts --quiet --replace-ports 1-65535 "$W/hosts" 2>"$W/err" || diag "$(cat "$W/err")"
	ctl import dns --quiet "$W/dns" 2>"$W/err" || diag "$(cat "$W/err")"
}
alerted() { [ "$(sql "SELECT count(*) FROM alert_change_waiting")" = 0 ]; }
# The state without what differs from world to world: the project, and fingerprints of secrets, which are made with it. The evidence
# of a resolved finding is left out: how many of its places were gone when it was last shown depends on which were looked at together.
state()
{
	detect_idle
	world_until 60 alerted
	sql "SELECT regexp_replace(finding_key, '[0-9a-f]{32}\$', ''), status, severity, confidence, first_seen_at, last_seen_at,
			CASE WHEN status <> 'resolved' THEN md5((evidence - 'fingerprint')::text) END, (SELECT string_agg(concat_ws(' ', e.event, e.to_status, e.severity), ',' ORDER BY e.id)
				FROM finding_event e WHERE e.finding_uuid = f.uuid),
			(SELECT string_agg(concat_ws(' ', a.state, a.severity), ',' ORDER BY a.created_at) FROM alert a WHERE a.source_uuid = f.uuid)
		FROM finding f ORDER BY 1;
		SELECT r.name, o.record_key, o.state, o.gone_reason, o.returns, o.first_seen_at, o.last_seen_at,
			(SELECT string_agg(e.event, ' ' ORDER BY e.id) FROM observation_event e WHERE e.observation_uuid = o.uuid)
		FROM rule_observation o JOIN rule_run n ON n.uuid = o.run_uuid JOIN rule r ON r.uuid = n.rule_uuid ORDER BY 1, 2;
		SELECT kind, name, first_seen_at, last_seen_at FROM asset WHERE discovery_channel = 'dataset' ORDER BY 1, 2;
		SELECT service_key, last_seen_at FROM asset_service ORDER BY 1;
		SELECT regexp_replace(subject, '[0-9a-f-]{36}', ''), part, item, last_seen_at, gone_at FROM secret_place ORDER BY 1, 2, 3;
		SELECT found, class, score, reported FROM lookalike_candidate ORDER BY 1"
}
everything
if [ -n "${REFERENCE-}" ]; then
	for n in $(seq 0 $((ROUNDS - 1))); do
		round "$n"
		detect_idle
	done
	state >"$REFERENCE"
	exit 0
fi
works() { [ "$(sql "SELECT count(*) FROM pg_stat_activity WHERE usename = 'surfaced_detect' AND state <> 'idle'")" -gt 0 ] || rests; }
rests() { [ "$(sql "SELECT count(*) FROM detector_work WHERE due_at <= now()")" = 0 ]; }
killed=0
for n in $(seq 0 $((ROUNDS - 1))); do
	round "$n" &
	feeder=$!
	for _ in $(seq 1 $(((KILLS - killed) / (ROUNDS - n)))); do
		world_until 30 works
		# shellcheck disable=SC2046 # pids
		kill -KILL $(pgrep -P "$(world_pid surfaced-detect)") 2>/dev/null
		killed=$((killed + 1))
	done
	wait "$feeder"
	detect_idle
done
state >"$W/disturbed"
T0=$T0 REFERENCE="$W/reference" KILLS=$KILLS CHANGES=$CHANGES sh t/detect/kill.t >"$W/reference.tap" 2>&1
diff "$W/reference" "$W/disturbed" >"$W/differences"
is "$(head -5 "$W/differences")" "" "findings, observations, events, alerts and assets after $killed kills are those of an undisturbed run (C-124)"
all="dangling-dns rules secrets threat-indicators typosquatting"
is "$(sql "SELECT string_agg(DISTINCT detector, ' ' ORDER BY detector) FROM finding")" "$all" "every detector has found something"
is "$(sql "SELECT string_agg(DISTINCT kind, ' ' ORDER BY kind) FROM asset WHERE discovery_channel = 'dataset'") $(sql "SELECT count(*) > 0
	FROM asset_service WHERE discovery_channel = 'dataset'")" "address host t" "the inventory has found names, addresses and services"
is "$(sql "SELECT string_agg(DISTINCT f.detector, ' ' ORDER BY f.detector) FROM alert a JOIN finding f ON f.uuid = a.source_uuid")" "$all" \
	"findings of every detector have raised alerts"
is "$(sql "SELECT string_agg(DISTINCT f.detector || ' ' || e.event, ', ' ORDER BY f.detector || ' ' || e.event) FROM finding_event e
	JOIN finding f ON f.uuid = e.finding_uuid WHERE e.event IN ('clear', 'seen_again')")" \
	"dangling-dns clear, dangling-dns seen_again, rules clear, rules seen_again, secrets clear, secrets seen_again" \
	"findings that data contradict have ended, and those that data show again have come back"
is "$(sql "SELECT string_agg(DISTINCT event, ' ' ORDER BY event) FROM observation_event")" "appeared gone returned" \
	"observations have appeared, gone and returned"
[ "$(wc -l <"$W/reference")" -gt 60 ]
result $? "the undisturbed run has stored something"
world_kill surfaced-alert
world_kill surfaced-detect
sql "SET client_min_messages = error; TRUNCATE rule CASCADE; DELETE FROM watched_domain" >/dev/null
KILLS=$((KILLS > 6 ? 6 : KILLS))

# ---- a rule, and a process that stands by ----

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
is "$(sql "SELECT count(*) FROM rule_observation WHERE state = 'active'")" 800 "the waiting process finds everything after $killed kills (C-124)"
is "$(sql "SELECT count(*) FROM observation_event")" 800 "each observation has one event, so nothing was stored twice (C-124)"
is "$(sql "SELECT string_agg(active_count || ' ' || a.active || ' ' || a.appeared, ', ') FROM rule_run n JOIN rule_activity a ON a.run_uuid = n.uuid")" \
	"400 400 400, 400 400 400" "the counts of the runs and of the day are those of the observations (C-124)"
is "$(sql "SELECT count(*) FROM rule_observation WHERE last_seen_at < '2026-11-21'")" 0 "each observation has the last time of its data"

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
is "$(stored first | grep -c '^198.51.0.2|')" 0 "the document of the older transaction is not observed yet"
echo "COMMIT;" >&3
exec 3>&-
late() { stored first | grep -q '^198.51.0.2|active'; }
ok "a document of the transaction that commits last is evaluated (C-125)" world_until 30 late
world_kill second
