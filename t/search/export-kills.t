#!/bin/sh
# SPDX-License-Identifier: ISC
# An export whose writers are killed again and again becomes whole all the same, also when the index changes meanwhile; a
# full disk fails it (C-413).
. t/lib.sh
HOSTS=${HOSTS:-30000} KILLS=${KILLS:-12}
WORLD_CONF='export_lease = 100
export_poll = 10
export_checkpoint = 1
export_workers = 1'
world_start
"$BUILD/t/helper/hostgen" --hosts "$HOSTS" --seed 3 | ctl import hosts - >/dev/null
hosts_wait "$HOSTS"

row()
{
	sql "SELECT $1 FROM search_export WHERE uuid = '$UUID'"
}

written_beyond()
{
	[ "$(row "(state = 'running' AND written > $1 OR finished_at IS NOT NULL)::int")" = 1 ]
}

ended()
{
	[ "$(row "(finished_at IS NOT NULL)::int")" = 1 ]
}

# kill_all: the master and its workers at once; kill_worker: a worker, which the master replaces.
kill_all()
{
	_master=$(world_pid surfaced-export)
	# shellcheck disable=SC2046 # a list of processes
	kill -KILL "$_master" $(pgrep -P "$_master") 2>/dev/null
	world_until 10 world_gone surfaced-export
}

kill_worker()
{
	# shellcheck disable=SC2046 # a list of processes
	kill -KILL $(pgrep -P "$(world_pid surfaced-export)") 2>/dev/null
}

lines()
{
	case $1 in
	zstd) zstd -dc "$W/exports/$UUID".*.zst ;;
	gzip) gzip -dc "$W/exports/$UUID".*.gz ;;
	identity) cat "$W/exports/$UUID".ndjson ;;
	esac
}

export_start
for compression in zstd gzip identity; do
	api POST /search/hosts/exports "{\"query\":\"*\",\"compression\":\"$compression\"}"
	UUID=$(field .export.uuid) kills=0 last=0
	while [ "$kills" -lt "$KILLS" ]; do
		world_until 30 written_beyond "$last"
		! ended || break
		if [ $((kills % 2)) = 0 ]; then
			kill_worker
		else
			kill_all
			world_export_start
		fi
		kills=$((kills + 1))
		last=$(row written)
		if [ "$kills" = 3 ]; then
			# The index becomes another one: each second host gets a new document, some go.
			sql "UPDATE record SET doc = regexp_replace(doc, '\"asn\":[0-9]+', '\"asn\":64500') WHERE dataset = 1
				AND get_byte(key, octet_length(key) - 1) % 2 = 1" >/dev/null
		fi
	done
	diag "$kills kills, the last at $last of $HOSTS"
	world_until 60 ended
	is "$(row "state || ' ' || (resumed > 0)")" "complete true" "an export ($compression) becomes complete after kills (C-413)"
	is "$(cat "$W/exports/$UUID".ndjson* | sha256sum | cut -d' ' -f1)" "$(row "encode(sha256, 'hex')")" "the sha256 of an export ($compression) is that of its file after kills"
	lines "$compression" >"$W/lines"
	is "$(tail -1 "$W/lines" | jq -c '[.end.records, .end.gone, .end.complete]') $(sed '1d;$d' "$W/lines" | wc -l)" "[$HOSTS,0,true] $HOSTS" \
		"an export ($compression) has every host once, between its first and its last line, after kills"
	sed '1d;$d' "$W/lines" | jq -r .ip >"$W/ips"
	sql "SELECT doc::jsonb ->> 'ip' FROM record WHERE dataset = 1 AND NOT gone ORDER BY key" >"$W/wanted"
	ok "the hosts of an export ($compression) are in the order of their keys after kills" cmp -s "$W/ips" "$W/wanted"
	rm -f "$W/exports/$UUID".*
done

# ---- between the rename and the row ----

