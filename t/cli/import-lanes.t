#!/bin/sh
# SPDX-License-Identifier: ISC
# An import of many batches: the reader fills one batch while two lanes store the other. make check-threads runs this with
# ThreadSanitizer.
. t/lib.sh
pg_start
HOSTS=${HOSTS:-20000} # hosts; a batch has 5,000

# import DATASET [OPTION ...] FILE: sets OUT.
import()
{
	OUT=$("$BIN/surfacectl" --database "host=$W/db dbname=surfaced user=surfaced_admin" import "$@" 2>"$W/err") || diag "$(cat "$W/err")"
}

"$BUILD/t/helper/hostgen" --hosts "$HOSTS" >"$W/hosts"
import hosts "$W/hosts"
is "$OUT" "$HOSTS read, $HOSTS new, 0 changed, 0 unchanged, 0 bad, 0 skipped" "every host of several batches is stored once"
sed 's/"title":"/"title":"Changed: /; s/"last_seen":"2026-/"last_seen":"2027-/' "$W/hosts" >"$W/changed"
import hosts "$W/changed"
is "$OUT" "$HOSTS read, 0 new, $HOSTS changed, 0 unchanged, 0 bad, 0 skipped" "both lanes merge hosts that are there"
import hosts "$W/changed"
is "$OUT" "$HOSTS read, 0 new, 0 changed, $HOSTS unchanged, 0 bad, 0 skipped" "the same file again changes nothing in either lane"
{ cat "$W/hosts"; head -7000 "$W/changed"; echo '{"ip":'; } | gzip -c >"$W/both"
sql "TRUNCATE record CASCADE"
import hosts "$W/both"
is "$OUT $(sql 'SELECT count(*) FROM record WHERE dataset = 1')" \
	"$((HOSTS + 7001)) read, $HOSTS new, 7000 changed, 0 unchanged, 1 bad, 0 skipped $HOSTS" \
	"a host of two batches is merged by the later one, and a broken last line costs itself"
