#!/bin/sh
# SPDX-License-Identifier: ISC
# surfacectl backup and restore: an instance with hosts, records and evidence is destroyed, restored, and answers as
# before; damaged, missing, incomplete or unwanted data is reported and changes nothing.
. t/lib.sh

world_start
hostgen=$BUILD/t/helper/hostgen
"$hostgen" --hosts 300 --seed 7 | ctl import hosts - >/dev/null
hosts_wait 300
B=$W/backups E=$W/evidence
mkdir -p "$B" "$E"
SUPER="host=$W/db dbname=surfaced user=postgres"
# The table of evidence; this changes nothing if the schema has it.
sql "CREATE TABLE IF NOT EXISTS screenshot (uuid uuid PRIMARY KEY, session_uuid uuid NOT NULL, sha256 bytea NOT NULL,
	bytes bigint, mime text, width integer, height integer, reason text, tab integer, url text, title text, taken_at timestamptz)" \
	2>/dev/null
session=$(session_new)
session_move "$session" claim ready

# A person who is signed in.
sql "WITH p AS (INSERT INTO person (name, email) VALUES ('Ann', 'ann@example.com') RETURNING uuid)
	INSERT INTO sign_in (person_uuid, sha256, methods, strong, address, agent, expires_at)
	SELECT uuid, sha256('x'), '{password}', false, '192.0.2.1', '', now() + interval '1 day' FROM p"

# evidence N: makes a file and its row; prints its name.
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
like "$(cat "$W/before")" "$session" "the instance lists its session before the backup"

# ---- backup ----

backup "$B/one"
like "$RC $(cat "$W/err")" "^0 surfacectl: .*/etc/backup-key is new: keep a copy of it apart from the backups" \
	"a backup with the role of surfacectl succeeds, and the first one makes the key of backups"
is "$(jq -r '.backup | "\(.format) \(.files) \(.missing | length)"' "$W/out")" "1 2 0" \
	"the backup counts its two files of evidence"
is "$(cd "$B/one" && sha256sum -c --quiet SHA256SUMS && echo good)" good \
	"sha256sum accepts every file of the backup"
is "$(find "$B/one/evidence" -type f | sed 's,.*/,,' | sort)" "$(printf '%s\n' "$one" "$two" | sort)" \
	"the backup has every file of evidence"
is "$(find "$B" -name '*.partial*')" "" "a finished backup leaves no partial directory"
is "$(find "$B/one" -maxdepth 0 -perm /077)" "" "only the owner can access the backup"
backup "$B/one"
like "$RC $(cat "$W/err")" "^1 .*exists already" "a backup never replaces an existing one"
three=$(evidence)
backup --since "$B/one" "$B/two"
is "$RC $(jq -r .backup.files "$W/out")" "0 3" "a backup with --since has three files of evidence"
is "$(stat -c %i "$(file_of "$one" "$B/one/evidence")")" "$(stat -c %i "$(file_of "$one" "$B/two/evidence")")" \
	"a backup with --since shares unchanged files by hard links"

# ---- damaged or missing evidence ----

cp "$(file_of "$two")" "$W/good"
echo x >>"$(file_of "$two")"
rm "$(file_of "$three")"
backup "$B/three"
is "$RC" 1 "a backup with damaged evidence exits with 1"
like "$(cat "$W/err")" "$two: it is damaged" "the backup names the damaged file"
like "$(cat "$W/err")" "$three: it is missing" "the backup names the missing file"
is "$(ls "$B")" "one
three.partial
two" "the incomplete backup keeps the name partial"
restore --check "$B/three.partial"
like "$RC $(cat "$W/err")" "^1 .*no finished backup" "restore --check refuses a partial backup"
backup --incomplete "$B/three"
is "$RC $(jq -r '.backup | "\(.files) \(.missing | length)"' "$W/out")" "0 1 2" \
	"backup --incomplete stores the backup and lists two missing files"
backup --since "$B/two" "$B/four"
is "$RC $(jq -r .backup.files "$W/out")" "0 3" "a backup with --since takes lost files from the earlier one"
cp "$W/good" "$(file_of "$two")"

# ---- an interrupted backup ----

mkdir -p "$B/five.partial"
backup "$B/four-b"
cp -r "$B/four/evidence" "$B/five.partial/"
before=$(stat -c %i "$(file_of "$one" "$B/five.partial/evidence")")
echo x >"$(file_of "$two" "$B/five.partial/evidence")"
backup "$B/five"
is "$RC $(stat -c %i "$(file_of "$one" "$B/five/evidence")")" "0 $before" \
	"an interrupted backup is continued with its complete files"
is "$(cd "$B/five" && sha256sum -c --quiet SHA256SUMS && echo good)" good \
	"a continued backup contains no damaged file"
mkdir "$B/six.partial"
flock "$B/six.partial" "$BIN/surfacectl" -c "$W/etc/surfacectl.conf" backup --evidence "$E" "$B/six" >"$W/out" 2>"$W/err"
like "$?$(cat "$W/err")" "^1.*another backup" "a second backup of the same directory is refused"

# ---- restore refuses ----

