#!/bin/sh
# SPDX-License-Identifier: ISC
# host_merge: how a new record of a host is merged into the stored one; the CHECK constraints of hosts and tags.
. t/lib.sh
db_start
export PGUSER=surfaced_admin
dir=$W/tmp

sql() { psql -X -q -A -t -v ON_ERROR_STOP=1 -c "$1" 2>"$dir/err"; }
merge() { # old new wanted what
	is "$(sql "SELECT host_merge('$1', '$2') = '$3'")" t "$4"
	[ -s "$dir/err" ] && sed 's/^/# /' "$dir/err"
}
refused() {
	sql "$1" >"$dir/out"
	is "$(grep -c 'violates check constraint' "$dir/err")" 1 "the database refuses $2"
}
D1=2026-01-01T00:00:00.000000Z D2=2026-02-01T00:00:00.000000Z D3=2026-03-01T00:00:00.000000Z

same='{"ip":"192.0.2.1","city":"X","last_seen":"'$D2'","services":[{"port":22,"transport":"tcp"}],"service_count":1}'
merge "$same" "$same" "$same" "a record merged with itself is itself"
merge '{"ip":"192.0.2.1","first_seen":"'$D1'","last_seen":"'$D2'","city":"X","os":"Y"}' \
	'{"ip":"192.0.2.1","first_seen":"'$D2'","last_seen":"'$D3'","city":"Z","asn":1}' \
	'{"ip":"192.0.2.1","first_seen":"'$D1'","last_seen":"'$D3'","city":"Z","os":"Y","asn":1}' \
	"the newer record's members win, the others stay"
merge '{"ip":"192.0.2.1","first_seen":"'$D2'","last_seen":"'$D3'","city":"Z"}' \
	'{"ip":"192.0.2.1","first_seen":"'$D1'","last_seen":"'$D2'","city":"X","os":"Y"}' \
	'{"ip":"192.0.2.1","first_seen":"'$D1'","last_seen":"'$D3'","city":"Z","os":"Y"}' \
	"an older record only fills in"
merge '{"ip":"192.0.2.1","first_seen":"'$D1'","last_seen":"'$D2'"}' '{"ip":"192.0.2.1","city":"X"}' \
	'{"ip":"192.0.2.1","first_seen":"'$D1'","last_seen":"'$D2'","city":"X"}' \
	"a record without times does not change the times"
merge '{"ip":"192.0.2.1","services":[{"port":80,"transport":"tcp","last_seen":"'$D2'","first_seen":"'$D1'","product":"a"},{"port":22,"transport":"tcp","last_seen":"'$D3'","product":"new"}]}' \
	'{"ip":"192.0.2.1","services":[{"port":443,"transport":"udp","last_seen":"'$D1'"},{"port":443,"transport":"tcp","last_seen":"'$D1'"},{"port":80,"transport":"tcp","last_seen":"'$D3'","first_seen":"'$D2'","vendor":"b"},{"port":22,"transport":"tcp","last_seen":"'$D1'","product":"old"}]}' \
	'{"ip":"192.0.2.1","service_count":4,"services":[{"port":22,"transport":"tcp","last_seen":"'$D3'","product":"new"},{"port":80,"transport":"tcp","last_seen":"'$D3'","first_seen":"'$D1'","vendor":"b"},{"port":443,"transport":"tcp","last_seen":"'$D1'"},{"port":443,"transport":"udp","last_seen":"'$D1'"}]}' \
	"services merge by port and transport: the newer service replaces the older, in order"

x="INSERT INTO host (ip, doc) SELECT (d ->> 'ip')::inet, d FROM (VALUES ('$same'::jsonb)) AS v(d)
	ON CONFLICT (ip) DO UPDATE SET doc = host_merge(host.doc, excluded.doc)
	WHERE host.doc IS DISTINCT FROM host_merge(host.doc, excluded.doc)"
sql "$x"
first=$(sql "SELECT doc, changed FROM host")
sql "$x"
is "$(sql "SELECT doc, changed FROM host")" "$first" "merging the same record twice changes nothing"
sql "UPDATE host SET doc = doc || '{\"city\":\"Y\"}'"
is "$(sql "SELECT changed > '${first##*|}' FROM host")" t "a changed host has a higher transaction number"

refused "INSERT INTO host (ip, doc) VALUES ('192.0.2.0/24', '{\"ip\":\"192.0.2.0\"}')" "a network as a host"
refused "INSERT INTO host (ip, doc) VALUES ('192.0.2.9', '{\"ip\":\"192.0.2.1\"}')" "a document of another address"
refused "INSERT INTO host (ip, doc) VALUES ('192.0.2.9', '[]')" "a document that is no object"
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
