# shellcheck shell=sh
# SPDX-License-Identifier: ISC
# What every t/*.t begins with: TAP, a private world, requests. The plan comes last; finish runs at exit.
#
#   . t/lib.sh
#   pg_start; index_start; api_start; web_start      any of them, in this order (world_start: all four,
#                                                    and waits until searches are answered)
#   api POST /search/hosts/aggregate '{"aggregations":[]}' [curl options]     sets STATUS BODY HEADERS
#   is "$(field .error.code)" invalid_aggregation "no item is refused (C-032)"
#
# $key (default: $KEY, every scope) goes into X-API-Key, unless it is "none". P is the project.
# KEEP=1 keeps the folder of the world, W.

TOP=$(cd "$(dirname "$0")/../.." && pwd)
case $0${TEST_RUN-} in
*.t) exec "$TOP/t/helper/failures" "$0" "$@" ;; # without prove a test has its time limit, too
esac
# shellcheck source=t/helper/world.sh
. "$TOP/t/helper/world.sh"
cd "$TOP" || exit 1

TAP_N=0 TAP_BAD=0 TAP_ENDED=
STATUS='' BODY='' HEADERS='' P='' PROJECT2='' KEY2=''
export STATUS P PROJECT2 KEY2

# ---- TAP ----

diag()
{
	printf '%s\n' "$*" | sed 's/^/# /'
}

pass()
{
	TAP_N=$((TAP_N + 1))
	printf 'ok %d - %s\n' "$TAP_N" "$1"
}

fail()
{
	TAP_N=$((TAP_N + 1)) TAP_BAD=$((TAP_BAD + 1))
	printf 'not ok %d - %s\n' "$TAP_N" "$1"
	return 1
}

# Each of these returns 1 when it fails, so that || diag can say more.

# ok TITLE COMMAND...: passes when the command does.
ok()
{
	_title=$1
	shift
	if "$@"; then pass "$_title"; else fail "$_title"; fi
}

# result STATUS TITLE: passes when the status is 0.
result()
{
	if [ "$1" -eq 0 ]; then pass "$2"; else fail "$2"; fi
}

# is GOT WANTED TITLE
is()
{
	if [ "$1" = "$2" ]; then
		pass "$3"
	else
		fail "$3"
		diag "got:    $1"
		diag "wanted: $2"
		return 1
	fi
}

isnt()
{
	if [ "$1" != "$2" ]; then
		pass "$3"
	else
		fail "$3"
		diag "got what must not be: $1"
		return 1
	fi
}

# like GOT ERE TITLE
like()
{
	if printf '%s\n' "$1" | grep -qE -e "$2"; then
		pass "$3"
	else
		fail "$3"
		diag "got:          $1"
		diag "wanted match: $2"
		return 1
	fi
}

unlike()
{
	if printf '%s\n' "$1" | grep -qE -e "$2"; then
		fail "$3"
		diag "got:                 $1"
		diag "must not match: $2"
		return 1
	else
		pass "$3"
	fi
}

skip()
{
	TAP_N=$((TAP_N + 1))
	printf 'ok %d - # SKIP %s\n' "$TAP_N" "$1"
}

skip_all()
{
	TAP_ENDED=1
	printf '1..0 # SKIP %s\n' "$1"
	exit 0
}

# relay FILE: TAP lines of another program, renumbered to stand among ours.
relay()
{
	while IFS= read -r _line; do
		case $_line in
		"ok "*) pass "${_line#ok * - }" ;;
		"not ok "*) fail "${_line#not ok * - }" ;;
		1..*) ;;
		*) printf '# %s\n' "${_line#\#}" ;;
		esac
	done <"$1"
}

