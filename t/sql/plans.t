#!/bin/sh
# SPDX-License-Identifier: ISC
# The statements that read documents by their keys cost no more where a dataset has millions of them. The planner believes
# in such tables here: it multiplies the rows of a page, which are ours to set, by the pages that there are.
. t/lib.sh
db_start
sql "INSERT INTO record (dataset, key, doc) SELECT 1, decode('04' || lpad(to_hex(n), 8, '0'), 'hex'), '{}' FROM generate_series(1, 20000) AS n;
	ANALYZE record_hosts"
sql "UPDATE pg_class SET reltuples = reltuples * 500 WHERE relname = 'record_hosts'"

# plan NAME ARGUMENTS: the generic plan of a statement of surfaced, as the API has it after some executions.
plan()
{
	"$BIN/surfaced" -D sql | awk -F '\t' -v name="$1" '$1 == name { print "PREPARE " $1 " AS " $2 ";" }' >"$W/tmp/plan.sql"
	echo "SET plan_cache_mode = force_generic_plan; EXPLAIN EXECUTE $1 ($2);" >>"$W/tmp/plan.sql"
	psql -XqAt -U surfaced_api -v ON_ERROR_STOP=1 -f "$W/tmp/plan.sql" >"$W/tmp/plan" 2>&1 || diag "$(cat "$W/tmp/plan")"
}

# cheap NAME ARGUMENTS
cheap()
{
	plan "$1" "$2"
	ok "the plan of $1 expects few rows of millions" awk -F '[.( ]+' \
		'NR == 1 { for (i = 1; i <= NF; i++) if ($i ~ /^cost=/) cost = $(i + 2); exit !(cost > 0 && cost < 10000) }' "$W/tmp/plan"
}
cheap read_records "'{}', 1, 1, 1::smallint"
cheap read_fingerprints "'{}', 1, 1, 5::smallint"
for role in surfaced_api surfaced_export surfaced_detect surfaced_alert surfaced_meter surfaced_stream surfaced_dispatch; do
	is "$(psql -XqAt -U "$role" -c 'SHOW jit')" off "statements of $role are not compiled"
done
finish
