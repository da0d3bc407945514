# shellcheck shell=sh
# SPDX-License-Identifier: ISC
# Real ClickHouse servers of a world: N processes of the world's user, each a shard of the cluster "surfaced", with a
# folder W/ch/I (data, configuration, logs) and ports of its own. t/helper/world.sh reads this file.
#
# WORLD_CH_ADDRESS: the address of shard I is this text with I for %d; default 127.0.0.1. In a network namespace of its
# own a test may give each shard an address that it can take away (t/helper/loopback).

CH_SERVER=/usr/sbin/clickhouse-server
CH_PASSWORD=a-password-of-the-world # of each user, with its name before it

# Lines for the programs of a role. Each user has the rights that surfaced -D clickhouse=18-users prints; "surfaced" is
# the user of the tests, who may do anything.
world_ch_user()
{
	case $1 in
	api | export) _user=surfaced_search ;;
	*) _user=surfaced_index ;;
	esac
	echo "clickhouse_user = $_user"
	echo "clickhouse_password_file = $W/ch/password-$_user"
}

world_ch_address()
{
	# shellcheck disable=SC2059 # the format is the parameter
	printf "${WORLD_CH_ADDRESS:-127.0.0.1}" "$1"
}

# world_ports N: N ports that are free and that no other server, which may be about to start, was given; a line each.
world_ports()
{
	for _port in $(shuf -i 20000-32000 -n 200); do
		ss -Hltn "sport = :$_port" | grep -q . || grep -qsw "$_port" "${W%/*}"/*/ch/*/ports || echo "$_port"
	done | head -n "$1"
}

# world_ch_port I KIND: http, tcp or interserver.
world_ch_port()
{
	sed -n "s/^$2 //p" "$W/ch/$1/ports"
}

world_ch_shards()
{
	for _i in $(seq "$1"); do
		printf '<shard><internal_replication>true</internal_replication><replica><host>%s</host><port>%s</port>' \
			"$(world_ch_address "$_i")" "$(world_ch_port "$_i" tcp)"
		echo "<user>surfaced_shard</user><password>$CH_PASSWORD-shard</password></replica></shard>"
	done
}

# world_ch_tls I: the port of https, where WORLD_CH_TLS is set, with the certificate of the world.
world_ch_tls()
{
	[ -n "${WORLD_CH_TLS-}" ] || return 0
	echo "<https_port>$(world_ch_port "$1" https)</https_port><openSSL><server>"
	echo "<certificateFile>$W/ch/server.crt</certificateFile><privateKeyFile>$W/ch/server.key</privateKeyFile>"
	echo "<verificationMode>none</verificationMode><loadDefaultCAFile>false</loadDefaultCAFile>"
	echo "<disableProtocols>sslv2,sslv3,tlsv1,tlsv1_1</disableProtocols></server></openSSL>"
}

# world_ch_url I
world_ch_url()
{
	_kind=${WORLD_CH_TLS:+https}
	echo "${_kind:-http}://$(world_ch_address "$1"):$(world_ch_port "$1" "${_kind:-http}")"
}

# world_ch_conf I N
world_ch_conf()
{
	cat >"$W/ch/$1/config.xml" <<-END_CONF
		<yandex>
			<logger><level>${CH_LOG:-warning}</level><log>$W/ch/$1/server.log</log>
				<errorlog>$W/ch/$1/error.log</errorlog></logger>
			<listen_host>$(world_ch_address "$1")</listen_host>
			<http_port>$(world_ch_port "$1" http)</http_port>
			<tcp_port>$(world_ch_port "$1" tcp)</tcp_port>
			$(world_ch_tls "$1")
			<interserver_http_port>$(world_ch_port "$1" interserver)</interserver_http_port>
			<path>$W/ch/$1/data/</path>
			<tmp_path>$W/ch/$1/tmp/</tmp_path>
			<users_config>users.xml</users_config>
			<default_profile>default</default_profile>
			<default_database>default</default_database>
			<mark_cache_size>268435456</mark_cache_size>
			<max_concurrent_queries>100</max_concurrent_queries>
			<keep_alive_timeout>10</keep_alive_timeout>
			<timezone>UTC</timezone>
			<remote_servers><surfaced>$(world_ch_shards "$2")</surfaced></remote_servers>
			<distributed_ddl><path>/clickhouse/task_queue/ddl</path></distributed_ddl>
		</yandex>
	END_CONF
	cat >"$W/ch/$1/users.xml" <<-END_USERS
		<yandex>
			<profiles><default><load_balancing>random</load_balancing></default></profiles>
			<quotas><default></default></quotas>
			<users><surfaced>
				<password>$CH_PASSWORD</password>
				<networks><ip>::/0</ip></networks>
				<profile>default</profile><quota>default</quota>
			</surfaced></users>
		</yandex>
	END_USERS
	mkdir -p "$W/ch/$1/users.d"
	# As an operator does: the SHA-256 of each password in place of its name.
	"$BIN/surfaced" -D clickhouse=18-users >"$W/ch/$1/users.d/surfaced.xml"
	for _user in search index shard; do
		sed -i "s/SURFACED_$(echo "$_user" | tr a-z A-Z)/$(printf %s "$CH_PASSWORD-$_user" | sha256sum | cut -c 1-64)/" \
			"$W/ch/$1/users.d/surfaced.xml"
	done
}

# world_ch_ready I: it answers.
world_ch_ready()
{
	curl -sf -o "$W/tmp/ping" "http://$(world_ch_address "$1"):$(world_ch_port "$1" http)/ping"
}

