#!/bin/sh
# SPDX-License-Identifier: ISC
# The way to ClickHouse and the rights there: TLS with an authority of its own, a user that only reads for the workers of the
# API, and another for the feeder. A wrong authority or user is named (C-420).
[ -n "${LOOPBACK-}" ] || exec t/helper/loopback "$0" "$@"
. t/lib.sh
[ -x "$CH_SERVER" ] || skip_all "clickhouse-server is not installed"
WORLD_CH_TLS=yes
ch_start 1
WORLD_CONF="$WORLD_CONF
engine_hosts = clickhouse"
world_conf
world_start
"$BUILD/t/helper/hostgen" --hosts 60 --seed 1 | ctl import hosts --quiet - >/dev/null
hosts_wait 60

# configure PROGRAM NAME VALUE...
configure()
{
	_file=$W/etc/$1.conf
	shift
	while [ $# -gt 1 ]; do
		sed -i "/^$1 = /d" "$_file"
		echo "$1 = $2" >>"$_file"
		shift 2
	done
}

# workers NAME VALUE...: restarts the workers with these parameters.
workers()
{
	world_kill surfaced
	configure surfaced "$@"
	api_start
}

# feeder NAME VALUE...
feeder()
{
	world_kill surfaced-index
	configure surfaced-index "$@"
	: >"$W/log/surfaced-index.log"
	world_daemon surfaced-index
}

# feeder_says TEXT: in a line about a failure.
feeder_says()
{
	grep 'clickhouse=failed' "$W/log/surfaced-index.log" | grep -qF "$1"
}

count=/search/hosts/count

answer()
{
	api GET "$count"
	echo "$STATUS $(field '.error.code // .count')"
}

# finding PROGRAM: state and words of doctor about its user.
finding()
{
	ctl --json doctor --etc "$W/etc" --nginx "$W/etc/nginx.conf" --sql-dir "$SQL" --user "$WORLD_USER" 2>/dev/null |
		jq -r --arg p "$1" '.checks[] | select(.check == "clickhouse_user" and (.detail | startswith($p + ":"))) |
		"\(.state) \(.detail)"'
}

# ---- TLS ----

like "$CH_URL" '^https://' "the servers are asked by https"
is "$(answer)" "200 60" "the feeder and the workers trust the authority of clickhouse_ca_file"

mkdir "$W/other"
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -noenc -keyout "$W/other/ca.key" -out "$W/other/ca.crt" -days 30 \
	-subj '/CN=surfaced private authority' -addext basicConstraints=critical,CA:TRUE 2>"$W/log/other.log"
chmod 644 "$W/other/ca.crt"
chmod 755 "$W/other"
workers clickhouse_ca_file "$W/other/ca.crt"
is "$(answer)" "503 search_service_misconfigured" "a certificate of another authority is search_service_misconfigured (C-420)"
workers clickhouse_ca_file ""
is "$(answer)" "503 search_service_misconfigured" "the authorities of the system do not vouch for the server (C-420)"
printf '127.0.0.1 localhost other.example\n' >"$W/hosts"
chmod 644 "$W/hosts"
if loopback mount --bind "$W/hosts" /etc/hosts; then
	workers clickhouse_ca_file "$W/ca.crt" clickhouse_url "https://other.example:$(world_ch_port 1 https)"
	is "$(answer)" "503 search_service_misconfigured" "a certificate of another name is search_service_misconfigured (C-420)"
else
	diag "/etc/hosts cannot be replaced: a certificate of another name was not tested"
fi
workers clickhouse_ca_file "$W/ca.crt" clickhouse_url "$CH_URL"
is "$(answer)" "200 60" "with the authority and the name of the certificate it is trusted again"
feeder clickhouse_ca_file "$W/other/ca.crt"
ok "the feeder logs that it does not trust the server" world_until 30 feeder_says "misconfigured, user surfaced_index: SSL certificate problem"
feeder clickhouse_ca_file "$W/ca.crt"

# ---- rights ----

# refused USER SQL: the code of the refusal.
refused()
{
	CH_AS=$1 ch 1 "$2" 2>&1 | grep -oE 'Code: [0-9]+'
}

for statement in 'INSERT INTO feeds (layout) VALUES (9)' 'DROP TABLE hosts_1' 'CREATE TABLE mine (a UInt8) ENGINE = Log' \
	'ALTER TABLE hosts_1 DROP COLUMN gone' 'RENAME TABLE hosts_1 TO mine'; do
	is "$(refused search "$statement")" "Code: 164" "the user of the workers may not: $statement"
done
world_ch_query 1 'CREATE DATABASE IF NOT EXISTS other'
ch 1 'CREATE TABLE other.theirs (a UInt8) ENGINE = Log'
is "$(refused search 'SELECT * FROM other.theirs')" "Code: 291" "the user of the workers reads no other database (C-913)"
is "$(refused index 'CREATE TABLE other.mine (a UInt8) ENGINE = Log')" "Code: 291" "the user of the feeder writes no other database (C-913)"
is "$(refused index 'CREATE DATABASE mine')" "Code: 291" "the user of the feeder makes no database"

like "$(finding surfaced)" "^ok .*surfaced_search may only read" "doctor finds that the user of the workers may only read"
like "$(finding surfaced-index)" "^ok .*surfaced_index may write" "doctor finds that the user of the feeder may write"
feeder clickhouse_user surfaced_search clickhouse_password_file "$W/ch/password-surfaced_search"
ok "a feeder without the right to write says so" world_until 30 feeder_says "the user surfaced_search has no right to write"
like "$(finding surfaced-index)" "^failed .*the user surfaced_search has no right to write" "doctor names the user that may not write"
workers clickhouse_user surfaced_index clickhouse_password_file "$W/ch/password-surfaced_index"
like "$(finding surfaced)" "^warning .*surfaced_index may change what is searched" "doctor warns of workers that may write (C-913)"
world_ch_stop
