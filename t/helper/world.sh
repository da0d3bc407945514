# shellcheck shell=sh
# SPDX-License-Identifier: ISC
# One private world: PostgreSQL, an account with a key, the daemons, nginx; everything in one folder and
# on Unix sockets. t/instance and t/lib.sh are the two ways in; both stand on these functions.
#
# WORLD_ENV: NAME=value words for every daemon started from here on (faketime).
# The caller sets TOP (source tree) and may set TOP_BUILDDIR, WORLD_WORKERS, WORLD_SEARCH_WORKERS and
# WORLD_CONF (lines added to surfaced.conf). world_new DIR sets W, the folder that everything lives in.
# As root, all of it runs as postgres ($PG_USER). Nobody else gets to the database: W/db is 0700.
#
#   W/db        socket folder of PostgreSQL, its data in W/db/pg     W/run   sockets and pid files
#   W/etc       configuration of the daemons, surfacectl, nginx      W/log   one log a process
#   W/index     the search index                                     W/ca.crt  the authority of W/tls
#   W/evidence  screenshots of browser sessions          W/exports  files of exports

# shellcheck source=t/helper/place.sh
. "$TOP/t/helper/place.sh"
TOP=$(place_name "$TOP") || exit 1
BUILD=$(cd "${TOP_BUILDDIR:-$TOP}" && place_name "$(pwd)") || exit 1
WORLD_USER=${PG_USER:-postgres}
# The caller's folder for temporary files may be closed to the daemons' user or too long for a socket, or not exist.
unset TMPDIR

# shellcheck source=t/helper/clickhouse.sh
. "$TOP/t/helper/clickhouse.sh"

world_die()
{
	echo "world: $*" >&2
	exit 1
}

# world_until SECONDS COMMAND...: polls the condition; false when it does not hold in time. SECONDS is the time that an idle
# machine needs at most. The limit is this time multiplied by WORLD_SLOW (12), because a busy machine with two processors needs
# a multiple. So no assertion about time can be made by world_until.
world_until()
{
	read -r _until_limit _ </proc/uptime
	_until_limit=$((${_until_limit%.*} + $1 * ${WORLD_SLOW:-12}))
	shift
	WORLD_WAIT=$*
	until "$@"; do
		read -r _until_at _ </proc/uptime
		[ "${_until_at%.*}" -le "$_until_limit" ] || {
			echo "# waited in vain: $*" >&2
			WORLD_WAIT=
			return 1
		}
		sleep 0.05
	done
	WORLD_WAIT=
}
WORLD_WAIT=

# WORLD_DROP: the words of a command that runs the others as the ordinary user (t/helper/hosts.sh), who then has the
# number of this one outside.
world_root()
{
	[ -z "${WORLD_DROP-}" ] && [ "$(id -u)" -eq 0 ]
}

# Runs a command as the ordinary user (with exec, so that $! is the process itself in a background job).
world_as()
{
	[ -z "${COVERAGE-}" ] || GCOV_PREFIX=$COVERAGE/daemons
	[ -z "${WORLD_DROP-}" ] || exec $WORLD_DROP "$@"
	if world_root; then
		exec setpriv --reuid="$WORLD_USER" --regid="$(id -g "$WORLD_USER")" --clear-groups "$@"
	fi
	exec "$@"
}

world_may_reach()
{
	! world_root || (world_as test -r "$1" -a -x "$1") 2>/dev/null
}

# A folder with a name that fits, which other users can enter: DIR, or a new one in /tmp. The file DIR/env names it from here
# on, so that t/instance stop finds a world of which the start was killed.
world_new()
{
	umask 022
	[ -x "$BUILD/surfacectl" ] || world_die "$BUILD has no programs: make programs"
	mkdir -p "$1"
	DIR=$(cd "$1" && pwd)
	W=$DIR
	if ! place_fits "$DIR" || ! world_may_reach "$DIR"; then
		W=$(mktemp -d /tmp/surfaced.XXXXXX) || exit 1
		chmod 755 "$W"
	fi
	(umask 077 && echo "W='$W'" >"$DIR/env")
	mkdir -p "$W/db" "$W/etc" "$W/evidence" "$W/exports" "$W/index" "$W/log" "$W/run" "$W/tls" "$W/tmp"
	chmod 711 "$W/run"
	chmod 700 "$W/db"
	world_programs
	(
		umask 077
		openssl rand -hex 32 >"$W/etc/secret"
		echo "$(openssl rand -hex 4):$(openssl rand -hex 32)" >"$W/etc/stream-keys"
		openssl rand -hex 32 >"$W/etc/fingerprint-key"
		echo "$(openssl rand -hex 4):$(openssl rand -hex 32)" >"$W/etc/sign-in-keys"
	)
	world_give
	CTL="$BIN/surfacectl -c $W/etc/surfacectl.conf"
	PGHOST=$W/db PGDATABASE=surfaced PGUSER=postgres
	export PGHOST PGDATABASE PGUSER
}

