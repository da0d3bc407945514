#!/bin/sh
# SPDX-License-Identifier: ISC
# The moves in src/tbl equal those in the database, and each event leads to one state.
. t/lib.sh
pg_start

for what in alert finding rule; do
	table=src/tbl/${what}_moves.h
	name=$(echo $what | tr '[:lower:]' '[:upper:]')
	sed -n "s/^${name}_MOVE(\"\([a-z_]*\)\",[[:space:]]*\"\([a-z_]*\)\",[[:space:]]*\"\([a-z_]*\)\")/\1|\2|\3/p" $table | sort >"$W/c"
	sql "SELECT * FROM ${what}_move" | sort >"$W/sql"
	isnt "$(wc -l <"$W/c")" 0 "$table contains at least one move"
	is "$(diff "$W/c" "$W/sql")" "" "the database table ${what}_move equals $table"
	is "$(cut -d'|' -f1,3 "$W/c" | sort -u | cut -d'|' -f1 | uniq -d)" "" \
		"each event in $table leads to one state"
	sed -n "s/^${name}_EVENT([A-Z_]*,[[:space:]]*\"\([a-z_]*\)\",.*/\1/p" $table | sort >"$W/events"
	is "$(cut -d'|' -f1 "$W/c" | grep -vE '^(seen_again|clear)$' | sort -u | diff "$W/events" -)" "" \
		"each event in $table has a move"
	is "$(sed -n "s/^${name}_EVENT([A-Z_]*,[[:space:]]*\"\([a-z_]*\)\",.*[[:space:]]\"\([a-z]*_*[a-z]*\)\".*/\1/p" $table | wc -l)" \
		"$(wc -l <"$W/events")" "each event in $table names its state"
done
