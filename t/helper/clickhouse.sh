# shellcheck shell=sh
# SPDX-License-Identifier: ISC
# Real ClickHouse servers of a world: N processes of the world's user, each a shard of the cluster "surfaced", with a
# folder W/ch/I (data, configuration, logs) and ports of its own. t/helper/world.sh reads this file.
#
# WORLD_CH_ADDRESS: the address of shard I is this text with I for %d; default 127.0.0.1. In a network namespace of its
# own a test may give each shard an address that it can take away (t/helper/loopback).

CH_SERVER=/usr/sbin/clickhouse-server
CH_PASSWORD=a-password-of-the-world

world_ch_address()
{
	# shellcheck disable=SC2059 # the format is the parameter
	printf "${WORLD_CH_ADDRESS:-127.0.0.1}" "$1"
}

# world_ports N: N free ports, a line each.
world_ports()
{
	for _port in $(shuf -i 20000-32000 -n 200); do
		ss -Hltn "sport = :$_port" | grep -q . || echo "$_port"
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
		echo "<user>surfaced</user><password>$CH_PASSWORD</password></replica></shard>"
	done
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

# world_ch_start N [SHARDS]: N servers, of which the first SHARDS are the cluster (all), and the parameters of the daemons
# that name them in WORLD_CONF.
world_ch_start()
{
	[ -x "$CH_SERVER" ] || world_die "clickhouse-server is not installed"
	CH_N=$1
	for _i in $(seq "$CH_N"); do
		mkdir -p "$W/ch/$_i/data" "$W/ch/$_i/tmp"
		world_ports 3 | paste -d ' ' - - - | {
			read -r _http _tcp _inter
			printf 'http %s\ntcp %s\ninterserver %s\n' "$_http" "$_tcp" "$_inter"
		} >"$W/ch/$_i/ports"
	done
	for _i in $(seq "$CH_N"); do
		world_ch_conf "$_i" "${2:-$CH_N}"
	done
	printf %s "$CH_PASSWORD" >"$W/ch/password"
	chmod 600 "$W/ch/password"
	! world_root || chown -R "$WORLD_USER" "$W/ch"
	for _i in $(seq "$CH_N"); do
		world_ch_resume "$_i"
	done
	CH_URL=http://$(world_ch_address 1):$(world_ch_port 1 http)
	for _i in $(seq "$CH_N"); do
		world_ch_query "$_i" 'CREATE DATABASE IF NOT EXISTS surfaced' || world_die "ClickHouse $_i has no database"
	done
	WORLD_CONF="${WORLD_CONF-}
clickhouse_url = $CH_URL
clickhouse_servers =$(for _i in $(seq "$CH_N"); do
		printf ' http://%s:%s' "$(world_ch_address "$_i")" "$(world_ch_port "$_i" http)"
	done)
clickhouse_user = surfaced
clickhouse_password_file = $W/ch/password
clickhouse_database = surfaced"
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

# world_ch_query I SQL: as text; the exception of the server goes to stderr.
world_ch_query()
{
	curl -sS --fail-with-body "http://$(world_ch_address "$1"):$(world_ch_port "$1" http)/?database=$(
		[ "${2#CREATE DATABASE}" = "$2" ] && echo surfaced || echo default
	)" -H 'X-ClickHouse-User: surfaced' -H "X-ClickHouse-Key: $CH_PASSWORD" --data-binary "$2"
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
