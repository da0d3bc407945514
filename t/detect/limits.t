#!/bin/sh
# SPDX-License-Identifier: ISC
# Limits of surfaced-detect: a run with too many observations is saturated, a rule that takes too long or cannot be parsed fails
# with its name, and the others go on.
. t/lib.sh
. t/helper/detect.sh
pg_start
index_start
# Budgets are CPU time, so that the load of the machine makes no difference: what is slow takes twenty times as much, and the rest
# a tenth of it.
echo 'detect_budget = 50' >>"$W/etc/surfaced-detect.conf"

seq 1 10050 | while read -r n; do
	echo "{\"ip\":\"198.$((18 + n / 65536)).$((n / 256 % 256)).$((n % 256))\",\"last_seen\":\"2026-11-20T00:00:00Z\",\"services\":[{\"port\":7,\"transport\":\"tcp\"}]}"
done | import --format ndjson -
broad=$(detect_rule hosts all 'services.port:7')
rare=$(detect_rule hosts all 'ip:198.18.0.1')
detect_start
detect_idle
state() { sql "SELECT state || ' ' || active_count || ' ' || coalesce(error, '-') FROM rule_run WHERE rule_uuid = '$1'"; }
is "$(state "$broad") $(sql "SELECT count(*) FROM rule_observation o JOIN rule_run n ON n.uuid = o.run_uuid WHERE n.rule_uuid = '$broad'")" \
	"saturated 10000 - 10000" "a run with 10000 active observations is saturated and gets no more (C-824)"
is "$(state "$rare")" "current 1 -" "another rule is evaluated although one run is saturated"

# A finding follows from the record of an asset however many records match, and goes when the record changes.
sql "INSERT INTO rule_setting (account_uuid, rule_uuid, enabled, project_uuids, findings) VALUES ('$ACCOUNT', '$broad', true, '{$P}', true);
	INSERT INTO asset (project_uuid, kind, name, first_seen_at, last_seen_at) VALUES ('$P', 'address', '198.18.39.66', now(), now())"
detect_idle
stands() { sql "SELECT f.status || ' ' || coalesce(o.state, '-') FROM finding f LEFT JOIN rule_observation o ON o.record_key = '198.18.39.66'"; }
is "$(stands)" "open active" "the record of an asset is observed beyond 10000, since it makes a finding (C-824)"
detect_host 198.18.39.66 2026-11-22T00:00:00Z '{"port":8,"transport":"tcp"}'
detect_idle
is "$(stands)" "resolved gone" "such a finding is cleared when its record contradicts it"

# The numbers of observations that findings follow from, and of these findings, have an end of their own.
# The lock keeps surfaced-detect from counting meanwhile. The run may have room again, when the record that is gone was of the 10000.
keep() { echo "SELECT detect_observe(jsonb_build_array(jsonb_build_object('run', n.uuid, 'kept', true, 'dataset', 1, 'document', '04c6122750',
	'key', '198.18.39.80', 'version', 1, 'record', '{}'::jsonb, 'matched', '[]'::jsonb, 'suspect', false, 'first', now(), 'last', now())),
	n.active_count, n.active_count, n.active_count + $1) FROM rule_run n WHERE n.rule_uuid = '$broad';
	SELECT count(*) FROM rule_observation WHERE record_key = '198.18.39.80';"; }
is "$(sql "BEGIN; SELECT FROM rule_run WHERE rule_uuid = '$broad' FOR UPDATE; $(keep 0) $(keep 1) COMMIT" | xargs)" "0 1" \
	"a run has no more observations than it may, although findings would follow from them"
