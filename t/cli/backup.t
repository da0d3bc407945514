#!/bin/sh
# SPDX-License-Identifier: ISC
# surfacectl backup and restore: an instance with hosts, records and evidence is destroyed and brought back,
# and answers as before; what is damaged, missing, half-made or in the way is found and nothing is done.
. t/lib.sh

world_start
hostgen=$BUILD/t/helper/hostgen
"$hostgen" --hosts 300 --seed 7 | ctl import hosts - >/dev/null
hosts_wait 300
B=$W/backups E=$W/evidence
mkdir -p "$B" "$E"
SUPER="host=$W/db dbname=surfaced user=postgres"
# What of evidence the rows say; where the schema has it, this changes nothing.
sql "CREATE TABLE IF NOT EXISTS screenshot (uuid uuid PRIMARY KEY, session_uuid uuid NOT NULL, sha256 bytea NOT NULL,
	bytes bigint, mime text, width integer, height integer, reason text, tab integer, url text, title text, taken_at timestamptz)" \
	2>/dev/null
session=$(session_new)
session_move "$session" claim ready

# evidence N: a file and its row; prints its name.
evidence()
{
	head -c 3000 /dev/urandom >"$W/shot"
	_sum=$(sha256sum <"$W/shot" | cut -c 1-64)
	mkdir -p "$E/$(echo "$_sum" | cut -c 1-2)/$(echo "$_sum" | cut -c 3-4)"
	cp "$W/shot" "$(file_of "$_sum")"
	sql "INSERT INTO screenshot (uuid, session_uuid, sha256, bytes, mime, width, height, reason, tab, url, title, taken_at)
		VALUES (gen_random_uuid(), '$session', '\\x$_sum', 3000, 'image/png', 1, 1, 'load', 0, '', '', now())" >/dev/null || return 1
	echo "$_sum"
}

file_of()
{
	echo "${2:-$E}/$(echo "$1" | cut -c 1-2)/$(echo "$1" | cut -c 3-4)/$1"
}

# Sets RC and OUT.
backup()
{
	$CTL --json backup --evidence "$E" "$@" >"$W/out" 2>"$W/err"
	RC=$?
}

restore()
{
	$CTL --database "$SUPER" --json restore --evidence "$E" --sql-dir "$SQL" "$@" >"$W/out" 2>"$W/err"
	RC=$?
}

answers()
{
	api POST /search/hosts/aggregate '{"query":"","aggregations":[{"field":"services.port"},{"field":"country_code"}]}'
	printf '%s' "$BODY" | jq -S .groups
	api GET '/search/hosts?q=services.port:443&limit=50'
	printf '%s' "$BODY" | jq -S '.hosts'
	for path in "/projects/$P/sessions" "/projects/$P/alerting/rules" /projects; do
		api GET "$path"
		printf '%s %s\n' "$STATUS" "$(printf '%s' "$BODY" | jq -S .)"
	done
}

one=$(evidence)
two=$(evidence)
rule_new >/dev/null
answers >"$W/before"
like "$(cat "$W/before")" "$session" "the instance answers"

# ---- backup ----

backup "$B/one"
is "$RC $(cat "$W/err")" "0 " "a backup, as the role of the tool"
is "$(jq -r '.backup | "\(.format) \(.files) \(.missing | length)"' "$W/out")" "1 2 0" "with its files counted"
is "$(cd "$B/one" && sha256sum -c --quiet SHA256SUMS && echo good)" good "sha256sum agrees"
is "$(find "$B/one/evidence" -type f | sed 's,.*/,,' | sort)" "$(printf '%s\n' "$one" "$two" | sort)" "every file that a row names"
is "$(find "$B" -name '*.partial*')" "" "nothing is left half-made"
is "$(find "$B/one" -maxdepth 0 -perm /077)" "" "nobody else gets to it"
backup "$B/one"
like "$RC $(cat "$W/err")" "^1 .*exists already" "never over another"
three=$(evidence)
backup --since "$B/one" "$B/two"
is "$RC $(jq -r .backup.files "$W/out")" "0 3" "the next one"
is "$(stat -c %i "$(file_of "$one" "$B/one/evidence")")" "$(stat -c %i "$(file_of "$one" "$B/two/evidence")")" \
	"shares what it has with the one before"

# ---- evidence that is not as it should be ----

cp "$(file_of "$two")" "$W/good"
echo x >>"$(file_of "$two")"
rm "$(file_of "$three")"
backup "$B/three"
is "$RC" 1 "damaged evidence is no backup"
like "$(cat "$W/err")" "$two: it is damaged" "what is damaged is named"
like "$(cat "$W/err")" "$three: it is missing" "and what is missing"
is "$(ls "$B")" "one
three.partial
two" "and what was made does not look whole"
restore --check "$B/three.partial"
like "$RC $(cat "$W/err")" "^1 .*no finished backup" "nor is it taken for whole"
backup --incomplete "$B/three"
is "$RC $(jq -r '.backup | "\(.files) \(.missing | length)"' "$W/out")" "0 1 2" "unless it is wanted so"
backup --since "$B/two" "$B/four"
is "$RC $(jq -r .backup.files "$W/out")" "0 3" "an older backup has what was lost"
cp "$W/good" "$(file_of "$two")"

