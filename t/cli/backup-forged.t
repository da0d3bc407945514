#!/bin/sh
# SPDX-License-Identifier: ISC
# surfacectl restore of a backup that somebody has changed who can write to the place of the backups, but does not know
# backup_key_file. PostgreSQL's superuser executes a dump, so this dump would run a program.
. t/lib.sh
pg_start
"$BUILD/t/helper/hostgen" --hosts 20 --seed 3 | ctl import hosts - >/dev/null
KEY=$W/etc/backup-key
GOOD=$W/good
RAN=$W/tmp/ran

restore()
{
	$CTL --database "host=$W/db dbname=surfaced user=postgres" restore --evidence "$W/evidence" --sql-dir "$SQL" "$@" >"$W/out" 2>"$W/err"
	RC=$?
}
# refused TITLE MESSAGE
refused()
{
	like "$RC $(tail -1 "$W/err")" "^1 surfacectl: .*$2" "$1"
	is "$(ls "$RAN" 2>/dev/null) $(sql "SELECT count(*) FROM record_hosts")" " 20" "$1, runs nothing, and keeps the rows"
}
forged='it was changed, or made by a machine with another key than .*/etc/backup-key: '

ctl backup --evidence "$W/evidence" "$GOOD" >/dev/null 2>"$W/err"
is "$(stat -c %a "$KEY")" 600 "only the owner can read the key of backups"
is "$(cat "$GOOD/manifest.hmac")" \
	"$(openssl dgst -sha256 -mac HMAC -macopt "hexkey:$(sha256sum <"$KEY" | cut -c 1-64)" <"$GOOD/manifest.json" | sed 's/.* //')" \
	"openssl computes the proof of a backup from the manifest and the key"
restore --check "$GOOD"
is "$RC" 0 "restore --check accepts a backup that nobody has changed"

# ---- a dump that runs a program ----

sql "CREATE DATABASE hostile"
PGDATABASE=hostile psql -XqAt -v ON_ERROR_STOP=1 <<END
CREATE FUNCTION run(i integer) RETURNS integer LANGUAGE plpgsql VOLATILE
	AS 'BEGIN COPY (SELECT 1) TO PROGRAM ''cat >$RAN''; RETURN i; END';
CREATE FUNCTION hidden(i integer) RETURNS integer LANGUAGE plpgsql IMMUTABLE AS 'BEGIN RETURN public.run(i); END';
CREATE TABLE t (i integer);
INSERT INTO t VALUES (1);
CREATE INDEX ON t (hidden(i));
END
rm "$RAN"
pg_dump -Fc hostile >"$W/hostile.dump"

# forge DIR: with all hashes of the changed backup.
forge()
{
	rm -rf "$1"
	cp -r "$GOOD" "$1"
	cp "$W/hostile.dump" "$1/database.dump"
	(cd "$1" && sed -i "s/^.*  database.dump\$/$(sha256sum database.dump)/" SHA256SUMS &&
		sed -i "s/\"sums\":\"[0-9a-f]*\"/\"sums\":\"$(sha256sum <SHA256SUMS | cut -c 1-64)\"/" manifest.json)
}
forge "$W/forged"
is "$(cd "$W/forged" && sha256sum -c --quiet SHA256SUMS && echo good)" good "all hashes of the changed backup are right"
restore --check "$W/forged"
like "$RC $(cat "$W/err")" "^1 surfacectl: $W/forged: $forged" "restore --check refuses a changed backup whose hashes are right"
restore --replace "$W/forged"
refused "restore refuses a changed backup whose hashes are right" "$forged"
rm "$W/forged/manifest.hmac"
restore --replace "$W/forged"
refused "restore refuses a backup without its proof" "$forged"
openssl dgst -sha256 -mac HMAC -macopt "hexkey:$(openssl rand -hex 32)" <"$W/forged/manifest.json" | sed 's/.* //' >"$W/forged/manifest.hmac"
restore --replace "$W/forged"
refused "restore refuses a proof with another key" "$forged"

# ---- a dump that is changed after its hash was compared ----

# restore reads the files in the order of SHA256SUMS, so it has compared the dump when it opens this pipe.
cp -r "$GOOD" "$W/swapped"
rm "$W/swapped/fingerprint-key"
mkfifo "$W/swapped/fingerprint-key"
(
	restore --replace "$W/swapped"
	echo "$RC" >"$W/status"
) &
waiting=$!
exec 3>"$W/swapped/fingerprint-key"
cp "$W/hostile.dump" "$W/swapped/database.dump"
cat "$GOOD/fingerprint-key" >&3
exec 3>&-
wait "$waiting"
RC=$(cat "$W/status")
like "$(cat "$W/err")" "swapped/database.dump: somebody has changed it since its hash was compared" \
	"restore names a dump that changes while it is restored"
refused "restore refuses a dump that changes while it is restored" "the database is as it was"

# ---- the key ----

mv "$KEY" "$W/kept"
restore --replace "$GOOD"
refused "restore without the key refuses every backup" "etc/backup-key: No such file"
is "$(ls "$KEY" 2>/dev/null)" "" "restore makes no key"
openssl rand -hex 32 >"$KEY"
chmod 600 "$KEY"
restore --replace "$GOOD"
refused "restore refuses a backup of a machine with another key" "$forged.*--trust"
echo short >"$KEY"
restore --replace "$GOOD"
refused "restore refuses a key that is too short" "etc/backup-key: must hold 32 to"
cp "$W/kept" "$KEY"
chmod 644 "$KEY"
restore --replace "$GOOD"
refused "restore refuses a key that every user can read" "etc/backup-key can be read by every user"
ctl backup --evidence "$W/evidence" "$W/open" >"$W/out" 2>"$W/err"
like "$? $(cat "$W/err")" "^1 .*etc/backup-key can be read by every user" "backup refuses a key that every user can read"
chmod 600 "$KEY"
restore --replace "$GOOD"
is "$RC $(cat "$W/err")" "0 " "restore accepts a backup of this machine"
ctl backup --evidence "$W/evidence" "$W/again" >"$W/out" 2>"$W/err"
is "$? $(cat "$W/err")" "0 " "a later backup uses the same key"

# ---- a backup whose key is lost ----

rm "$KEY"
restore --replace --trust "$GOOD"
is "$RC $(cat "$W/err")" "0 " "restore --trust needs no key"
restore --replace --trust "$W/forged"
is "$RC $(ls "$RAN")" "1 $RAN" "restore --trust runs what a dump contains, so the refused attacks were real"
