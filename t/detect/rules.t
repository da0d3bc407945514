#!/bin/sh
# SPDX-License-Identifier: ISC
# surfaced-detect from a rule and an import to observations: they appear, end and return (C-153), are found in data that
# were there before (C-154), and end as time goes by (C-155).
. t/lib.sh
. t/helper/detect.sh
pg_start
index_start
detect_start

# ---- new data ----

redis=$(detect_rule hosts all 'services.product:redis')
detect_idle
detect_host 192.0.2.7 2026-11-20T00:00:00Z '{"port":6379,"transport":"tcp","product":"Redis"}'
detect_host 192.0.2.8 2026-11-20T00:00:00Z '{"port":22,"transport":"tcp","product":"OpenSSH"}'
detect_idle
is "$(observed "$redis")" "192.0.2.7 active - 0" "a host that a rule finds is observed after its import (C-153)"
is "$(sql "SELECT o.record::text || ' ' || o.matched::text || ' ' || o.first_seen_at || ' ' || o.rule_version FROM rule_observation o")" \
	'{"ip": "192.0.2.7"} [{"field": "services.product", "value": "Redis"}] 2026-11-20 00:00:00+00 1' \
	"an observation has the record, the test that passed and the data's time"
uuid=$(sql "SELECT uuid FROM rule_observation")
rows=$(sql "SELECT md5(string_agg(o::text, ' ' ORDER BY uuid)) FROM rule_observation o")
detect_host 192.0.2.7 2026-11-20T00:00:00Z '{"port":6379,"transport":"tcp","product":"Redis"}'
sql "UPDATE record SET doc = doc" # an import would not write it
detect_idle
is "$(sql "SELECT md5(string_agg(o::text, ' ' ORDER BY uuid)) FROM rule_observation o")" "$rows" \
	"documents that are written again unchanged change no observation (C-127)"
detect_host 192.0.2.7 2026-11-21T00:00:00Z '{"port":6379,"transport":"tcp","product":"KeyDB"}'
detect_idle
is "$(observed "$redis")" "192.0.2.7 gone changed 0" "an observation ends with the reason changed when its record no longer matches (C-153)"
detect_host 192.0.2.7 2026-11-22T00:00:00Z '{"port":6379,"transport":"tcp","product":"Redis"}'
detect_idle
is "$(observed "$redis") $(sql "SELECT uuid FROM rule_observation")" "192.0.2.7 active - 1 $uuid" \
	"an observation returns with the same uuid (C-153)"
is "$(sql "SELECT string_agg(event, ' ' ORDER BY changed, id) FROM observation_event")" "appeared gone returned" \
	"each move is an event"
is "$(sql "SELECT active || ' ' || appeared || ' ' || gone FROM rule_activity")" "1 2 1" "the day counts the moves"
is "$(sql "SELECT active_count || ' ' || state || ' ' || anchored || ' ' || uses_now FROM rule_run")" "1 current true false" \
	"the run counts what is active"
sql "SELECT record_remove(1::smallint, key) FROM record WHERE dataset = 1 AND doc LIKE '%192.0.2.7\"%'" >/dev/null
detect_idle
is "$(observed "$redis")" "192.0.2.7 gone removed 1" "an observation ends with the reason removed when its record is deleted"

# ---- services, and old data ----

ssh=$(detect_rule services all 'port:22 product:openssh')
detect_idle
is "$(observed "$ssh")" "192.0.2.8/22/tcp active - 0" "a new rule finds what was there before (C-154)"
detect_host 192.0.2.9 2026-11-20T00:00:00Z '{"port":22,"transport":"tcp","product":"OpenSSH"},{"port":2222,"transport":"tcp","product":"OpenSSH"}'
detect_idle
is "$(observed "$ssh")" "192.0.2.8/22/tcp active - 0
192.0.2.9/22/tcp active - 0" "a rule of services is tried on each service of a host"
detect_host 192.0.2.9 2026-11-21T00:00:00Z '{"port":2222,"transport":"tcp","product":"OpenSSH"}'
detect_idle
is "$(observed "$ssh" | tail -1)" "192.0.2.9/22/tcp gone removed 0" "a service that has left its host was removed"

# ---- rules change ----

sql "UPDATE rule SET query = 'product:openssh', version = 2 WHERE uuid = '$ssh'"
detect_idle
is "$(observed "$ssh")" "192.0.2.8/22/tcp active - 0
192.0.2.9/22/tcp gone removed 0
192.0.2.9/2222/tcp active - 0" "a rule with a new query finds more (C-154)"
sql "UPDATE rule SET query = 'port:2222', version = 3 WHERE uuid = '$ssh'"
detect_idle
is "$(observed "$ssh")" "192.0.2.8/22/tcp gone rule_changed 0
192.0.2.9/22/tcp gone removed 0
192.0.2.9/2222/tcp active - 0" "what a new query finds no more has gone, since the rule has changed"
sql "INSERT INTO rule_setting (account_uuid, rule_uuid, enabled, exclude) VALUES ('$ACCOUNT', '$ssh', true, 'ip:192.0.2.9')"
detect_idle
is "$(sql "SELECT string_agg(coalesce(account_uuid::text, 'all') || ' ' || live, ' ' ORDER BY live) FROM rule_run WHERE rule_uuid = '$ssh'")" \
	"all false $ACCOUNT true" "an account with an exclude of its own has a run of its own (C-826)"
