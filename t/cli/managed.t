#!/bin/sh
# SPDX-License-Identifier: ISC
# A PostgreSQL elsewhere, as managed services give it: over TCP with TLS and passwords, and without a superuser; and
# PgBouncer in front of a PostgreSQL.
if [ -z "${IN_NETWORK-}" ] && [ "$(id -u)" -eq 0 ]; then
	export IN_NETWORK=1
	exec unshare --net "$0" "$@"
fi
. t/lib.sh

world_root || skip_all "a network of its own takes root"
ip link set lo up
ip address add 192.0.2.10/32 dev lo


doctor()
{
	HOME=$W/home "$BIN/surfacectl" -c "$W/etc/surfacectl.conf" --json doctor --etc "$W/etc" --nginx "$W/etc/nginx.conf" \
		--sql-dir "$SQL" --user "$WORLD_USER" >"$W/doctor" 2>"$W/doctor.err"
}

faults() { jq -r '.checks[] | select(.state != "ok" and .check != "clock" and .check != "disk") | .check + ": " + .detail' "$W/doctor"; }

# ---- a role that owns the database and may create roles ----

world
world_certificate
world_pg_new
cp "$W/tls/server.crt" "$W/tls/server.key" "$W/db/pg/"
chown "$WORLD_USER" "$W/db/pg"/server.*
chmod 600 "$W/db/pg/server.key"
cat >>"$W/db/pg/postgresql.conf" <<END
listen_addresses = '192.0.2.10'
ssl = on
END
{
	echo 'hostssl surfaced all 192.0.2.10/32 scram-sha-256'
	cat "$W/db/pg/pg_hba.conf"
} >"$W/tmp/hba" && cat "$W/tmp/hba" >"$W/db/pg/pg_hba.conf"
world_pg_stop
world_pg_resume
sql "CREATE ROLE provider LOGIN CREATEDB CREATEROLE PASSWORD 'provider'; ALTER DATABASE surfaced OWNER TO provider"
mkdir -m 700 "$W/home"
remote="host=192.0.2.10 dbname=surfaced sslmode=require"
migrate() { PGPASSWORD=provider "$BIN/surfacectl" --database "$remote user=provider" migrate --sql-dir "$SQL" >"$W/out" 2>&1; }
ok "the owner of the database, with CREATEROLE, applies everything" migrate
is "$(sql "SELECT count(*) FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relowner <> 'surfaced_owner'::regrole")" 0 \
	"each object belongs to surfaced_owner"
ok "the owner of the database applies everything again" migrate
ok "surfaced_admin finds nothing to migrate" "$BIN/surfacectl" --database "host=$W/db dbname=surfaced user=surfaced_admin" migrate --check --sql-dir "$SQL"

# The commands of README.Debian, with the names of this world.
# chapter TITLE: the block of README.Debian that a line "  # TITLE" begins, without the indentation.
chapter()
{
	awk -v title="$1" '
		inside && !/^  / && !/^$/ { exit }
		inside { sub(/^  /, ""); print }
		$0 == "  # " title { inside = 1 }' debian/README.Debian
}
chapter "a database elsewhere" >"$W/tmp/elsewhere"
sed -i -e 's,db.example.com,192.0.2.10,; s, sslmode=verify-full, sslmode=require,; s, sslrootcert=[^ "]*,,' -e "s,/etc/surfaced,$W/etc,g" \
	-e "s,chown [^ ]*:,chown $WORLD_USER:," -e "/^surfacectl /{ s,^,$BIN/,; s,\$, --sql-dir $SQL,; }" "$W/tmp/elsewhere"
ok "the commands of README.Debian give each role a password" sh -c 'PGPASSWORD=provider sh -eu "$1" >"$1.out" 2>&1 || { cat "$1.out" >&2; exit 1; }' sh "$W/tmp/elsewhere"
like "$(cat "$W/etc/surfaced-meter.conf")" "^database = host=192.0.2.10 dbname=surfaced sslmode=require *user=surfaced_meter passfile=$W/etc/pgpass-surfaced_meter\$" \
	"the commands of README.Debian change the configuration"
world_give
rm -f "$W/etc/surfaced-alert.conf" "$W/etc/surfaced-dispatch.conf" "$W/etc/surfaced-egress.conf" "$W/etc/surfaced-stream.conf" \
	"$W/etc/surfaced-export.conf" "$W/etc/surfaced-detect.conf"