# The folders of the daemons belong to the user they run as.
world_give()
{
	! world_root || chown -R "$WORLD_USER" "$W/db" "$W/etc" "$W/evidence" "$W/exports" "$W/index" "$W/log" "$W/run" "$W/tls" "$W/tmp"
}

# Files of the tree that the ordinary user reads or executes, or copies of them where this user cannot enter the tree or was
# given no right on its files (umask 077).
world_programs()
{
	BIN=$BUILD SQL=$TOP/sql PASSWORDS=$TOP/src/access/passwords
	world_may_reach "$BUILD/surfacectl" && world_may_reach "$TOP/bootstrap" && return 0
	BIN=$W/bin
	mkdir -p "$BIN/t/helper"
	for _p in surface surfaced surfaced-alert surfaced-detect surfaced-dispatch surfaced-egress surfaced-export surfaced-index surfaced-meter surfaced-runner \
		surfaced-stream surfacectl t/helper/echo t/helper/fake-runner; do
		[ ! -x "$BUILD/$_p" ] || cp "$BUILD/$_p" "$BIN/$_p"
	done
	cp -R "$TOP/sql" "$PASSWORDS" "$BIN/"
	SQL=$BIN/sql PASSWORDS=$BIN/passwords
	chmod -R a+rX "$BIN"
}

# world_lines PROGRAM: copies the lines whose parameters the program reads; a program refuses the others.
world_lines()
{
	"$BIN/surfaced" -D params >"$W/tmp/params.$1" || return 1
	awk -v program="$1" -v table="$W/tmp/params.$1" '
		BEGIN { FS = "\t"; while ((getline <table) > 0) if (index("," $2 ",", "," program ",")) reads[$1] = 1; FS = " " }
		$1 in reads || $2 != "=" || !/^[a-z]/' && rm "$W/tmp/params.$1"
}

world_conf()
{
	for _role in api alert detect dispatch export index meter stream admin; do
		case $_role in
		api) _file=surfaced ;;
		alert) _file=surfaced-alert ;;
		detect) _file=surfaced-detect ;;
		dispatch) _file=surfaced-dispatch ;;
		export) _file=surfaced-export ;;
		index) _file=surfaced-index ;;
		meter) _file=surfaced-meter ;;
		stream) _file=surfaced-stream ;;
		admin) _file=surfacectl ;;
		esac
		{
			echo "database = host=${WORLD_DB:-$W/db} dbname=surfaced user=surfaced_$_role"
			echo "index_directory = $W/index"
			echo "upstreams = $W/etc/upstreams.conf"
			echo "secret_file = $W/etc/secret"
			echo "run_directory = $W/run"
			echo "evidence_directory = $W/evidence"
			echo "evidence_reserve = 0"
			echo "export_directory = $W/exports"
			echo "export_reserve = 0"
			# As long as a slow machine needs; what a test is about stands behind, and counts.
			echo "auth_wait = 30000"
			echo "meter_wait = 30000"
			echo "request_budget = 60000"
			echo "runner_conf = $W/etc/surfaced-runner.conf"
			echo "stream_keys = $W/etc/stream-keys"
			echo "sign_in_keys = $W/etc/sign-in-keys"
			echo "fingerprint_file = $W/etc/fingerprint-key"
			echo "backup_key_file = $W/etc/backup-key"
			echo "password_list = $PASSWORDS"
			echo "text_program = $BUILD/surfaced-text"
			[ -z "${CH_N-}" ] || world_ch_user "$_role"
			[ -z "${WORLD_CONF-}" ] || printf '%s\n' "$WORLD_CONF"
		} | world_lines "$_file" >"$W/etc/$_file.conf"
	done
	world_nginx_files
}

