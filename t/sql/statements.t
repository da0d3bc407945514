#!/bin/sh
# SPDX-License-Identifier: ISC
# Every statement of a daemon can be prepared by the role of the daemon, and -D sql prints all of them.
. t/lib.sh
pg_start

# prepares PROGRAM ROLE DIRECTORY...: whose statements the program runs.
prepares()
{
	_program=$1 _role=$2
	shift 2
	"$BIN/$_program" -D sql >"$W/sql"
	is "$(cd "$TOP/src" && stmts "$@")" "$(cut -f1 "$W/sql" | sort)" \
		"$_program -D sql prints every statement of $*"
	while IFS="$(printf '\t')" read -r name text; do
		ok "$_role can prepare the statement $name of $_program" psql -XqAt -U "$_role" -v ON_ERROR_STOP=1 -c "PREPARE $name AS $text"
	done <"$W/sql"
}

# A typed area has two statements (src/api/surface/area.h).
stmts()
{
	find "$@" -name '*.c' -exec cat {} + | tr -d '\n\t' | grep -oE '(STMT(_[A-Z]+)?|AREA_STATEMENTS)\( *[a-z0-9_]+' |
		sed 's/^AREA_STATEMENTS( *\(.*\)/list_\1\nselect_\1/; s/.*( *//' | sort
}

prepares surfaced surfaced_api api access address counting detection/unanchored.c resource http search/tags.c
prepares surfaced-meter surfaced_meter meter
prepares surfaced-alert surfaced_alert alert
prepares surfaced-dispatch surfaced_dispatch browser/dispatch
prepares surfaced-stream surfaced_stream stream
prepares surfaced-export surfaced_export export
prepares surfaced-detect surfaced_detect detect search/tags.c resource/lookalike_facts.c
prepares surfaced-index surfaced_index indexer search/tags.c
prepares surfaced-stream surfaced_stream stream
"$BIN/surfaced-meter" -D routes >"$W/out" 2>&1
is "$? $(cat "$W/out")" "2 surfaced-meter: -D takes sql" \
	"surfaced-meter -D refuses routes and names the argument that it accepts"
