# shellcheck shell=sh
# SPDX-License-Identifier: ISC
# A namespace with public addresses of its own, a receiver of webhooks in it (t/helper/receiver), and
# surfaced-alert there: what ships has no hole for tests. After t/lib.sh.
#
#   hooks_start              the namespace and the receiver; skips the test where that is forbidden
#   hooks_alert [CONF]       starts surfaced-alert in it; CONF: lines of its configuration
#   hook KIND [HOST]         a destination of the project; prints its UUID
#   hooks_rule DESTINATION...   a rule of all findings with them; prints its UUID
#   hooks_import FROM TO [SEVERITY]  findings k-FROM to k-TO
#   hooks_settled            true when no change and no delivery is to be worked on

H=
hooks_start()
{
	(world_as unshare -Urnm true) 2>/dev/null || skip_all "user namespaces are forbidden here"
	world
	H=$W/hooks
	mkdir -p "$H/secrets"
	echo "nameserver 127.0.0.1" >"$H/resolv.conf"
	(
		cd "$H" || exit 1
		_ec="-newkey ec -pkeyopt ec_paramgen_curve:P-256 -noenc"
		# shellcheck disable=SC2086 # a list of options
		openssl req -x509 $_ec -keyout ca.key -out ca.crt -days 30 -subj '/CN=receivers' \
			-addext basicConstraints=critical,CA:TRUE
		# shellcheck disable=SC2086 # a list of options
		openssl req $_ec -keyout server.key -out server.csr -subj /CN=receiver
		echo 'subjectAltName=DNS:*.example.com,IP:11.0.0.1,IP:11.0.0.2' >server.ext
		openssl x509 -req -in server.csr -CA ca.crt -CAkey ca.key -set_serial 1 -days 30 -extfile server.ext -out server.crt
	) 2>"$W/log/openssl.log" || exit 1
	install -m 755 "$TOP/t/helper/receiver" "$H/"
	! world_root || chown -R "$WORLD_USER" "$H"
	world_as unshare -Urnm sh -c 'ip link set lo up && for a in 11.0.0.1/32 11.0.0.2/32 11.0.0.4/32 10.0.0.1/32 2600::1/128; do
		ip addr add $a dev lo nodad 2>/dev/null || ip addr add $a dev lo; done &&
		mount --bind "$0/resolv.conf" /etc/resolv.conf && exec "$0/receiver" "$0"' "$H" \
		>"$W/log/receiver.log" 2>&1 &
	HOOKS=$!
	world_until 20 test -f "$H/ready" || {
		diag "$(cat "$W/log/receiver.log")"
		exit 1
	}
	trap hooks_exit EXIT
}

# lib_exit takes the status of what ran last.
hooks_exit()
{
	_hooks=$?
	hooks_stop
	(exit "$_hooks")
	lib_exit
}

hooks_stop()
{
	hooks_alert_kill TERM
	kill -KILL "$HOOKS" 2>/dev/null
	wait "$HOOKS" 2>/dev/null || :
}

# The user that world_as becomes owns the namespace.
hooks_in()
{
	world_as nsenter -t "$HOOKS" -U -n -m --preserve-credentials "$@"
}

hooks_alert()
{
	printf '%s\n' "database = host=$W/db dbname=surfaced user=surfaced_alert" "run_directory = $W/run" \
		"webhook_ca_file = $H/ca.crt" "alert_poll = 50" "webhook_timeout = 60000" "webhook_backoff = 40" \
		"webhook_backoff_max = 2" "$@" >"$W/etc/surfaced-alert.conf"
	hooks_alert_again
}

hooks_alert_again()
{
	hooks_in setsid "$BIN/surfaced-alert" -c "$W/etc/surfaced-alert.conf" </dev/null >>"$W/log/surfaced-alert.log" 2>&1 &
	echo $! >"$W/run/surfaced-alert.pid"
	world_until 10 world_begun surfaced-alert
}

# The worker too, which does the work: hooks_alert_kill [SIGNAL]
hooks_alert_kill()
{
	_master=$(world_pid surfaced-alert) || return 0
	_all="$_master $(pgrep -P "$_master")"
	[ "${1:-KILL}" = KILL ] || _all=$_master
	# shellcheck disable=SC2086 # a list of processes
	kill -s "${1:-KILL}" $_all 2>/dev/null
	wait "$_master" 2>/dev/null
	rm -f "$W/run/surfaced-alert.pid"
}

hook()
{
	api POST "/projects/$P/alerting/destinations" "{\"name\":\"$1\",\"url\":\"https://${2:-hooks.example.com}/$1/$1\"}"
	field .destination.secret >"$H/secrets/$1"
	field .destination.uuid
}

hooks_rule()
{
	_list=$(printf '"%s",' "$@")
	api POST "/projects/$P/alerting/rules" "{\"name\":\"all\",\"source\":\"finding\",\"destination_uuids\":[${_list%,}]}"
	field .rule.uuid
}

hooks_import()
{
	seq "$1" "$2" | jq -c --arg s "${3:-high}" '{finding_key: "k-\(.)", finding_type: "exposed_port", title: "Finding \(.)", severity: $s}' |
		ctl import findings --project "$P" - >"$W/import.out" 2>&1 || diag "$(cat "$W/import.out")"
}

hooks_settled()
{
	[ "$(sql "SELECT (SELECT count(*) FROM alert_change) + (SELECT count(*) FROM alert_delivery WHERE state = 'pending')")" -eq 0 ]
}

# hooks_got JQ: of the requests that came, as one array.
hooks_got()
{
	jq -rs "$1" "$H/got"
}
