#!/bin/sh
# SPDX-License-Identifier: ISC
# Limits of surfaced-detect: a run with too many observations is saturated, a rule that takes too long or cannot be parsed fails
# with its name, and the others go on.
. t/lib.sh
. t/helper/detect.sh
pg_start
index_start
echo 'detect_budget = 400' >>"$W/etc/surfaced-detect.conf"

seq 1 10050 | while read -r n; do
	echo "{\"ip\":\"198.$((18 + n / 65536)).$((n / 256 % 256)).$((n % 256))\",\"last_seen\":\"2026-11-20T00:00:00Z\",\"services\":[{\"port\":7,\"transport\":\"tcp\"}]}"
done | import --format ndjson -
broad=$(detect_rule hosts all 'services.port:7')
rare=$(detect_rule hosts all 'ip:198.18.0.1')
detect_start
detect_idle
state() { sql "SELECT state || ' ' || active_count || ' ' || coalesce(error, '-') FROM rule_run WHERE rule_uuid = '$1'"; }
is "$(state "$broad") $(sql "SELECT count(*) FROM rule_observation o JOIN rule_run n ON n.uuid = o.run_uuid WHERE n.rule_uuid = '$broad'")" \
	"saturated 10000 - 10000" "a run with 10000 active observations is saturated and gets no more"
is "$(state "$rare")" "current 1 -" "another rule is evaluated as before"

# ---- rules that cannot be evaluated ----

bad=$(detect_rule hosts all 'colour:red')
detect_idle
like "$(state "$bad")" '^failed 0 query: .*colour' "a query that cannot be parsed fails with its reason"
slow=$(detect_rule services all "$(seq 1 90 | sed 's/.*/http.body:*q&q*q&/' | paste -sd ' ' | sed 's/ / OR /g')" "name='slowest'")
detect_idle
words=$(seq 1 600 | sed 's/.*/a&b/' | paste -sd ' ')
seq 1 400 | while read -r n; do
	echo "{\"ip\":\"203.0.$((n / 256)).$((n % 256))\",\"last_seen\":\"2026-11-20T00:00:00Z\",\"services\":[{\"port\":80,\"transport\":\"tcp\",\"http\":{\"body\":\"$words\"}}]}"
done | import --format ndjson -
detect_idle
is "$(state "$slow")" "failed 0 it takes too long (detect_budget)" "the rule that takes longest fails"
like "$(cat "$W/log/surfaced-detect.log")" "rule=$slow name=\"slowest\" failed=" "the log names it"
sql "UPDATE rule SET query = 'ip:203.0.0.1', version = 2 WHERE uuid = '$slow'"
detect_idle
is "$(state "$slow")" "current 1 -" "a rule that has changed is evaluated again"
is "$(state "$rare")" "current 1 -" "the others went on"