one() { echo "{\"finding_key\":\"rule/$broad/$1\",\"rule\":\"$broad\",\"key\":\"$1\"}"; }
bounded() { sql "SELECT jsonb_array_length(detect_bounded('$P', '[$(one 198.18.0.1),$(one 198.18.0.2),$(one 192.0.2.99)]', $1))"; }
says() { sql "SELECT coalesce(error, '-') || ' ' || (looked_at ->> 'left_out') FROM detector_state WHERE project_uuid = '$P' AND detector = 'rules'"; }
is "$(bounded 1) $(says)" "1 The project has 1 findings of rules that are not resolved, so new ones are left out. 2" \
	"new findings of rules beyond the limit are left out, and the detector says so (C-837)"
ctl doctor --etc "$W/etc" --nginx "$W/etc/nginx.conf" 2>/dev/null >"$W/doctor"
like "$(cat "$W/doctor")" 'in 1 projects the detector rules has found as much as it may' "the doctor names a detector that leaves findings out"
sql "DELETE FROM detector_state"
is "$(bounded 9) $(says)" "2 A rule has as many observations as it may, so new findings of it are left out. 1" \
	"a finding without an observation, which nothing would close, is left out"
is "$(sql "SELECT jsonb_array_length(detect_bounded('$P', '[$(one 198.18.0.1)]', 9))") $(says)" "1 - 1" "the detector does not say so when new findings come and none is left out (C-837)"
ctl doctor --etc "$W/etc" --nginx "$W/etc/nginx.conf" 2>/dev/null >"$W/doctor"
unlike "$(cat "$W/doctor")" 'has found as much as it may' "the doctor does not say so any more"
sql "DELETE FROM detector_state; DELETE FROM rule_observation WHERE record_key = '198.18.39.80'"

# ---- rules that cannot be evaluated ----

bad=$(detect_rule hosts all 'colour:red')
detect_idle
like "$(state "$bad")" '^failed 0 query: .*colour' "a query that cannot be parsed fails with its reason"
slow=$(detect_rule services all "$(seq 1 90 | sed 's/.*/http.body:*q&q*q&/' | paste -sd ' ' | sed 's/ / OR /g')" "name='slowest'")
detect_idle
# bodies FIRST LAST: hosts whose start pages have 440 words each, which no other page has.
bodies()
{
	awk -v first="$1" -v last="$2" 'BEGIN { for (n = first; n <= last; n++) {
		printf "{\"ip\":\"203.0.%d.%d\",\"last_seen\":\"2026-11-20T00:00:00Z\",\"services\":[{\"port\":80,\"transport\":\"tcp\",\"http\":{\"body\":\"", n / 256, n % 256
		for (i = 1; i <= 440; i++)
			printf "a%dx%d ", n, i
		print "\"}}]}" } }' | import --format ndjson -
}
bodies 1 400
detect_idle
is "$(state "$slow")" "failed 0 it takes too long (detect_budget)" "the rule that takes longest fails"
failures() { grep -c "rule=$1 name=\"[a-z]*\" failed=" "$W/log/surfaced-detect.log"; }
is "$(failures "$slow")" 1 "the log names the rule that fails once"
sql "INSERT INTO rule_setting (account_uuid, rule_uuid, enabled, project_uuids) VALUES ('$ACCOUNT', '$slow', true, '{}')"
like "$(state "$slow")" '^(idle|backfilling) ' "a rule that its owner enables again is tried again"
sql "UPDATE rule SET query = 'ip:203.0.0.1', version = 2 WHERE uuid = '$slow'"
detect_idle
is "$(state "$slow")" "current 1 -" "a rule that has changed is evaluated again"
is "$(state "$rare")" "current 1 -" "the other rules are still evaluated"