# ---- PostgreSQL ----

# A stopped cluster, migrated and seeded by t/helper/template, once for each state of sql/ and surfacectl. A world makes one of its
# own when the folder that keeps them is somebody else's. Users of different user namespaces may have one number and not be able
# to write one another's files: so the map of the namespace is in the name.
world_template()
{
	_cache=/tmp/surfaced-template.$(id -u).$(cksum </proc/self/uid_map | cut -d ' ' -f 1)${WORLD_DROP:+.drop}
	mkdir -p "$_cache"
	if [ "$(stat -c %u "$_cache")" != "$(id -u)" ]; then
		_cache=$W/template
		mkdir -p "$_cache"
	fi
	TEMPLATE=$_cache/$(cat "$TOP"/sql/*.sql "$TOP"/sql/functions/*.sql "$TOP/t/helper/pg" "$TOP/t/helper/world.sh" "$BUILD/surfacectl" |
		cksum | tr ' ' -)
	[ -f "$TEMPLATE/done" ] || flock -o "$_cache/lock" "$TOP/t/helper/template" "$TEMPLATE" ||
		world_die "the template cluster could not be made"
}

world_pg_start()
{
	world_template
	touch "$TEMPLATE/done"
	cp -a --reflink=auto "$TEMPLATE/db/." "$W/db/" || world_die "the template cluster could not be copied"
	echo "unix_socket_directories = '$W/db'" >>"$W/db/pg/postgresql.conf"
	world_pg_resume
	KEY='' PROJECT='' ACCOUNT=''
	# shellcheck disable=SC1091 # written by world_seed
	. "$TEMPLATE/seed"
}

# A cluster of its own with nothing in it but the database.
world_pg_new()
{
	"$TOP/t/helper/pg" start "$W/db" || world_die "PostgreSQL did not start"
}

world_pg_resume()
{
	"$TOP/t/helper/pg" resume "$W/db" || world_die "PostgreSQL did not start"
}

# A crash.
world_pg_kill()
{
	"$TOP/t/helper/pg" kill "$W/db"
}

world_pg_stop()
{
	[ ! -f "$W/db/pg/postmaster.pid" ] || "$TOP/t/helper/pg" stop "$W/db"
}

world_migrate()
{
	world_ctl --database "host=$W/db dbname=surfaced user=postgres" migrate --sql-dir "$SQL" >/dev/null
}

# Schema, an account that may do everything, its owner, project and a key with every scope: prints
# assignments. Roles are made by the superuser.
world_seed()
{
	world_migrate || return 1
	_account=$(world_ctl --json accounts create --entitlement search --entitlement reports --entitlement alerting --entitlement esi --entitlement browser --entitlement rules Example | jq -er .account.uuid) || return 1
	world_ctl members create --account "$_account" --email owner@example.com --owner Owner >/dev/null || return 1
	_project=$(world_ctl --json projects create --account "$_account" Perimeter | jq -er .project.uuid) ||
		return 1
	_key=$(world_ctl --json keys create --account "$_account" --name everything --scope all |
		jq -er .key.key) || return 1
	world_ctl routes add GB >/dev/null && world_ctl routes add DE >/dev/null || return 1
	# Limits that no test meets which does not set its own.
	world_ctl limits set --rate 1000000000 --search-rate 1000000000 --quota 4000000000 \
		--group-quota 4000000000 >/dev/null || return 1
	echo "ACCOUNT=$_account PROJECT=$_project KEY=$_key"
}

world_ctl()
{
	$CTL "$@"
}

# ---- daemons ----

# world_spawn NAME COMMAND...: in the background, no child of this shell, with its log and pid file.
world_spawn()
{
	_name=$1
	shift
	(
		cd / || exit 1
		world_as env ${WORLD_ENV-} setsid "$@" </dev/null >>"$W/log/$_name.log" 2>&1 &
		echo $! >"$W/run/$_name.pid"
	)
	world_until 10 world_begun "$_name"
}

world_pid()
{
	cat "$W/run/$1.pid" 2>/dev/null
}

# The process of a pid file, if it is ours: the number may have been given to another one since.
world_running()
{
	_pid=$(world_pid "$1") && [ -n "$_pid" ] &&
		tr '\0' ' ' 2>/dev/null <"/proc/$_pid/cmdline" | grep -qF "$W/"
}

# It has become its program, or is gone already.
world_begun()
{
	world_running "$1" || [ ! -d "/proc/$(world_pid "$1")" ]
}

world_gone()
{
	! world_running "$1"
}

# True when the socket of each pool exists: a pool's socket gets its name when it listens. Also true when surfaced has
# ended, so that a wait for the sockets ends. Until the new process has become surfaced, which takes seconds on a loaded
# machine, world_running is false.
world_sockets_ready()
{
	[ -d "/proc/$(world_pid surfaced)" ] || return 0
	world_running surfaced || return 1
	sed -n '/stream\.sock/!s/^[^#]*server[[:space:]]*unix:\([^ ;]*\).*/\1/p' "$W/etc/upstreams.conf" | sort -u |
		while read -r _s; do
			[ -S "$_s" ] || exit 1
		done
}

world_namespaces()
{
	(world_as unshare -c -n true) 2>/dev/null
}

# world_closed NAME: the command that starts a daemon where no packet leaves the machine, which is a network
# namespace without an interface, for each daemon that connects to the outside; a browser has no network but by
# surfaced-egress. Nothing for a world that has an Internet of its own (t/helper/browser-world), and with WORLD_OUT
# (t/instance start --out). Where namespaces are forbidden there are no browsers, but surfaced-alert runs as it is.
world_closed()
{
	[ -z "${BROWSER_WORLD-}${WORLD_OUT-}" ] || return 0
	case $1 in
	surfaced-alert | surfaced-detect | surfaced-egress) ! world_namespaces || echo unshare -c -n ;;
	esac
}

