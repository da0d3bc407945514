#!/bin/sh
# SPDX-License-Identifier: ISC
# The PostgreSQL pair and the load balancer of README.Debian, as it is written: db1 is killed with -9 and its machine is
# gone, db2 is promoted; then an API host is gone. Meanwhile a client creates sessions through the balancer.
# shellcheck disable=SC2030,SC2031 # "on" works in a subshell of its own
[ -n "${HOSTS_WORLD-}" ] || exec t/helper/hosts-world "$0" "$@"
[ -x /usr/sbin/haproxy ] || {
	echo "1..0 # SKIP haproxy is not installed"
	exit 0
}
LOG_EXPECTED='\[alert\].*(could not be bound|exited)'
. t/helper/hosts.sh
for PGBIN in /usr/lib/postgresql/*/bin; do :; done
PATH=$PGBIN:$PATH
export PATH

# db NAME COMMAND...: on a machine of the pair, as its postgres.
db()
{
	_db=$1
	shift
	WORLD_DROP="$TOP/t/helper/on-host $_db" "$@"
}

# as_postgres NAME FOLDER BLOCK: runs a block of README.Debian there.
as_postgres()
{
	chapter "$3" >"$W/tmp/block"
	[ -s "$W/tmp/block" ] || fail "README.Debian has the block $3"
	(
		cd "$W/tmp" || exit 1
		PGHOST=$2 PGDATA=$2/pg
		export PGHOST PGDATA
		"$TOP/t/helper/on-host" "$1" sh -eu "$W/tmp/block"
	) >>"$W/log/blocks.log" 2>&1 || {
		diag "$3: $(tail -5 "$W/log/blocks.log")"
		fail "the commands of the block $3 succeed"
	}
}

# pg_settings NAME FOLDER
pg_settings()
{
	chapter "surfaced.conf of PostgreSQL" | sed "s,/etc/postgresql/hosts/,$2/,"
	echo "unix_socket_directories = '$2'"
}

# ---- the pair ----
db db1 pg_start
hosts_new
for _name in db1 db2; do
	_to=$W/db
	[ "$_name" = db1 ] || _to=$W/db2
	mkdir -p "$_to"
	chmod 700 "$_to"
	cp "$W/hosts/$_name.crt" "$_to/host.crt"
	cp "$W/hosts/$_name.key" "$_to/host.key"
done
db db1 world_pg_stop
pg_settings db1 "$W/db" >>"$W/db/pg/postgresql.conf"
echo "local all all trust" >"$W/db/pg/pg_hba.conf"
chapter pg_hba.conf >>"$W/db/pg/pg_hba.conf"
db db1 world_pg_resume
as_postgres db1 "$W/db" "passwords of the roles"
as_postgres db2 "$W/db2" "copy on db2"
pg_settings db2 "$W/db2" >>"$W/db2/pg/postgresql.conf"
db db2 "$TOP/t/helper/pg" resume "$W/db2"
as_postgres db1 "$W/db" "synchronous replication on db1"
replicates()
{
	[ "$(sql "SELECT sync_state FROM pg_stat_replication")" = sync ]
}
ok "db2 follows db1 synchronously" world_until 20 replicates

# ---- the API hosts ----
line=$(chapter "database in surfaced.conf")
database()
{
	for _role in api alert dispatch index meter stream admin; do
		cp "$W/../tmp/pgpass-$_role" "$W/etc/"
		_text=$(echo "$line" | sed "s,surfaced_api,surfaced_$_role,; s,pgpass-api,pgpass-$_role,; s,/etc/surfaced/,$W/etc/,g")
		for _file in "$W"/etc/surface*.conf; do
			! grep -q "user=surfaced_$_role\$" "$_file" || sed -i "s|^database = .*|$_text|" "$_file"
		done
	done
}
WORLD_LISTEN=$(chapter "listen behind a balancer")
on api1 database && on api2 database
on api1 host_start && on api2 host_start || exit 1
on api1 workers >"$W/workers1"
on api2 workers >"$W/workers2"

# ---- the balancer ----
chapter /etc/haproxy/haproxy.cfg >"$W/etc/haproxy.cfg"
/usr/sbin/haproxy -c -f "$W/etc/haproxy.cfg" >"$W/log/haproxy-check.log" 2>&1
result $? "HAProxy accepts its file in README.Debian"
"$TOP/t/helper/on-host" lb /usr/sbin/haproxy -D -f "$W/etc/haproxy.cfg" >"$W/log/haproxy.log" 2>&1
sql "UPDATE session_policy SET caller_sessions = 100000, organisation_sessions = 100000"

# client FILE: creates a session each 20 ms until FILE.stop is there; a line for each: ms status code uuid took.
cat >"$W/client.py" <<'PY'
import http.client, json, os, ssl, sys, time
out = open(sys.argv[1], 'w', buffering=1)
context = ssl.create_default_context(cafile=os.environ['W'] + '/host-api1/ca.crt')
context.check_hostname = True
class Connection(http.client.HTTPSConnection):
    def connect(self):
        import socket
        self.sock = context.wrap_socket(socket.create_connection(('192.0.2.31', 443), timeout=20), server_hostname='localhost')
while not os.path.exists(sys.argv[1] + '.stop'):
    began = time.time()
    try:
        c = Connection('localhost', timeout=20)
        c.request('POST', f'/api/v1/projects/{os.environ["P"]}/sessions', '{"start_url":"https://example.com/"}',
                  {'X-API-Key': os.environ['KEY'], 'Content-Type': 'application/json'})
        r = c.getresponse()
        body = json.loads(r.read())
        status, what = r.status, body['error']['code'] if 'error' in body else body['session']['uuid']
    except (OSError, http.client.HTTPException, ValueError, KeyError) as e:
        status, what = 0, type(e).__name__
    print(int(began * 1000), status, what, int((time.time() - began) * 1000), file=out)
    time.sleep(0.02)
PY
export W P KEY
touch "$W/seen" "$W/second"
/usr/bin/python3 "$W/client.py" "$W/seen" &
accepted()
{
	[ "$(grep -c " 202 " "$W/seen" || :)" -ge "$1" ]
}
ok "sessions are created through the balancer" world_until 30 accepted 20
unlike "$(cut -d' ' -f2 "$W/seen" | sort -u | tr '\n' ' ')" '[^0-2 ]' "before the failure nothing is refused"

host_die db1
killed=$(date +%s%3N)
PGHOST=$W/db2
refused()
{
	grep -q ' 503 ' "$W/seen"
}
ok "requests get 503 while there is no primary" world_until 30 refused
as_postgres db2 "$W/db2" "promotion of db2"
promoted=$(date +%s%3N)
n=$(grep -c ' 202 ' "$W/seen")
ok "sessions are created again after the promotion, without a restart" world_until 60 accepted $((n + 50))
back=$(awk -v at="$promoted" '$1 + $4 > at && $2 == 202 { print $1 + $4 - at; exit }' "$W/seen")
diag "killed to promoted: $((promoted - killed)) ms; promoted to the first accepted request: $back ms"
diag "answers: $(awk '{ print $2, $2 == 202 ? "" : $3 }' "$W/seen" | tally)"
diag "the slowest: $(sort -k4n "$W/seen" | tail -1)"
ok "the first request is accepted at most 5 s after the promotion ($back ms)" [ "$back" -le 5000 ]
is "$(awk '$2 != 202 && !($2 == 503 && $3 ~ /^(service|authentication)_unavailable$/) { print $2, $3 }' "$W/seen" | sort -u)" "" \
	"every request that fails meanwhile gets 503 in the envelope"
: >"$W/seen.stop"
wait
awk '$2 == 202 { print $3 }' "$W/seen" | sort >"$W/accepted"
sql "SELECT uuid FROM browser_session ORDER BY uuid::text" | sort >"$W/stored"
is "$(comm -23 "$W/accepted" "$W/stored" | wc -l)" 0 "no session that a client saw accepted is lost ($(wc -l <"$W/accepted") of them)"
on api1 workers >"$W/after1"
on api2 workers >"$W/after2"
is "$(cat "$W/after1" "$W/after2")" "$(cat "$W/workers1" "$W/workers2")" "the same workers answer before and after the failure"

# ---- an API host is gone ----
/usr/bin/python3 "$W/client.py" "$W/second" &
many()
{
	[ "$(grep -c ' 202 ' "$W/second" || :)" -ge "$1" ]
}
world_until 30 many 10
host_die api1
world_until 60 many 150
: >"$W/second.stop"
wait
diag "answers while an API host is lost: $(awk '{ print $2, $2 == 202 ? "" : $3 }' "$W/second" | tally)"
ok "the balancer sends requests to the other host when one is lost" many 150
is "$(tail -50 "$W/second" | cut -d' ' -f2 | sort -u)" 202 "after the health checks have failed nothing is refused"