# ---- a run that was broken off ----

mkdir -p "$B/five.partial"
backup "$B/four-b"
cp -r "$B/four/evidence" "$B/five.partial/"
before=$(stat -c %i "$(file_of "$one" "$B/five.partial/evidence")")
echo x >"$(file_of "$two" "$B/five.partial/evidence")"
backup "$B/five"
is "$RC $(stat -c %i "$(file_of "$one" "$B/five/evidence")")" "0 $before" "is continued with what is whole"
is "$(cd "$B/five" && sha256sum -c --quiet SHA256SUMS && echo good)" good "and only that"
mkdir "$B/six.partial"
flock "$B/six.partial" "$BIN/surfacectl" -c "$W/etc/surfacectl.conf" backup --evidence "$E" "$B/six" >"$W/out" 2>"$W/err"
like "$?$(cat "$W/err")" "^1.*another backup" "two do not write one set"

# ---- restore refuses ----

restore --check "$B/four"
is "$RC" 0 "a backup that is whole"
cp -r "$B/four" "$B/bad"
printf x | dd of="$B/bad/database.dump" bs=1 seek=3000 conv=notrunc 2>/dev/null
restore --check "$B/bad"
like "$RC $(cat "$W/err")" '^1 .*database.dump: it is damaged' "a damaged dump"
cp "$B/four/database.dump" "$B/bad/"
printf x | dd of="$(file_of "$one" "$B/bad/evidence")" bs=1 seek=30 conv=notrunc 2>/dev/null
restore --check "$B/bad"
like "$RC $(cat "$W/err")" "^1 .*$one: it is damaged" "damaged evidence"
sed -i 1d "$B/bad/SHA256SUMS"
restore --check "$B/bad"
like "$RC $(cat "$W/err")" '^1 .*SHA256SUMS: it is damaged' "a list that is not the one of then"
sed -i 's/"schema":[0-9]*/"schema":9999/' "$B/bad/manifest.json"
restore "$B/bad"
like "$RC $(cat "$W/err")" '^1 .*schema is 9999, this program knows' "a schema of the future"
restore "$B/four"
like "$RC $(cat "$W/err")" '^1 .*surfaced-index runs: systemctl stop' "while the index is written"
world_kill surfaced-index
restore --as nobody-of-this-name "$B/four"
like "$RC $(cat "$W/err")" '^1 .*cannot become the user' "as a user that is not there"
restore "$B/four"
like "$RC $(cat "$W/err")" '^1 .*not empty: nothing was done' "a database with rows"
is "$(sql "SELECT count(*) FROM host")" 300 "which it keeps"
$CTL restore --evidence "$E" --sql-dir "$SQL" --replace "$B/four" >"$W/out" 2>"$W/err"
like "$? $(tail -1 "$W/err")" "^1 .*the database is as it was" "a role that may not"
is "$(sql "SELECT count(*) FROM host")" 300 "changes nothing"

# ---- the instance is destroyed ----

for name in nginx surfaced surfaced-meter; do world_kill "$name"; done
world_pg_stop
rm -rf "$W/db" "$W/index" "$E"
mkdir "$W/db" "$W/index" "$E"
rm -f "$W/run"/*
world_give
world_pg_new
# Who may read the backup and who may speak to the database are two users on most machines.
as=
! world_root || as="--as $WORLD_USER"
restore $as "$B/four"
is "$RC $(cat "$W/err")" "0 " "into an empty database"
is "$(sql "SELECT count(*) FROM host")" 300 "its rows are there"
is "$(sql "SELECT action || ' ' || subject_id FROM audit ORDER BY id DESC LIMIT 1")" \
	"database.restore $(jq -r .created_at "$B/four/manifest.json")" "the audit says so"
ok "its evidence too" sh -c 'cd "$1" && sha256sum -c --quiet "$2"' sh "$B/four" SHA256SUMS
is "$(find "$E" -type f | wc -l)" 3 "every file"
is "$($CTL migrate --check --sql-dir "$SQL" 2>&1)" "" "the schema is the one it was"
index_start
api_start
web_start
hosts_wait 300
answers >"$W/after"
is "$(diff "$W/before" "$W/after")" "" "the same answers as before"
is "$(sql "SELECT count(*) FROM host WHERE changed > pg_current_xact_id()")" 0 "no host is of another cluster's future"

# ---- over rows, and under a running API ----

world_kill surfaced-index
sql "DELETE FROM host" >/dev/null
restore --replace "$B/four"
is "$RC $(cat "$W/err")" "0 " "over rows, when told"
index_start
hosts_wait 300
answers >"$W/after"
is "$(diff "$W/before" "$W/after")" "" "and the API that ran meanwhile answers as before"