# A rule of the catalogue, which no account can change, is tried again after a day.
common()
{
	detect_rule services all "$1" account_uuid=NULL "name='$2'" "content_sha256='$(printf x | sha256sum | cut -c1-64)'"
}
lasting=$(common "$(seq 1 90 | sed 's/.*/http.body:*y&y*y&/' | paste -sd ' ' | sed 's/ / OR /g')" lasting)
sql "INSERT INTO rule_setting (account_uuid, rule_uuid, enabled, project_uuids) VALUES ('$ACCOUNT', '$lasting', true, '{}')"
bodies 401 700
detect_idle
is "$(state "$lasting")" "failed 0 it takes too long (detect_budget)" "a rule of the catalogue fails"
ctl doctor --etc "$W/etc" --nginx "$W/etc/nginx.conf" 2>/dev/null >"$W/doctor"
like "$(cat "$W/doctor")" 'the catalogue.s rule "lasting" failed, and is tried again within 24 hours: it takes too long' \
	"the doctor names a rule of the catalogue that has failed"
world_kill surfaced-detect
sed -i 's/^detect_budget = .*/detect_budget = 30001/' "$W/etc/surfaced-detect.conf"
like "$("$BUILD/surfaced-detect" -t -c "$W/etc/surfaced-detect.conf" 2>&1)" 'detect_budget .30001 ms. must be at most half of worker_stuck .60000 ms.' \
	"an evaluation cannot outlast the watchdog, which would end one worker after the other"
sed -i 's/^detect_budget = .*/detect_budget = 30000/' "$W/etc/surfaced-detect.conf"
detect_start
detect_idle
is "$(state "$lasting")" "failed 0 it takes too long (detect_budget)" "a rule of the catalogue that failed is left out for a day"
world_kill surfaced-detect
sql "UPDATE rule_run SET failed_at = now() - interval '25 hours' WHERE rule_uuid IN ('$lasting', '$bad')"
detect_start
back() { [ "$(state "$lasting")" = "current 0 -" ]; }
ok "a rule of the catalogue that failed a day ago is tried again" world_until 60 back
like "$(state "$bad")" '^failed' "a rule of an account waits for its owner"

# A rule may fail when it is asked why a record matches no more. The anchor port:7777 lets it be asked only then.
why=$(detect_rule hosts all "($(seq 1 90 | sed 's/.*/services.http.body:*w&q*w&q*/' | paste -sd ' ' | sed 's/ / OR /g')) AND services.port:7777")
detect_host 203.0.9.9 2026-11-20T00:00:00Z '{"port":7777,"transport":"tcp","http":{"body":"w1qw1q"}}'
detect_idle
is "$(observed "$why")" "203.0.9.9 active - 0" "a record matches a rule"
world_kill surfaced-detect
sed -i 's/^detect_budget = .*/detect_budget = 1/' "$W/etc/surfaced-detect.conf"
detect_start
detect_host 203.0.9.9 2026-11-21T00:00:00Z "$(awk 'BEGIN { for (p = 7701; p <= 7740; p++) {
	printf "%s{\"port\":%d,\"transport\":\"tcp\",\"http\":{\"body\":\"", (p == 7701 ? "" : ","), p
	for (i = 1; i <= 440; i++)
		printf "w%dx%d ", p - 7700, i
	printf "\"}}" } }')"
detect_idle
is "$(state "$why"), $(observed "$why")" "failed 1 it takes too long (detect_budget), 203.0.9.9 active - 0" \
	"an observation stays when its rule fails before it is known why it ends"
sql "UPDATE rule SET query = 'services.port:7777', version = 2 WHERE uuid = '$why'"
detect_idle
is "$(state "$why"), $(observed "$why")" "current 0 -, 203.0.9.9 gone rule_changed 0" "the observation ends when the rule is evaluated again"

# A walk whose pages the index does not answer in time is tried a few times; then the rule fails.
never=$(detect_rule services all "$(seq 1 90 | sed 's/.*/http.body:*z&z*q&/' | paste -sd ' ' | sed 's/ / OR /g')")
late() { [ "$(sql "SELECT tries > 0 FROM detect_work WHERE subject_uuid = '$never'")" = t ]; }
ok "a page that takes too long is tried again" world_until 60 late
like "$(state "$never")" '^backfilling 0 the search index does not find its matches in time' "the run of the rule says why it waits"
sql "UPDATE detect_work SET tries = 5, due_at = now() WHERE subject_uuid = '$never'"
over() { [ "$(sql "SELECT count(*) FROM detect_work WHERE subject_uuid = '$never'")" = 0 ]; }
ok "the last try ends the work" world_until 60 over
like "$(state "$never")" '^failed 0 the search index does not find its matches in time' "a rule whose matches are not found in time fails"
world_kill surfaced-detect
sed -i 's/^detect_budget = .*/detect_budget = 40/' "$W/etc/surfaced-detect.conf"
detect_start

