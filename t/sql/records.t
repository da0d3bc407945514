#!/bin/sh
# SPDX-License-Identifier: ISC
# The table record: a partition for each dataset, marks of deleted records, notifications, and their purge.
. t/lib.sh
pg_start

is "$(sql "SELECT string_agg(substring(pg_get_expr(relpartbound, oid) from '[0-9]+'), ' ' ORDER BY oid) FROM pg_class
	WHERE relispartition AND relkind = 'r' AND relname !~ '^record_event'")" \
	"$(sed -nE 's/^(DATASET|STORED|LISTED)\([A-Z]+,[[:space:]]*([0-9]+),.*/\2/p' "$TOP/src/tbl/datasets.h" | tr '\n' ' ' | sed 's/ $//')" \
	"the table record has a partition for each stored dataset of src/tbl/datasets.h"
refused() { ok "$1" sh -c "! psql -XqAt -U '$2' -v ON_ERROR_STOP=1 -c \"$3\" >/dev/null 2>&1"; }
notified() { psql -XqAt -U surfaced_admin -c 'LISTEN record_changed' -c "$1" 2>&1 | sed -n 's/.*payload "\([^"]*\)".*/\1/p' | tr '\n' ' '; }
row() { echo "INSERT INTO record (dataset, key, doc) VALUES ($1, '$2', '{}')"; }

is "$(notified "$(row 3 a)")" "3 " "an insert notifies the number of its dataset"
is "$(notified "$(row 3 b), (3, 'c', '{}'), (4, 'a', '{}')" | tr ' ' '\n' | sort | tr '\n' ' ')" \
	"3 4 " "a statement notifies each of its datasets once"
is "$(notified "UPDATE record SET doc = '{\"a\":1}' WHERE dataset = 3 AND key = 'a'")" "3 " "an update notifies its dataset"
is "$(sql "SELECT bytes FROM record WHERE dataset = 3 AND key = 'a'")" 7 "a record knows the bytes of its document"
ok "an update changes the transaction of the row" test "$(sql "SELECT (SELECT changed FROM record WHERE dataset = 3 AND key = 'a')
	> (SELECT changed FROM record WHERE dataset = 3 AND key = 'b')")" = t
refused "a key of 601 bytes is refused" surfaced_admin "INSERT INTO record (dataset, key, doc) VALUES (3, decode(repeat('00', 601), 'hex'), '{}')"
refused "a record of an unknown dataset is refused" surfaced_admin "$(row 2 a)"
refused "an empty document without the mark of deletion is refused" surfaced_admin "INSERT INTO record (dataset, key, doc) VALUES (3, 'x', '')"
refused "surfaced_admin cannot delete a row of record" surfaced_admin "DELETE FROM record"
refused "surfaced_admin adds events by the function alone" surfaced_admin \
	"INSERT INTO record_event (dataset, key, at, kind, what) VALUES (1, 'a', now(), 1, '{}')"
refused "surfaced_admin cannot drop months of the history" surfaced_admin "SELECT record_event_keep(1, 100)"
refused "surfaced_api cannot write record" surfaced_api "$(row 3 z)"

# Deletion and purge.
sql "INSERT INTO record_blob VALUES (3, 'a', 'x'); INSERT INTO search_feed (engine, dataset, snapshot) SELECT e, 3, pg_current_snapshot()
	FROM unnest('{one,two}'::text[]) AS e" >/dev/null
is "$(psql -XqAt -U surfaced_admin -c "SELECT record_remove(3::smallint, 'a'), record_remove(3::smallint, 'a')")" "t|f" \
	"record_remove tells whether there was a record"
is "$(sql "SELECT gone, doc, (SELECT count(*) FROM record_blob) FROM record WHERE dataset = 3 AND key = 'a'")" "t||0" \
	"a removed record is marked and loses its document and its blob"
purge() { psql -XqAt -U surfaced_index -c "SELECT record_purge(3::smallint)"; }
is "$(purge)" 0 "a mark stays while an index has not seen it"
psql -XqAt -U surfaced_index -c "UPDATE search_feed SET snapshot = pg_current_snapshot() WHERE engine = 'one'"
is "$(purge)" 0 "a mark stays while one of two indexes has not seen it"
psql -XqAt -U surfaced_index -c "UPDATE search_feed SET snapshot = pg_current_snapshot() WHERE engine = 'two'"
is "$(purge)" 1 "a mark that every index has seen is removed"
is "$(sql "SELECT count(*) FROM record WHERE dataset = 3")" 2 "the purge leaves other records alone"
sql "TRUNCATE record"
is "$(sql "SELECT count(*) FROM search_feed")" 0 "TRUNCATE makes every index read the dataset again"
