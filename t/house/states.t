#!/bin/sh
# SPDX-License-Identifier: ISC
# The moves of src/tbl are those of the database, and every end of an event is reached by one.
. t/lib.sh
pg_start

for what in alert finding; do
	table=src/tbl/${what}_moves.h
	name=$(echo $what | tr '[:lower:]' '[:upper:]')
	sed -n "s/^${name}_MOVE(\"\([a-z_]*\)\",[[:space:]]*\"\([a-z_]*\)\",[[:space:]]*\"\([a-z_]*\)\")/\1|\2|\3/p" $table | sort >"$W/c"
	sql "SELECT * FROM ${what}_move" | sort >"$W/sql"
	isnt "$(wc -l <"$W/c")" 0 "$table has moves"
	is "$(diff "$W/c" "$W/sql")" "" "and ${what}_move the same"
	is "$(cut -d'|' -f1,3 "$W/c" | sort -u | cut -d'|' -f1 | uniq -d)" "" "an event has one end"
	sed -n "s/^${name}_EVENT([A-Z_]*,[[:space:]]*\"\([a-z_]*\)\",.*/\1/p" $table | sort >"$W/events"
	is "$(cut -d'|' -f1 "$W/c" | grep -vE '^(seen_again|clear)$' | sort -u | diff "$W/events" -)" "" "every event moves"
	is "$(sed -n "s/^${name}_EVENT([A-Z_]*,[[:space:]]*\"\([a-z_]*\)\",.*[[:space:]]\"\([a-z]*_*[a-z]*\)\".*/\1/p" $table | wc -l)" \
		"$(wc -l <"$W/events")" "and names its end"
done
