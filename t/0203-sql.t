#!/bin/sh
# SPDX-License-Identifier: ISC
# Every statement of a program can be prepared by its role.
. t/lib.sh
pg_start

# prepared PROGRAM ROLE
prepared()
{
	"$BIN/$1" -D sql >"$W/sql"
	isnt "$(wc -l <"$W/sql")" 0 "$1 has statements"
	while IFS="$(printf '\t')" read -r name text; do
		ok "$2: $name" psql -XqAt -U "$2" -v ON_ERROR_STOP=1 -c "PREPARE $name AS $text"
	done <"$W/sql"
}
prepared surfaced surfaced_api
prepared surfaced-stream surfaced_stream