over() { [ "$(observed "$ssh" | grep -c active)" = 0 ]; }
ok "the former run ends, and what the exclude finds is not observed" world_until 30 over
sql "UPDATE rule_setting SET exclude = 'ip:192.0.2.8'"
detect_idle
is "$(observed "$ssh" | grep active)" "192.0.2.9/2222/tcp active - 0" "another exclude of the setting is evaluated at once"
sql "UPDATE rule_setting SET exclude = 'ip:192.0.2.9'"
detect_idle
is "$(observed "$ssh" | grep -c excluded)" 1 "what the exclude finds has gone, since it is excluded (C-825)"
sql "DELETE FROM rule_setting"
detect_idle
is "$(observed "$ssh" | grep active)" "192.0.2.9/2222/tcp active - 1" "a run that is wanted again goes on with its observations"
sql "UPDATE rule SET status = 'deprecated' WHERE uuid = '$ssh'"
ok "the observations of a rule that ends have gone, since the rule has ended" world_until 30 over
is "$(observed "$ssh" | grep 2222 | tail -1)" "192.0.2.9/2222/tcp gone rule_ended 1" "an observation that ends with its rule says so (C-825)"

# ---- time ----

recent=$(detect_rule hosts all 'last_seen>now-7d services.port:8443')
seen() { date -u -d "@$(($(date +%s) - $1))" +%Y-%m-%dT%H:%M:%SZ; }
detect_host 192.0.2.20 "$(seen 600000)" '{"port":8443,"transport":"tcp"}'
detect_idle
is "$(observed "$recent") $(sql "SELECT uses_now FROM rule_run WHERE rule_uuid = '$recent'")" "192.0.2.20 active - 0 t" \
	"a rule that depends on the time observes a recent host"
is "$(sql "SELECT due_at BETWEEN now() + interval '50 minutes' AND now() + interval '1 hour' FROM detect_work")" t \
	"a rule that depends on the time is evaluated again within an hour (C-155)"
# The document ages without a change that is followed: its row keeps the transaction of its import.
sql "SET session_replication_role = replica; UPDATE record SET doc = replace(doc, '$(seen 600000 | cut -c1-13)', '$(seen 700000 | cut -c1-13)')
	WHERE dataset = 1 AND doc LIKE '%192.0.2.20\"%'"
sql "UPDATE detect_work SET due_at = now()"
detect_idle
is "$(observed "$recent")" "192.0.2.20 gone changed 0" "a record that has become too old is no longer observed, without an import (C-155)"

stale=$(detect_rule hosts all 'services.port:9443')
detect_host 192.0.2.30 "$(seen 2400000)" '{"port":9443,"transport":"tcp"}'
detect_idle
is "$(observed "$stale")" "192.0.2.30 active - 0" "a host that was seen four weeks ago is observed"
sql "UPDATE rule_observation SET last_seen_at = now() - interval '31 days' WHERE record_key = '192.0.2.30'"
gone() { [ "$(observed "$stale")" = "192.0.2.30 gone stale 0" ]; }
ok "a host that nobody has seen for 30 days has gone as stale (C-825)" world_until 30 gone
detect_host 192.0.2.31 "$(seen 2700000)" '{"port":9443,"transport":"tcp"}'
detect_idle
is "$(observed "$stale" | grep -c 31)" 0 "a host that is older already is not observed"

# ---- other datasets ----

name=$(detect_rule dns all 'host:example.org record_type:A')
whois=$(detect_rule whois all 'domain:example.net')
echo '{"host":"www.example.org","record_type":"A","answer":"192.0.2.1","first_seen":"2026-11-01T00:00:00Z","last_seen":"2026-11-02T00:00:00Z"}' |
	import_records dns --format ndjson -
echo '{"domain":"example.net"}' | import_records whois --format ndjson -
directory=$(detect_rule open_directories all 'files.name:backup.sql')
echo '{"host":"files.example.com","ip":"192.0.2.7","port":8080,"path":"/pub/","last_seen":"2026-11-02T00:00:00Z","files":[{"name":"backup.sql"}]}' |
	import_records open-directories --format ndjson -
detect_idle
is "$(observed "$name")" "www.example.org/A/$(printf 192.0.2.1 | sha256sum | cut -c1-32) active - 0" \
	"the key of a DNS record is its name, its type and the digest of its answer (C-823)"
is "$(observed "$directory")" "files.example.com:8080/pub/ active - 0" \
	"the key of a directory without a URL is its host, port and path"
is "$(observed "$whois")" "example.net active - 0" "the key of a registration is its domain"
sql "UPDATE observation_event SET at = now() - interval '91 days' WHERE event = 'gone'"
sql "UPDATE rule_observation SET gone_at = now() - interval '401 days' WHERE state = 'gone' AND record_key LIKE '192.0.2.30%'"
kept() { [ "$(sql "SELECT (SELECT count(*) FROM observation_event WHERE event = 'gone') + (SELECT count(*) FROM rule_observation WHERE record_key LIKE '192.0.2.30%')")" = 0 ]; }
ok "events of 90 days and observations that have gone for 400 days are deleted" world_until 30 kept
like "$(ctl doctor 2>&1 | grep 'rules are evaluated')" "detection .* $(sql 'SELECT count(DISTINCT rule_uuid) FROM rule_run WHERE live') of $(
	sql "SELECT count(*) FROM rule WHERE status IN ('testing', 'stable')") rules are evaluated" "surfacectl doctor counts the rules that are evaluated, and those that could be"