# A lock keeps export_complete from its end; the file has its last name by then.
world_kill surfaced-export
api POST /search/hosts/exports '{"query":"*","compression":"identity"}'
UUID=$(field .export.uuid)
mkfifo "$W/session"
psql -XqAt <"$W/session" >"$W/session.out" &
exec 9>"$W/session"
echo 'BEGIN; SELECT 1 FROM export_month FOR UPDATE;' >&9
world_until 10 test -s "$W/session.out"
world_export_start
world_until 60 test -e "$W/exports/$UUID.ndjson"
is "$(row state)" running "an export whose file has its last name is not complete before its row is"
kill_all
echo 'ROLLBACK;' >&9
exec 9>&-
wait
world_export_start
world_until 60 ended
is "$(row state) $(sed '1d;$d' "$W/exports/$UUID.ndjson" | wc -l) $(jq -c 'select(.end) | .end.records' "$W/exports/$UUID.ndjson")" \
	"complete $HOSTS $HOSTS" "an export that was killed after the rename is cut at its last checkpoint and ended again (C-413)"
is "$(sha256sum <"$W/exports/$UUID.ndjson" | cut -d' ' -f1)" "$(row "encode(sha256, 'hex')")" "the sha256 of an export that was ended again is that of its file"

# ---- no file ----

kill_all
sql "UPDATE search_export SET state = 'running', finished_at = NULL, expires_at = NULL, sha256 = NULL, lease_until = NULL
	WHERE uuid = '$UUID'"
rm "$W/exports/$UUID".*
world_export_start
world_until 60 ended
is "$(row state) $(sed '1d;$d' "$W/exports/$UUID.ndjson" | wc -l)" "complete $HOSTS" "an export whose file was lost is written from its beginning"

# ---- a stopped process ----

world_kill surfaced-export
api POST /search/hosts/exports '{"query":"*","compression":"identity"}'
UUID=$(field .export.uuid)
world_export_start
world_until 30 written_beyond 0
world_kill surfaced-export
is "$(row "state || ' ' || (lease_until <= now())")" "running true" "a writer that is told to stop gives its export back"
world_export_start
world_until 60 ended
is "$(row state)" complete "the next writer ends an export that was given back"

# ---- cancelled while it is written ----

api POST /search/hosts/exports '{"query":"*","compression":"identity"}'
UUID=$(field .export.uuid)
world_until 30 written_beyond 0
api DELETE "/search/exports/$UUID"
gone()
{
	! ls "$W/exports/$UUID".* >/dev/null 2>&1
}
world_until 30 gone
result $? "the file of an export that is cancelled while it is written is removed (C-413)"
is "$(row "state || ' ' || charged")" "cancelled 0" "an export that is cancelled while it is written costs nothing"

# A right that is lost while an export is written.
scoped=$(key_new --scope search.view)
key=$scoped api POST /search/hosts/exports '{"query":"*","compression":"identity"}'
UUID=$(field .export.uuid)
world_until 30 written_beyond 0
ctl keys revoke "$(printf %s "$scoped" | cut -d_ -f1,2)" >/dev/null
world_until 30 ended
is "$(row "state || ' ' || error || ' ' || charged")" "cancelled access_revoked 0" "an export whose key is revoked while it is written is cancelled"

# ---- a full disk ----

world_kill surfaced-export
if (world_as unshare -Urm mount -t tmpfs -o size=1m none "$W/exports") 2>/dev/null; then
	# shellcheck disable=SC2016 # for the inner shell
	world_spawn surfaced-export unshare -Urm sh -c 'mount -t tmpfs -o size=1m none "$1" && exec "$2" -c "$3"' \
		- "$W/exports" "$BIN/surfaced-export" "$W/etc/surfaced-export.conf"
	charged=$(sql "SELECT sum(charged) FROM export_month")
	api POST /search/hosts/exports '{"query":"*","compression":"identity"}'
	UUID=$(field .export.uuid)
	world_until 60 ended
	is "$(row "state || ' ' || error") $(sql "SELECT sum(charged) FROM export_month")" "failed disk_full $charged" \
		"a full disk fails an export with its reason and gives its records back (C-413)"
	api POST /search/hosts/exports '{"query":"country_code:GB","compression":"zstd","fields":["ip"]}'
	UUID=$(field .export.uuid)
	world_until 60 ended
	is "$(row state)" complete "the disk is free again for a smaller export"
else
	skip "no namespace of mounts may be made here"
fi