# It runs as its program and has made its socket, or it has ended. Between two programs a process has no command line.
world_decided()
{
	[ -d "/proc/$(world_pid "$1")" ] || return 0
	[ -e "$W/run/$2" ] && world_running "$1"
}

# world_daemon NAME [SOCKET]: started, and there when it has made its socket in W/run.
world_daemon()
{
	# shellcheck disable=SC2046 # a command of several words
	world_spawn "$1" $(world_closed "$1") "$BIN/$1" -c "$W/etc/$1.conf"
	if ! { world_until 20 world_decided "$1" "${2-}" && world_running "$1"; }; then
		cat "$W/log/$1.log" >&2
		world_die "$1 did not start"
	fi
}

# Rates and quotas are fail-closed: without its meter an API answers nothing.
world_meter_start()
{
	world_running surfaced-meter || world_daemon surfaced-meter metrics.sock
}

world_api_start()
{
	[ -n "${WORLD_PROGRAM-}" ] || world_meter_start
	world_spawn surfaced "${WORLD_PROGRAM:-$BIN/surfaced}" -c "$W/etc/surfaced.conf"
	if ! { world_until 20 world_sockets_ready && world_running surfaced; }; then
		cat "$W/log/surfaced.log" >&2
		world_die "surfaced did not start"
	fi
}

world_alert_start()
{
	world_daemon surfaced-alert
}

world_export_start()
{
	world_daemon surfaced-export
}

world_detect_start()
{
	world_daemon surfaced-detect
}

world_index_start()
{
	world_daemon surfaced-index
}

# world_browser_conf [RUNNER]: of the three programs of the browser side; RUNNER: instead of the real one.
world_browser_conf()
{
	echo "run_directory = $W/run" >"$W/etc/surfaced-runner.conf"
	{
		echo "run_directory = $W/run"
		[ -z "${BROWSER_WORLD-}" ] || echo "egress_dns = 9.9.9.9"
		echo "egress_secrets = $W/etc/egress"
	} >"$W/etc/surfaced-egress.conf"
	sed -i '/^runner = /d' "$W/etc/surfaced-dispatch.conf"
	echo "runner = ${1:-$BIN/surfaced-runner}" >>"$W/etc/surfaced-dispatch.conf"
}

# Browsers are installed, and may be started by who starts them here.
world_browser_possible()
{
	[ -x /usr/lib/chromium/chromium-headless-shell ] && [ -x /usr/bin/bwrap ] && (world_as unshare -Urn true) 2>/dev/null
}