restore --check "$B/four"
is "$RC" 0 "restore --check accepts a complete backup"
cp -r "$B/four" "$B/bad"
printf x | dd of="$B/bad/database.dump" bs=1 seek=3000 conv=notrunc 2>/dev/null
restore --check "$B/bad"
like "$RC $(cat "$W/err")" '^1 .*database.dump: it is damaged' "restore --check reports a damaged dump"
cp "$B/four/database.dump" "$B/bad/"
printf x | dd of="$(file_of "$one" "$B/bad/evidence")" bs=1 seek=30 conv=notrunc 2>/dev/null
restore --check "$B/bad"
like "$RC $(cat "$W/err")" "^1 .*$one: it is damaged" "restore --check reports a damaged file of evidence"
sed -i 1d "$B/bad/SHA256SUMS"
restore --check "$B/bad"
like "$RC $(cat "$W/err")" '^1 .*SHA256SUMS: it is damaged' \
	"restore --check reports a changed list of checksums"
sed -i 's/"schema":[0-9]*/"schema":9999/' "$B/bad/manifest.json"
restore --trust "$B/bad"
like "$RC $(cat "$W/err")" '^1 .*schema is 9999, this program knows' \
	"restore refuses a backup with a newer schema"
(
	restore "$B/four"
	echo "$RC" >"$W/waited"
) &
waiting=$!
waits() { grep -q 'waiting until surfaced-index ends: systemctl stop surfaced.target$' "$W/err"; }
ok "restore waits for surfaced-index" world_until 20 waits
world_kill surfaced-index
wait "$waiting"
like "$(cat "$W/waited") $(tail -1 "$W/err")" '^1 .*not empty: nothing was done' "restore goes on when surfaced-index has ended"
restore --as nobody-of-this-name "$B/four"
like "$RC $(cat "$W/err")" '^1 .*cannot become the user' "restore --as refuses an unknown user"
restore "$B/four"
like "$RC $(cat "$W/err")" '^1 .*not empty: nothing was done' "restore refuses a database with rows"
is "$(sql "SELECT count(*) FROM record_hosts")" 300 "a refused restore keeps the rows of the database"
$CTL restore --evidence "$E" --sql-dir "$SQL" --replace "$B/four" >"$W/out" 2>"$W/err"
like "$? $(tail -1 "$W/err")" "^1 .*the database is as it was" \
	"restore with a role without rights leaves the database unchanged"
is "$(sql "SELECT count(*) FROM record_hosts")" 300 "a failed restore keeps the rows of the database"

# ---- the instance is destroyed ----

api GET /access/audit/feed
position=$(field .next_cursor)
api GET "/access/audit/feed?after=$position"
is "$STATUS" 200 "the feed of the audit log goes on behind a position"

for name in nginx surfaced surfaced-meter; do world_kill "$name"; done
world_pg_stop
rm -rf "$W/db" "$W/index" "$E"
mkdir "$W/db" "$W/index" "$E"
rm -f "$W/run"/*
world_give
world_pg_new
# On most machines one user may read the backup and another one may connect to the database.
as=
! world_root || as="--as $WORLD_USER"
restore $as "$B/four"
is "$RC $(cat "$W/err")" "0 " "restore into an empty database succeeds"
is "$(sql "SELECT count(*) FROM record_hosts")" 300 "the restored database has every host"
is "$(sql "SELECT action || ' ' || subject_id FROM audit ORDER BY id DESC LIMIT 1")" \
	"database.restore $(jq -r .created_at "$B/four/manifest.json")" \
	"the audit has the restore with the time of the backup"
ok "sha256sum accepts the backup after the restore" \
	sh -c 'cd "$1" && sha256sum -c --quiet "$2"' sh "$B/four" SHA256SUMS
is "$(sql "SELECT end_reason FROM sign_in")" restored "a restore ends every sign-in (C-356)"
is "$(find "$E" -type f | wc -l)" 3 "every file of evidence is restored"
is "$($CTL migrate --check --sql-dir "$SQL" 2>&1)" "" "the restored schema is up to date"
index_start
api_start
web_start
hosts_wait 300
answers >"$W/after"
is "$(diff "$W/before" "$W/after")" "" "the restored instance gives the same answers as before"
api GET "/access/audit/feed?after=$position"
like "$STATUS $(field .error.code) $(field .error.message)" '^400 invalid_pagination .*restored from a backup' \
	"a position of the audit feed from before the restore is refused (C-928)"
api GET '/access/audit/feed?limit=1'
position=$(field .next_cursor)
is "$(sql "SELECT count(*) FROM record_hosts WHERE changed > pg_current_xact_id()")" 0 \
	"no restored host has a transaction number of the future"

# ---- restore over rows, beside a running API ----

world_kill surfaced-index
sql "DELETE FROM record_hosts" >/dev/null
restore --replace "$B/four"
is "$RC $(cat "$W/err")" "0 " "restore --replace over rows succeeds"
index_start
hosts_wait 300
answers >"$W/after"
is "$(diff "$W/before" "$W/after")" "" "the running API gives the same answers as before"
api GET "/access/audit/feed?after=$position"
is "$STATUS" 200 "a position behind a line that both restores have brought back is accepted"