world_ch_decided()
{
	world_ch_ready "$1" || ! world_running "clickhouse-$1"
}

# world_ch_resume I: starts a server that is configured.
world_ch_resume()
{
	world_spawn "clickhouse-$1" "$CH_SERVER" "--config-file=$W/ch/$1/config.xml"
	world_until 30 world_ch_decided "$1"
	world_ch_ready "$1" || world_die "ClickHouse $1 did not start: $(cat "$W/log/clickhouse-$1.log" "$W/ch/$1/error.log" | tail -n 20)"
}

world_ch_passwords()
{
	printf %s "$CH_PASSWORD" >"$W/ch/password"
	for _user in surfaced_search surfaced_index; do
		printf %s "$CH_PASSWORD-${_user#*_}" >"$W/ch/password-$_user"
	done
	chmod 600 "$W"/ch/password*
}

# world_ch_start N [SHARDS]: N servers, of which the first SHARDS are the cluster (all), and the parameters of the daemons
# that name them in WORLD_CONF.
world_ch_start()
{
	[ -x "$CH_SERVER" ] || world_die "clickhouse-server is not installed"
	CH_N=$1
	for _i in $(seq "$CH_N"); do
		mkdir -p "$W/ch/$_i/data" "$W/ch/$_i/tmp"
		world_ports 4 | paste -d ' ' - - - - | {
			read -r _http _tcp _inter _https
			printf 'http %s\ntcp %s\ninterserver %s\nhttps %s\n' "$_http" "$_tcp" "$_inter" "$_https"
		} >"$W/ch/$_i/ports"
	done
	for _i in $(seq "$CH_N"); do
		world_ch_conf "$_i" "${2:-$CH_N}"
	done
	world_ch_passwords
	if [ -n "${WORLD_CH_TLS-}" ]; then
		world_certificate
		cp "$W/tls/server.crt" "$W/tls/server.key" "$W/ch/"
	fi
	! world_root || chown -R "$WORLD_USER" "$W/ch"
	for _i in $(seq "$CH_N"); do
		world_ch_resume "$_i"
	done
	for _i in $(seq "$CH_N"); do
		world_ch_query "$_i" 'CREATE DATABASE IF NOT EXISTS surfaced' || world_die "ClickHouse $_i has no database"
	done
	world_ch_name
}

# The parameters that name the servers, in WORLD_CONF.
world_ch_name()
{
	CH_URL=$(world_ch_url 1)
	WORLD_CONF="${WORLD_CONF-}
clickhouse_url = $CH_URL
clickhouse_servers =$(for _i in $(seq "$CH_N"); do
		printf ' %s' "$(world_ch_url "$_i")"
	done)
clickhouse_database = surfaced${WORLD_CH_TLS:+
clickhouse_ca_file = $W/ca.crt}"
}

# world_ch_answers N: N servers, which answer the searches of every dataset.
world_ch_answers()
{
	world_ch_start "$1"
	for _dataset in hosts dns whois certificates reports open_directories; do
		WORLD_CONF="$WORLD_CONF
engine_$_dataset = clickhouse"
	done
}

# world_ch_query I SQL: as text; the exception of the server goes to stderr. CH_AS: search, index or shard.
world_ch_query()
{
	curl -sS --fail-with-body "http://$(world_ch_address "$1"):$(world_ch_port "$1" http)/?database=$(
		[ "${2#CREATE DATABASE}" = "$2" ] && echo surfaced || echo default
	)" -H "X-ClickHouse-User: surfaced${CH_AS:+_$CH_AS}" -H "X-ClickHouse-Key: $CH_PASSWORD${CH_AS:+-$CH_AS}" --data-binary "$2"
}

# world_ch_script I WHAT: runs the statements that surfaced -D WHAT prints.
world_ch_script()
{
	_statement=
	"$BIN/surfaced" -D "$2" >"$W/tmp/script.sql"
	while read -r _line; do
		case $_line in
		--*) continue ;;
		esac
		_statement="$_statement $_line"
		case $_line in
		*\;)
			world_ch_query "$1" "${_statement%;}" || return 1
			_statement=
			;;
		esac
	done <"$W/tmp/script.sql"
}

# world_chdb_start: in place of a server, the library of the npm package chdb, which is a present release (t/helper/chdb).
# It has the port of server 1.
world_chdb_start()
{
	CH_N=1
	mkdir -p "$W/ch/1"
	world_ch_passwords
	"$BIN/surfaced" -D clickhouse=26-users >"$W/ch/users.sql"
	! world_root || chown -R "$WORLD_USER" "$W/ch"
	install -m 755 "$TOP/t/helper/chdb" "$W/"
	world_spawn chdb /usr/bin/python3 "$W/chdb" "$1" "$W/ch/1" "$W/ch/users.sql" "$W/ch/port"
	world_until 60 test -s "$W/ch/port" || world_die "chdb did not start: $(tail -n 5 "$W/log/chdb.log")"
	printf 'http %s\n' "$(cat "$W/ch/port")" >"$W/ch/1/ports"
	world_ch_name
}

# world_ch_kill I: a crash.
world_ch_kill()
{
	world_kill "clickhouse-$1" KILL
}

world_ch_stop()
{
	for _dir in "$W"/ch/[0-9]*; do
		[ ! -d "$_dir" ] || world_ch_kill "${_dir##*/}"
	done
}