# What no log of a sound world holds.
log_faults()
{
	[ -n "${W-}" ] || return 0
	grep -hE 'panic|AddressSanitizer|LeakSanitizer|runtime error:|\[alert\]|\[emerg\]' \
		"$W"/log/*.log "$W"/host-*/log/*.log ${W2:+"$W2"/log/*.log} 2>/dev/null | grep -vE "${LOG_EXPECTED:-^$}"
}

# Stops the world, adds the last test, prints the plan. Runs by itself at exit.
finish()
{
	[ -z "$TAP_ENDED" ] || return 0
	TAP_ENDED=1
	[ -z "${W2-}" ] || host2 world_stop
	[ -z "${W-}" ] || world_stop
	is "$(log_faults)" "" "no panic, sanitizer report or alert in any log"
	printf '1..%d\n' "$TAP_N"
}

lib_exit()
{
	_rc=$?
	trap - EXIT
	if [ "$_rc" -ne 0 ] && [ -z "$TAP_ENDED" ] && [ "$TAP_BAD" -eq 0 ]; then
		fail "the script came to its end (exit status $_rc)"
	fi
	finish
	if [ -n "${W-}" ]; then
		if [ -n "${KEEP-}" ]; then diag "kept: $W ${W2-}"; else rm -rf "$W" ${W2:+"$W2"}; fi
	fi
	[ "$_rc" -ne 0 ] || [ "$TAP_BAD" -eq 0 ] || _rc=1
	exit "$_rc"
}
trap lib_exit EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap '[ -z "$WORLD_WAIT" ] || diag "waiting for: $WORLD_WAIT"; exit 143' TERM

# ---- the world ----

# The folder; made by the first *_start, or by hand for a script that runs programs of its own.
world()
{
	[ -z "${W-}" ] || return 0
	W=$(mktemp -d /tmp/t.XXXXXX) || exit 1
	chmod 755 "$W"
	world_new "$W"
	world_conf
}

pg_start()
{
	world
	world_pg_start || exit 1
	P=$PROJECT
	key=${key:-$KEY}
}

# Without an account and without daemons: a database that is migrated, or holds nothing at all.
pg_empty()
{
	world
	world_pg_new
}

db_start()
{
	pg_empty
	world_migrate >"$W/log/migrate.log" 2>&1 || {
		diag "$(cat "$W/log/migrate.log")"
		exit 1
	}
}

api_start()
{
	world
	world_api_start
}

stream_start()
{
	world
	world_stream_start
}

alert_start()
{
	world
	world_alert_start
}

export_start()
{
	world
	world_export_start
}

detect_start()
{
	world
	world_detect_start
}

index_start()
{
	world
	world_index_start
}

# ch_start N [SHARDS]: N servers of ClickHouse, all or the first of them the shards of the cluster "surfaced", before the daemons that ask them. The test
# must have begun with t/helper/loopback.
ch_start()
{
	world
	world_ch_start "$@"
	world_conf
}

# ch I SQL: asks shard I.
ch()
{
	world_ch_query "$@"
}

# loopback WORD...: executes a command of ip(8) or mount(8) in the namespaces of the test (t/helper/loopback).
loopback()
{
	echo "$*" >"$LOOPBACK/ask"
	read -r _answer <"$LOOPBACK/answer"
	[ "$_answer" = ok ]
}

# dispatch_conf RUNNER: what the dispatcher is told to start; "$W/fake-runner" is there.
dispatch_conf()
{
	world
	install -m 755 t/helper/fake-runner "$W/fake-runner"
	world_browser_conf "$1"
}

# dispatch_start: with t/helper/fake-runner in place of browsers.
dispatch_start()
{
	dispatch_conf "$W/fake-runner"
	world_egress_start
	world_dispatch_resume
}

# browser_start: surfaced-egress and surfaced-dispatch with real browsers, in t/helper/browser-world.
browser_start()
{
	world
	world_browser_start
}

# web_start [PORT]
web_start()
{
	world
	world_web_start "${1-}" || {
		diag "$(cat "$W/log/nginx.out")"
		exit 1
	}
}

world_start()
{
	pg_start
	index_start
	api_start
	web_start ''
	hosts_wait 0
}

# hosts_wait N: until N hosts can be searched.
hosts_wait()
{
	world_until 60 world_searchable "$1" && return 0
	diag "the index does not come to $1 hosts: $(tail -3 "$W/log/surfaced-index.log")"
	exit 1
}

# A second host with the same database: its meter, workers and nginx in W2.
host2_start()
{
	_w=$W _pg=$PGHOST _ctl=$CTL _curl=${CURL-} _base=${BASE_URL-} _ca=${CACERT-}
	WORLD_DB=$W/db
	W=$(mktemp -d /tmp/t.XXXXXX) || exit 1
	chmod 755 "$W"
	W2=$W
	world_new "$W"
	PGHOST=$_pg
	world_conf
	world_api_start
	web_start
	CURL2=$CURL
	W=$_w CTL=$_ctl CURL=$_curl BASE_URL=$_base CACERT=$_ca WORLD_DB=
}

# host2 COMMAND...: a function of this file or of world.sh, on the second host.
host2()
{
	(
		W=$W2 CURL=$CURL2
		"$@"
	)
}

# The processes of the API's master.
workers()
{
	pgrep -P "$(world_pid surfaced)" | sort -n
}

workers_are()
{
	[ "$(workers | wc -l)" -eq "$1" ]
}

# ---- using it ----

# sql TEXT: as superuser, unaligned, tuples only.
sql()
{
	psql -XqAt -v ON_ERROR_STOP=1 -c "$1"
}

# host_rows: makes the view host, by which a test reads and writes hosts as rows of an address and jsonb.
host_rows()
{
	sql "CREATE VIEW host AS SELECT (doc::jsonb ->> 'ip')::inet AS ip, doc::jsonb AS doc, changed FROM record
			WHERE dataset = 1 AND NOT gone;
		CREATE FUNCTION host_key(ip inet) RETURNS bytea LANGUAGE sql IMMUTABLE AS
			'SELECT (CASE family(ip) WHEN 4 THEN ''\\x04'' ELSE ''\\x06'' END)::bytea || substring(inet_send(ip) FROM 5)';
		CREATE FUNCTION host_row() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN
			IF TG_OP = ''DELETE'' THEN
				PERFORM record_remove(1::smallint, host_key(OLD.ip));
				RETURN OLD;
			END IF;
			INSERT INTO record (dataset, key, doc) VALUES (1, host_key(NEW.ip), NEW.doc::text)
				ON CONFLICT (dataset, key) DO UPDATE SET doc = excluded.doc, gone = false;
			RETURN NEW;
		END';
		CREATE TRIGGER host_row INSTEAD OF INSERT OR UPDATE OR DELETE ON host FOR EACH ROW EXECUTE FUNCTION host_row()"
}

# ch_equal DATASET...: ClickHouse has what the database has (surfacectl search check).
ch_equal()
{
	for _dataset in "$@"; do
		ctl search check "$_dataset" >"$W/check.out" 2>"$W/check.err" || {
			diag "$_dataset: $(head -5 "$W/check.out" "$W/check.err")"
			return 1
		}
	done
}

ctl()
{
	world_ctl "$@"
}

# import_records DATASET ARGUMENT...: runs surfacectl import without a configuration; sets OUT (stdout), ERR (stderr) and
# STATUS.
import_records()
{
	"$BIN/surfacectl" --database "host=$W/db dbname=surfaced user=surfaced_admin" import "$@" >"$W/out" 2>"$W/err"
	STATUS=$?
	OUT=$(cat "$W/out") ERR=$(cat "$W/err")
	export OUT ERR
}

# import ARGUMENT...: imports hosts.
import()
{
	import_records hosts "$@"
}

# surface ARGUMENT...: runs surface(1) as a customer whose key is $key; sets OUT (stdout), ERR (stderr) and STATUS.
surface()
{
	mkdir -p "$W/home"
	# shellcheck disable=SC2086 # a list of assignments
	env HOME="$W/home" LC_ALL=C.UTF-8 SURFACED_API_KEY="${key-}" SURFACED_URL="${BASE_URL%/api/v1}" \
		SURFACED_CACERT="$CACERT" SURFACED_UNIX_SOCKET="$W/run/web.sock" SURFACED_PROJECT="$P" ${SURFACE_ENV-} \
		"$BUILD/surface" "$@" >"$W/out" 2>"$W/err"
	STATUS=$?
	OUT=$(head -c 65536 "$W/out") ERR=$(head -c 65536 "$W/err") # they are exported
	export OUT ERR
}

# key_new --scope S ...: a key of the world's account; prints its secret.
key_new()
{
	world_ctl --json keys create --account "$ACCOUNT" --name test "$@" | jq -er .key.key
}

# accounts_new N QUOTA RATE: N accounts of one key each, which may RATE requests a day; prints the secrets.
accounts_new()
{
	sql "CREATE TEMP TABLE fresh AS SELECT gen_random_uuid() AS account, gen_random_uuid() AS member,
			'sfk_' || left(md5(random()::text), 8) AS prefix,
			translate(rtrim(encode(sha256(random()::text::bytea), 'base64'), '='), '+/', '-_') AS tail
			FROM generate_series(1, $1);
		INSERT INTO account (uuid, name, quota) SELECT account, account, $2 FROM fresh;
		INSERT INTO account_scope SELECT account, 'search.view' FROM fresh;
		INSERT INTO entitlement (account_uuid, name) SELECT account, 'search' FROM fresh;
		INSERT INTO member (uuid, account_uuid, name, email, role)
			SELECT member, account, 'Owner', 'owner@example.com', 'owner' FROM fresh;
		INSERT INTO api_key (account_uuid, owner_uuid, name, prefix, sha256, scopes, rate, rate_window)
			SELECT account, member, 'one', prefix, sha256((prefix || '_' || tail)::bytea), '{search.view}', $3, 86400
			FROM fresh;
		SELECT prefix || '_' || tail FROM fresh"
}

# crowd CURL-OPTIONS KEY: the statuses of twenty requests at once, a line each.
crowd()
{
	# shellcheck disable=SC2086 # a list of options
	curl -sS $1 -Z --parallel-immediate --parallel-max 20 -o /dev/null -w '%{http_code}\n' -H "X-API-Key: $2" \
		"$BASE_URL/search/schemas#[1-20]" 2>/dev/null
}

# whole_day: a test that counts by days or months does not begin in the last five minutes of one (UTC).
whole_day()
{
	_left=$((86400 - $(date +%s) % 86400))
	[ "$_left" -gt 300 ] || sleep $((_left + 1))
}

# clocks_can_step: clock and clock_env work here.
clocks_can_step()
{
	FAKETIME_LIBRARY=$(find /usr/lib -name libfaketimeMT.so.1 | head -1)
	[ -n "$FAKETIME_LIBRARY" ] && ! nm -D "$BUILD/surfaced-meter" | grep -q __asan
}

# clock NAME SECONDS: how far the clock is ahead of the real one.
clock()
{
	printf '%+d\n' "$2" >"$W/clock.new" && mv "$W/clock.new" "$W/clock.$1"
}

# clock_env NAME: the environment of a program that reads this clock instead of the real one, as in
# WORLD_ENV=$(clock_env NAME).
clock_env()
{
	echo "LD_PRELOAD=$FAKETIME_LIBRARY FAKETIME_TIMESTAMP_FILE=$W/clock.$1 FAKETIME_NO_CACHE=1 FAKETIME_DONT_FAKE_MONOTONIC=1"
}

# pg_follows NAME: restarts PostgreSQL, which reads this clock from then on.
pg_follows()
{
	world_pg_stop
	(
		# shellcheck disable=SC2046 # a list of assignments
		export $(clock_env "$1")
		world_pg_resume
	)
}

# quota_clock_is_at SECONDS: the meter has read PostgreSQL's clock, which is ahead by this much.
quota_clock_is_at()
{
	_to=$(key=$KEY && api GET /usage && field .api_usage.to)
	_apart=$(($(date -u -d "$_to" +%s) - $(date +%s) - $1))
	[ "$_apart" -gt -30 ] && [ "$_apart" -lt 30 ]
}

# flushed: waits until every host has stored what was counted before.
flushed()
{
	_at=$(date +%s.%N)
	world_until 20 flushed_since
}

flushed_since()
{
	[ "$(sql "SELECT bool_and(flushed_through > to_timestamp($_at)) FROM meter_host WHERE closed_at IS NULL")" = t ]
}

# tally: equal lines with their number, on one line.
tally()
{
	sort | uniq -c | tr -s ' \n' ' ' | sed 's/^ //; s/ $//' && echo
}

# Another organisation as far as the tests need one: sets ACCOUNT2, PROJECT2, KEY2.
stranger_new()
{
	ACCOUNT2=$(ctl --json accounts create --entitlement alerting --entitlement esi --entitlement browser --entitlement rules Stranger | jq -er .account.uuid)
	ctl members create --account "$ACCOUNT2" --email owner@example.net --owner Stranger >/dev/null
	PROJECT2=$(ctl --json projects create --account "$ACCOUNT2" Elsewhere | jq -er .project.uuid)
	KEY2=$(ctl --json keys create --account "$ACCOUNT2" --name all --scope all | jq -er .key.key)
}

uuid_new()
{
	cat /proc/sys/kernel/random/uuid
}

# rule_new [PROJECT]: prints its UUID.
rule_new()
{
	sql "INSERT INTO alert_rule (project_uuid, name, source, min_severity)
		VALUES ('${1:-$P}', 'rule', 'finding', 'info') RETURNING uuid"
}

# session_new [URL]: creates a session with the key $key; prints its UUID.
session_new()
{
	api POST "/projects/$P/sessions" "{\"start_url\":\"${1:-https://example.com/}\"}"
	field .session.uuid
}

# session_at UUID STATE: waits until the session is in the state; false at the deadline. A browser that does not come
# up within 30 s is started again, up to three times.
session_at()
{
	world_until 20 session_is "$1" "$2" && return 0
	diag "$1 does not come to $2: $(sql "SELECT state, lease_epoch, terminal_reason FROM browser_session WHERE uuid = '$1'")"
	return 1
}

session_is()
{
	[ "$(sql "SELECT state FROM browser_session WHERE uuid = '$1'")" = "$2" ]
}

# session_move UUID EVENT...: what the dispatcher does.
session_move()
{
	_session=$1
	shift
	for _event in "$@"; do
		case $_event in
		claim) sql "UPDATE browser_session SET state = 'starting', state_event = 'claim', host = '${WORLD_MACHINE:-$(uname -n)}:$W/run',
			lease_epoch = lease_epoch + 1, lease_until = now() + interval '15 s' WHERE uuid = '$_session'" ;;
		fail) sql "SELECT session_apply('$_session', 'fail', 'failed')" >/dev/null ;;
		expire) sql "SELECT session_apply('$_session', 'expire', 'expired')" >/dev/null ;;
		*) sql "SELECT session_apply('$_session', '$_event')" >/dev/null ;;
		esac
	done
}

# api METHOD PATH [BODY] [curl options]: a path that is a URL is used as it stands.
api()
{
	_method=$1 _url=$BASE_URL$2
	case $2 in
	https:* | http:*) _url=$2 ;;
	esac
	shift 2
	_body='' _has_body=
	case ${1--} in
	-*) ;;
	*) _body=$1 _has_body=1 && shift ;;
	esac
	case " $* " in
	*[Cc]ontent-[Tt]ype:*) ;;
	*) [ -z "$_has_body" ] || set -- -H 'Content-Type: application/json' "$@" ;;
	esac
	[ "${key:-none}" = none ] || set -- -H "X-API-Key: $key" "$@"
	[ -z "$_has_body" ] || set -- --data-binary @- "$@"
	[ "$_method" != HEAD ] || set -- -I "$@"
	rm -f "$W/body" "$W/headers"
	# shellcheck disable=SC2086 # CURL is a list of options
	STATUS=$(printf %s "$_body" | curl -sS $CURL -X "$_method" -o "$W/body" -D "$W/headers" -w '%{http_code}' \
		--globoff --path-as-is "$@" "$_url" 2>"$W/curl.err") || diag "curl: $(cat "$W/curl.err")"
	BODY=$(cat "$W/body" 2>/dev/null)
	HEADERS=$(tr -d '\r' <"$W/headers" 2>/dev/null)
}

# field .a.b[0]: of the last answer; "null" when it is absent.
field()
{
	printf '%s' "$BODY" | jq -r "$1" 2>/dev/null || echo "not JSON"
}

# header NAME: of the last answer.
header()
{
	printf '%s\n' "$HEADERS" | sed -n "s/^$1: *//Ip"
}

# session_run UUID: it runs, with t/helper/echo-runner behind it (its epoch is 1).
session_run()
{
	session_move "$1" claim ready
	sql "UPDATE browser_session SET lease_until = now() + interval '1 day' WHERE uuid = '$1'"
	[ -x "$W/echo-runner" ] || install -m 755 t/helper/echo-runner "$W/" # where the world's user can go
	world_spawn "runner-$1" "$W/echo-runner" "$W/run" "$1" "$(sql "SELECT lease_epoch FROM browser_session WHERE uuid = '$1'")"
	world_until 10 test -S "$W/run/sessions/$1/$(sql "SELECT lease_epoch FROM browser_session WHERE uuid = '$1'").sock"
}
