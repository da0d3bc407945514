#!/bin/sh
# SPDX-License-Identifier: ISC
# Every statement of the workers can be prepared by the role of the workers.
. t/lib.sh
pg_start

"$BIN/surfaced" -D sql >"$W/sql"
isnt "$(wc -l <"$W/sql")" 0 "there are statements"
while IFS="$(printf '\t')" read -r name text; do
	ok "$name" psql -XqAt -U surfaced_api -v ON_ERROR_STOP=1 -c "PREPARE $name AS $text"
done <"$W/sql"