# The exclude of one account fails for this account alone.
common=$(common 'port:80' shared)
sql "INSERT INTO account (name) VALUES ('Other');
	INSERT INTO rule_setting (account_uuid, rule_uuid, enabled, exclude) SELECT uuid, '$common', true, CASE name WHEN 'Other' THEN '' ELSE
		(SELECT string_agg(format('http.body:*q%sq*q%s', n, n), ' OR ') FROM generate_series(1, 90) AS n) END FROM account WHERE uuid = '$ACCOUNT' OR name = 'Other'"
detect_idle
runs() { sql "SELECT string_agg(CASE WHEN account_uuid IS NULL THEN 'all' ELSE 'own' END || ' ' || state || ' ' || coalesce(error, '-'), ', ' ORDER BY account_uuid) FROM rule_run WHERE rule_uuid = '$common'"; }
is "$(runs)" "own failed the exclude of its settings takes too long (detect_budget), all current -" \
	"the exclude of an account that takes too long fails for this account alone (C-156)"
ctl doctor --etc "$W/etc" --nginx "$W/etc/nginx.conf" 2>/dev/null >"$W/doctor"
like "$(cat "$W/doctor")" "the catalogue.s rule \"shared\" failed for the account \"$(sql "SELECT name FROM account WHERE uuid = '$ACCOUNT'")\", and" \
	"the doctor names the account whose exclude has failed"
sql "UPDATE rule_setting SET exclude = 'port:81' WHERE rule_uuid = '$common' AND account_uuid = '$ACCOUNT'"
detect_idle
is "$(runs)" "own current -, all current -" "another exclude is evaluated again"
sql "UPDATE rule_setting SET exclude = 'colour:red' WHERE rule_uuid = '$common' AND account_uuid = '$ACCOUNT'"
detect_idle
is "$(sql "SELECT string_agg(n.active_count::text, ' ' ORDER BY n.account_uuid NULLS LAST) FROM rule_run n WHERE rule_uuid = '$common'")" "0 700" \
	"an exclude that cannot be parsed any more excludes everything for its account"
sql "UPDATE rule_setting SET exclude = '' WHERE rule_uuid = '$common'"

# An exclude is also evaluated when it ends observations. That time is its account's, too: together the accounts take several
# times the budget, and each of them a tenth.
few=$(common 'ip:203.0.0.0/30' few)
sql "INSERT INTO account (name) SELECT 'Many' || n FROM generate_series(1, 60) AS n;
	INSERT INTO rule_setting (account_uuid, rule_uuid, enabled, exclude) SELECT uuid, '$few', true, 'port:81' FROM account WHERE name LIKE 'Many%'"
detect_idle
sql "UPDATE rule_setting SET exclude = (SELECT string_agg(format('NOT http.body:*q%sq*q%s', n, n), ' AND ') FROM generate_series(1, 40) AS n)
	WHERE rule_uuid = '$few'"
detect_idle
is "$(sql "SELECT string_agg(DISTINCT state || ' ' || coalesce(error, '-'), ', ') FROM rule_run WHERE rule_uuid = '$few' AND live") $(sql "SELECT count(*)
	FROM rule_observation o JOIN rule_run n ON n.uuid = o.run_uuid WHERE n.rule_uuid = '$few' AND o.gone_reason = 'excluded'")" "current - 180" \
	"a rule of the catalogue does not fail because of what the excludes of accounts take (C-156)"
