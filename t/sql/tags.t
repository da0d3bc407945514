#!/bin/sh
# SPDX-License-Identifier: ISC
# The CHECK constraints of tags, and the domains of the database beside the tables of src/tbl.
. t/lib.sh
db_start
export PGUSER=surfaced_admin
dir=$W/tmp

sql() { psql -X -q -A -t -v ON_ERROR_STOP=1 -c "$1" 2>"$dir/err"; }
refused() {
	sql "$1" >"$dir/out"
	is "$(grep -c 'violates check constraint' "$dir/err")" 1 "the database refuses $2"
}
refused "UPDATE tag SET categories = '{a/b}'" "a category without its parent"
refused "UPDATE tag SET categories = '{a,b,c,d,e}'" "five categories"
refused "UPDATE tag SET categories = '{A}'" "a category in capitals"
refused "UPDATE tag SET categories = '{a,a}'" "a category twice"
refused "UPDATE tag SET classification = 'bad'" "an unknown classification"
refused "INSERT INTO tag (slug, name) VALUES ('', 'x')" "an empty slug"
refused "INSERT INTO tag (slug, name) VALUES (repeat('x', 129), 'x')" "a slug of 129 characters"

# Scopes and entitlements are listed in src/tbl and in the database.
list() { sed -n "s/^$1([A-Z_]*,[[:space:]]*\"\([a-z.]*\)\".*/\1/p" "$2" | sort | tr '\n' ' '; }
domain() {
	sql "SELECT pg_get_constraintdef(oid) FROM pg_constraint WHERE conname = '$1_check'" |
		grep -o "'[a-z.]*'" | tr -d "'" | sort | tr '\n' ' '
}
is "$(domain scope_name)" "$(list SCOPE src/tbl/scopes.h)" "the database has the scopes of src/tbl"
is "$(domain entitlement_name)" "$(list ENTITLEMENT src/tbl/entitlements.h)" \
	"the database has the entitlements of src/tbl"