seeded=$(world_seed 2>"$W/err") || diag "$(cat "$W/err")"
eval "$seeded"
P=$PROJECT key=$KEY
echo 'public_url = https://localhost' >>"$W/etc/surfaced.conf"
WORLD_ENV="HOME=$W/tmp" # as a unit gives it: that of its user
index_start
api_start
web_start ''
sed -i "1i user $WORLD_USER;" "$W/etc/nginx.conf" # the doctor, which is root, asks what this user may do
"$BUILD/t/helper/hostgen" --hosts 20 --seed 1 | ctl import hosts - >/dev/null
hosts_wait 20
api GET /search/hosts/count
is "$STATUS $(field .count)" "200 20" "searches are answered from a database over TLS with passwords"
doctor
is "$(faults)" "" "doctor, whose HOME no daemon may read, finds no fault in an installation with a database elsewhere"
world_pg_stop
doctor
like "$(jq -r '.checks[] | select(.check == "database" and .state == "failed") | .advice' "$W/doctor")" \
	'^correct database in .*/surfacectl.conf, or PostgreSQL and its pg_hba.conf on 192.0.2.10' "the advice names the machine of the database"
unlike "$(jq -r '.checks[].advice // ""' "$W/doctor")" 'systemctl start postgresql' "no advice is about a PostgreSQL of this machine"
world_pg_resume

# ---- PgBouncer ----

for name in surfaced-index surfaced surfaced-meter nginx; do
	world_kill "$name"
done
mkdir "$W/pool"
chown "$WORLD_USER" "$W/pool"
printf '%s\n' '[databases]' "surfaced = host=$W/db dbname=surfaced" '[pgbouncer]' 'pool_mode = session' "unix_socket_dir = $W/pool" \
	'listen_port = 6432' 'auth_type = trust' "auth_file = $W/pool/users" "pidfile = $W/pool/pid" \
	'admin_users = surfaced_admin' >"$W/pool/ini"
sql "SELECT format('\"%s\" \"\"', rolname) FROM pg_roles WHERE rolname LIKE 'surfaced%'" >"$W/pool/users"
world_spawn pgbouncer pgbouncer "$W/pool/ini"
world_until 20 test -S "$W/pool/.s.PGSQL.6432" || diag "$(cat "$W/log/pgbouncer.log")"
for file in "$W"/etc/surfaced*.conf "$W/etc/surfacectl.conf"; do
	sed -i "s,^database = .*user=\([a-z_]*\).*,database = host=$W/pool port=6432 dbname=surfaced user=\1," "$file"
done
index_start
api_start
world_nginx_run
"$BUILD/t/helper/hostgen" --hosts 30 --seed 2 | ctl import hosts - >/dev/null
hosts_wait 50
doctor
is "$(faults)" "" "doctor finds no fault behind a PgBouncer that pools sessions"
ctl members list --account Example >"$W/out" 2>&1
is "$?" 0 "surfacectl works behind a PgBouncer that pools sessions"
ctl accounts create Other >/dev/null
is "$(sql "SELECT actor FROM audit WHERE action = 'account.create' ORDER BY at DESC LIMIT 1")" "os:root" \
	"the audit log names the user of surfacectl behind PgBouncer"
sed -i 's/^pool_mode = .*/pool_mode = transaction/' "$W/pool/ini"
world_kill pgbouncer
world_spawn pgbouncer pgbouncer "$W/pool/ini"
world_until 20 test -S "$W/pool/.s.PGSQL.6432"
like "$(ctl members list --account Example 2>&1)" 'PgBouncer must pool sessions and not transactions' "surfacectl refuses a PgBouncer that pools transactions"
logged() { grep -q 'PgBouncer must pool sessions and not transactions' "$W/log/surfaced-index.log"; }
ok "a daemon refuses a PgBouncer that pools transactions, and logs it" world_until 20 logged
doctor
like "$(jq -r '.checks[] | select(.check == "database" and .state == "failed") | .detail + " -> " + .advice' "$W/doctor")" \
	'PgBouncer must pool sessions and not transactions -> set pool_mode = session' "doctor names the setting of PgBouncer"
world_kill pgbouncer