world_browser_start()
{
	world_browser_conf
	world_egress_start
	world_dispatch_resume
}

world_egress_start()
{
	world_daemon surfaced-egress egress.sock
}

world_dispatch_resume()
{
	world_daemon surfaced-dispatch dispatch.sock
}

# Pids of the runners of this world: they outlive their dispatcher.
world_runners()
{
	for _cmdline in /proc/[0-9]*/cmdline; do
		tr '\0' ' ' 2>/dev/null <"$_cmdline" | grep -qF -- "-c $W/etc/surfaced-runner.conf" &&
			_pid=${_cmdline%/cmdline} && echo "${_pid#/proc/}"
	done
	:
}

world_runners_stop()
{
	for _pid in $(world_runners); do
		kill -KILL "$_pid" 2>/dev/null || :
	done
}

world_stream_start()
{
	world_daemon surfaced-stream stream.sock
}

# The index has been published and a worker has it: $1 hosts at least (0: an answer is enough).
world_searchable()
{
	# shellcheck disable=SC2086 # CURL is a list of options
	_count=$(curl -s $CURL -H "X-API-Key: $KEY" "$BASE_URL/search/hosts/count" | jq -r .count 2>/dev/null)
	[ "${_count:-null}" != null ] && [ "$_count" -ge "$1" ]
}

# world_kill NAME [SIGNAL]: ends one process that this world started, and waits for it.
world_kill()
{
	world_running "$1" || return 0
	kill -s "${2:-TERM}" "$(world_pid "$1")"
	world_until 30 world_gone "$1" || {
		echo "world: $1 does not end: killed" >&2
		kill -s KILL "$(world_pid "$1")"
		world_until 10 world_gone "$1"
	}
	rm -f "$W/run/$1.pid"
}

world_stop()
{
	for _name in nginx surfaced-alert surfaced-detect surfaced-export surfaced-stream surfaced-dispatch surfaced-egress surfaced-index surfaced surfaced-meter; do
		world_kill "$_name"
	done
	for _runner in "$W"/run/runner-*.pid; do # of session_run in t/lib.sh
		[ ! -f "$_runner" ] || world_kill "$(basename "$_runner" .pid)"
	done
	[ ! -f "$W/etc/surfaced-runner.conf" ] || world_runners_stop
	world_ch_stop
	world_pg_stop
}

# ---- nginx ----

# An authority and a certificate for localhost; the authority's key is not kept.
world_certificate()
{
	[ ! -f "$W/ca.crt" ] || return 0
	(
		cd "$W/tls" || exit 1
		umask 077
		_ec="-newkey ec -pkeyopt ec_paramgen_curve:P-256 -noenc"
		# shellcheck disable=SC2086 # a list of options
		openssl req -x509 $_ec -keyout ca.key -out ca.crt -days 365 -subj '/CN=surfaced private authority' \
			-addext basicConstraints=critical,CA:TRUE -addext keyUsage=critical,keyCertSign
		# shellcheck disable=SC2086 # a list of options
		openssl req $_ec -keyout server.key -out server.csr -subj /CN=localhost
		printf '%s\n' 'subjectAltName=DNS:localhost,IP:127.0.0.1' 'extendedKeyUsage=serverAuth' \
			'basicConstraints=CA:FALSE' >server.ext
		openssl x509 -req -in server.csr -CA ca.crt -CAkey ca.key -set_serial 1 -days 365 \
			-extfile server.ext -out server.crt
		rm -f ca.key server.csr server.ext
	) 2>"$W/log/openssl.log" || world_die "openssl: $(cat "$W/log/openssl.log")"
	cp "$W/tls/ca.crt" "$W/ca.crt"
	chmod 644 "$W/ca.crt"
	world_give
}

# The files of nginx/ with this world's folders and worker counts.
world_nginx_files()
{
	mkdir -p "$W/etc/nginx"
	for _f in "$TOP"/nginx/*.conf; do
		sed -e "s,/run/surfaced/,$W/run/,g" -e "s,/etc/surfaced/nginx/,$W/etc/nginx/,g" \
			-e "s,/etc/surfaced/hosts/,$W/etc/hosts/,g" \
			-e "s,/usr/share/surfaced/,$W/," -e "s,/var/lib/surfaced/,$W/," "$_f" >"$W/etc/nginx/${_f##*/}"
	done
	cp -R "$TOP/nginx/html" "$W/"
	chmod -R a+rX "$W/html"
	world_weights
}

world_weights()
{
	sed -e "/api\\.sock/s/weight=[0-9]*/weight=${WORLD_WORKERS:-2}/" \
		-e "/search\\.sock/s/weight=[0-9]*/weight=${WORLD_SEARCH_WORKERS:-2}/" \
		-e "/heavy\\.sock/s/weight=[0-9]*/weight=${WORLD_HEAVY_WORKERS:-1}/" \
		"$W/etc/nginx/upstreams.conf" >"$W/etc/upstreams.conf"
	cp "$W/etc/upstreams.conf" "$W/etc/nginx/upstreams.conf"
}

# Passes the configuration of a site, with HTTP/2 as nginx before 1.25.1 wants it when such a nginx is installed.
world_http2()
{
	case $(/usr/sbin/nginx -v 2>&1) in
	*nginx/1.[0-9].* | *nginx/1.1[0-9].* | *nginx/1.2[0-4].* | *nginx/1.25.0*)
		sed -e 's/ ssl\( proxy_protocol\)*;/ ssl http2\1;/g' -e '/http2 on;/d'
		;;
	*) cat ;;
	esac
}

# world_nginx_conf [PORT]
world_nginx_conf()
{
	_listen="listen unix:$W/run/web.sock ssl;"
	[ -z "${1-}" ] || _listen="$_listen listen 127.0.0.1:$1 ssl;"
	# shellcheck disable=SC3045 # every sh that there is has it
	_files=$(ulimit -Hn)
	[ "$_files" != unlimited ] && [ "$_files" -lt 16384 ] || _files=16384
	world_http2 >"$W/etc/nginx.conf" <<-END
		pid $W/run/nginx.pid;
		error_log $W/log/nginx.log info;
		worker_processes 2;
		worker_rlimit_nofile $_files;
		events {
			worker_connections 8192;
		}
		http {
			access_log off;
			client_body_temp_path $W/tmp/body;
			fastcgi_temp_path $W/tmp/fastcgi;
			proxy_temp_path $W/tmp/proxy;
			scgi_temp_path $W/tmp/scgi;
			uwsgi_temp_path $W/tmp/uwsgi;
			include $W/etc/nginx/upstreams.conf;
			include $W/etc/nginx/http.conf;
			${WORLD_HTTP-}
			server {
				$_listen ${WORLD_LISTEN-}
				http2 on;
				server_name localhost;
				ssl_certificate $W/tls/server.crt;
				ssl_certificate_key $W/tls/server.key;
				include $W/etc/nginx/surfaced.conf;
				${WORLD_SITE-}
			}
			server {
				listen unix:$W/run/plain.sock;
				include $W/etc/nginx/plain.conf;
			}
		}
	END
}

world_nginx_run()
{
	(cd / && world_as env ${WORLD_ENV-} /usr/sbin/nginx -p "$W/" -e "$W/log/nginx.log" -c "$W/etc/nginx.conf") \
		>>"$W/log/nginx.out" 2>&1
}

# world_web_start [PORT]: the parent of nginx returns when the master listens.
world_web_start()
{
	world_certificate
	world_nginx_conf "${1-}"
	rm -f "$W/run/web.sock" "$W/run/plain.sock" "$W/run/loop.sock"
	world_nginx_run || return 1
	world_until 10 test -s "$W/run/nginx.pid" || return 1
	BASE_URL=https://localhost${1:+:$1}/api/v1
	CACERT=$W/ca.crt
	CURL="--unix-socket $W/run/web.sock --cacert $CACERT"
}

world_env()
{
	(
		umask 077
		cat >"$DIR/env" <<-END
			BASE_URL='$BASE_URL'
			CACERT='$CACERT'
			KEY='$KEY'
			PROJECT='$PROJECT'
			ACCOUNT='$ACCOUNT'
			PGHOST='$PGHOST'
			PGDATABASE='$PGDATABASE'
			PGUSER='$PGUSER'
			CTL='$CTL'
			CURL='$CURL'
			W='$W'
		END
	)
}
