#!/bin/sh
# SPDX-License-Identifier: ISC
# surfacectl doctor: a sound world passes; each fault is found, and its advice, followed exactly, removes it.
# Every row of src/tbl/advice.h is followed here.
. t/lib.sh

world_root || skip_all "an administrator is root, who gives files away and enters namespaces"
[ -f "$BUILD/t/helper/faults.so" ] || skip_all "t/helper/faults.so is not built"

# ---- looking ----

# doctor: as the daemons' user, to whom everything here belongs; $namespace, $as, $looker and $wrapper change that.
doctor()
{
	(
		set -- -c "$W/etc/surfacectl.conf" ${database:+--database "$database"} --json
		if [ -n "${browser_check-}" ]; then
			set -- "$@" browser-check --etc "$W/etc"
		else
			set -- "$@" doctor --etc "$W/etc" --nginx "$W/etc/nginx.conf" --sql-dir "${sql_dir:-$SQL}" --user "${user:-$WORLD_USER}"
		fi
		# shellcheck disable=SC2086 # lists of words
		exec ${namespace-} ${as:-setpriv --reuid="${looker:-$WORLD_USER}" --regid="$(id -g "${looker:-$WORLD_USER}")" --clear-groups} \
			${wrapper-} "$BIN/surfacectl" "$@"
	) >"$W/doctor" 2>"$W/doctor.err"
	RC=$?
}

# found STATE CHECK ERE TITLE
found()
{
	like "$(jq -r --arg s "$1" --arg c "$2" '.checks[] | select(.state == $s and .check == $c) |
		.detail + " -> " + (.advice // "") + " because " + (.because // "nothing")' "$W/doctor")" "$3" "$4"
}

# The clock and the disk of the machine are left out.
faults()
{
	jq -r '.checks[] | select(.state != "ok" and .check != "clock" and .check != "disk") | .check + ": " + .detail' "$W/doctor"
}

# advice ROW CHECK: true where the check has this advice.
advice()
{
	jq -e --arg a "$1" --arg c "$2" 'any(.checks[]; .advice_name == $a and .check == $c)' "$W/doctor" >/dev/null
}

# heeded ROW CHECK: the doctor no longer gives this advice with this command.
heeded()
{
	doctor
	[ -s "$W/doctor" ] && ! jq -e --arg a "$1" --arg c "$2" --arg command "$COMMAND" \
		'any(.checks[]; .advice_name == $a and .check == $c and (.command // "") == $command)' "$W/doctor" >/dev/null
}

# advised ROW CHECK TITLE [COMMAND...]: the doctor gives this advice; it is followed; the doctor gives it no longer. The
# printed command is run unchanged; COMMAND is what a person does where the advice has none.
advised()
{
	_row=$1 _check=$2 _title=$3
	shift 3
	echo "$_row" >>"$W/followed"
	doctor
	if ! advice "$_row" "$_check"; then
		fail "$_title"
		diag "the check $_check does not advise $_row:"
		diag "$(faults) $(cat "$W/doctor.err")"
		return
	fi
	COMMAND=$(jq -r --arg a "$_row" --arg c "$_check" \
		'[.checks[] | select(.advice_name == $a and .check == $c)][0].command // ""' "$W/doctor")
	_command=$(echo "$COMMAND" | sed 's,[^ ]*/setup-postgresql,setup_postgresql,; s,systemd-tmpfiles,systemd_tmpfiles,')
	if [ -n "$_command" ]; then
		is "$*" "" "the command of the advice $_row is complete"
		(eval "$_command") >"$W/command.out" 2>&1 || diag "$_command: $(tail -3 "$W/command.out")"
	else
		"$@" >"$W/command.out" 2>&1 || diag "$*: $(tail -3 "$W/command.out")"
	fi
	world_until 20 heeded "$_row" "$_check"
	result $? "$_title: ${_command:-$*}"
}

# ---- commands of a machine, which do the same in this world ----

# The group of the package does not exist here. Anything but the command of an advice is install(1).
install()
{
	case $* in
	*" /dev/stdin "*) ;;
	*)
		command install "$@"
		return
		;;
	esac
	for _to; do :; done
	cat >"$_to" && chmod 640 "$_to" && chown "$WORLD_USER" "$_to"
}

systemctl()
{
	_verb=$1
	shift
	if [ "$_verb" = set-property ]; then
		echo "$2" >"$W/unit.$1"
		return
	fi
	for _unit; do
		case $_verb/$_unit in
		start/postgresql) world_pg_resume ;;
		start/nginx) world_nginx_run ;;
		reload/nginx) kill -HUP "$(world_pid nginx)" ;;
		restart/surfaced-runner.socket) kill "$RUNNER_SOCKET" ;;
		start/*) start "$_unit" ;;
		restart/*)
			world_kill "$_unit"
			start "$_unit"
			;;
		reload/* | reload-or-restart/*)
			if world_running "$_unit"; then kill -HUP "$(world_pid "$_unit")"; else start "$_unit"; fi
			;;
		*) return 1 ;;
		esac
	done
}

start()
{
	case $1 in
	surfaced) world_api_start ;;
	surfaced-meter) world_meter_start ;;
	surfaced-dispatch) world_dispatch_resume ;;
	surfaced-egress) world_egress_start ;;
	*) world_daemon "$1" ;;
	esac
}

surfacectl()
{
	(world_as "$BIN/surfacectl" -c "$W/etc/surfacectl.conf" "$@")
}

setup_postgresql()
{
	world_migrate
}

runuser()
{
	[ "$1 $2 $3" = "-u postgres --" ] || return 1
	shift 3
	"$@"
}

apt()
{
	case $* in
	"install nginx") nsenter -m -t "$HOLDER" umount /usr/sbin/nginx ;;
	"install systemd-timesyncd") touch "$W/synchronised" ;;
	"install --reinstall surfaced") cp -R "$SQL"/. "$W/sql/" ;;
	"install ./surfaced-browser_*.deb") cp "$W/etc/surfaced-meter.conf" "$W/etc/surfaced-dispatch.conf" ;;
	*) return 1 ;;
	esac
}

# Debian's file, with the directories and the user of this world.
systemd_tmpfiles()
{
	_gid=$(id -gn "$WORLD_USER")
	sed -n "s,^d  */run/surfaced  *3770 .*,d $W/run 3770 $WORLD_USER $_gid -,p; s,^d  */var/lib/surfaced/index .*,d $W/index 2750 $WORLD_USER $_gid -,p" \
		debian/surfaced.tmpfiles >"$W/tmp/tmpfiles.conf"
	echo "d $W/kept 2750 $WORLD_USER $_gid -" >>"$W/tmp/tmpfiles.conf"
	command systemd-tmpfiles "$@" "$W/tmp/tmpfiles.conf"
}

# sysctl -w NAME=VALUE, in the namespace in which the doctor runs.
sysctl()
{
	$namespace env sysctl "$@"
}

# hold COMMAND...: a process that lives until it is killed, in the namespaces that unshare makes: sets HOLDER.
hold()
{
	unshare "$@" sleep infinity >/dev/null 2>&1 &
	HOLDER=$!
	world_until 10 holds
}

holds()
{
	[ "$(cat "/proc/$HOLDER/comm")" = sleep ]
}

release()
{
	kill "$HOLDER"
	wait "$HOLDER" 2>/dev/null || :
	namespace=
}

pool_sessions()
{
	sed -i 's/^pool_mode = .*/pool_mode = session/' "$W/pool/ini"
	psql -Xqh "$W/pool" -p 6432 -U surfaced_admin pgbouncer -c RELOAD
}

edit()
{
	sed -i "$1" "$2"
}

reload_as_said()
{
	(world_as "$BIN/surfacectl" -c "$W/etc/surfacectl.conf" --json workers --nginx "$W/etc/nginx.conf") >"$W/next"
	jq -r '.next[]' "$W/next" | while read -r _line; do eval "$_line"; done
}

# ---- a sound world ----

WORLD_CONF="public_url = https://localhost"
world_start
world_export_start
world_detect_start
install -m 755 "$BUILD/t/helper/faults.so" "$W/run/"
hostgen=$BUILD/t/helper/hostgen
"$hostgen" --hosts 20 --seed 1 | ctl import hosts - >/dev/null
hosts_wait 20

# A host without browsers and alerts, until they are asked for.
rm -f "$W/etc/surfaced-alert.conf" "$W/etc/surfaced-dispatch.conf" "$W/etc/surfaced-egress.conf" "$W/etc/surfaced-stream.conf"
: >"$W/followed"
doctor
is "$(faults)" "" "the doctor finds no fault in a sound world"
is "$(cat "$W/doctor.err")" "" "the doctor prints nothing on standard error"
is "$(jq -r '[.checks[].check] | unique | join(" ")' "$W/doctor")" \
	"alerts certificate clock configuration daemon database detection disk exports fingerprint-key history index login meter nginx public_url rights roles schema sealed secret sign-in-keys upstreams workers" \
	"the doctor makes every check"
found ok index '^hosts: .* 20 documents, up to date' "the index has every document"
found ok index '^dns: .* 0 documents, up to date' "the index of each dataset is checked"
is "$( (world_as "$BIN/surfacectl" -c "$W/etc/surfacectl.conf" doctor --etc "$W/etc" --nginx "$W/etc/nginx.conf" \
	--sql-dir "$SQL" --user "$WORLD_USER") | grep -c '^ok       nginx          surfaced_')" 4 \
	"the doctor prints a line for each check"

# ---- detectors ----

sql "INSERT INTO entitlement (account_uuid, name) VALUES ('$ACCOUNT', 'esi') ON CONFLICT DO NOTHING;
	INSERT INTO detector_work (detector, project_uuid, subject, due_at, tries) VALUES ('secrets', '$P', 'host 192.0.2.99', now() + interval '1 hour', 3)"
doctor
found warning detection 'the detector secrets could not look at 1 subjects, and tries again within an hour -> runuser .*; journalctl -u surfaced-detect says why' \
	"a detector that failed is named"
advised LOOK_AGAIN detection "a subject that a detector could not look at is looked at again by the advice"
world_kill surfaced-detect
sql "INSERT INTO detector_work (detector, project_uuid, subject, due_at) VALUES ('secrets', '$P', 'host 192.0.2.99', now() - interval '20 minutes');
	UPDATE detect_cursor SET at = now()"
doctor
found warning detection 'the detector secrets lags: 1 subjects wait, the first for 12[0-9][0-9] s -> ' "a detector that lags is named"
advised RESTART detection "a detector that lags goes on after a restart"

# ---- files ----

echo 'wrokers = 3' >>"$W/etc/surfaced.conf"
doctor
is "$RC" 1 "the doctor exits with 1 if it finds a fault"
found failed configuration 'surfaced.conf:[0-9]+: unknown parameter wrokers -> correct the line' \
	"a wrong line of a configuration is found"
advised FIX_LINE configuration \
	"a wrong line of a configuration is corrected" edit '/^wrokers/d' "$W/etc/surfaced.conf"
echo "index_directory = $W/tmp" >>"$W/etc/surfaced-index.conf"
doctor
found failed configuration 'surfaced reads .*/index, surfaced-index writes .*/tmp' \
	"two different directories of the index are found"
advised SET_SAME configuration "two daemons get the same directory" edit '$d' "$W/etc/surfaced-index.conf"

chmod 644 "$W/etc/secret"
advised CLOSE_SECRET secret "a secret that everybody can read is closed"
chown root:root "$W/etc/secret"
chmod 600 "$W/etc/secret"
advised OPEN_SECRET secret "a secret that its daemon cannot read is opened to it"
chown -R "$WORLD_USER" "$W/etc"
rm "$W/etc/secret"
advised MAKE_SECRET secret "a missing secret is made"
like "$(surfacectl secret rotate)" "systemctl reload surfaced\$" "surfacectl secret rotate prints the next step"
doctor
found warning secret 'secret changed since the workers of surfaced read it -> systemctl reload surfaced' "workers that have not read the secret are found"
advised RELOAD secret "the workers read the secret by the advice"
edit '/^public_url/d' "$W/etc/surfaced.conf"
advised SET_PUBLIC_URL public_url "people get links and passkeys" sh -c "echo 'public_url = https://localhost' >>'$W/etc/surfaced.conf'"
cp -p "$W/etc/sign-in-keys" "$W/etc/sign-in-keys.kept"
kid=$(cut -d: -f1 "$W/etc/sign-in-keys")
sql "INSERT INTO person (name, email, totp, totp_at) VALUES ('Ann', 'ann@example.com', '\\x01'::bytea || convert_to('$kid', 'UTF8') || decode(repeat('00', 61 - length('$kid')), 'hex'), now())"
rm "$W/etc/sign-in-keys"
advised MAKE_SIGN_IN_KEYS sign-in-keys "missing keys of people are made"
advised RESTORE_SIGN_IN_KEYS sealed "the key that has sealed a secret is put back" mv "$W/etc/sign-in-keys.kept" "$W/etc/sign-in-keys"
echo short >"$W/etc/secret"
advised MAKE_SECRET secret "a bad secret is replaced by a new one"
printf '{"url":"http://a.example.com/","captured_at":"2026-11-01T00:00:00Z","body_base64":"%s"}\n' \
	"$(python3 t/helper/secrets.py github 1 | sed 's/^/token=/' | base64 -w0)" | ctl import content --project "$P" - >/dev/null
doctor
found ok fingerprints ' secrets, found with the key of ' "the key by which secrets were told apart is there"
cp -p "$W/etc/fingerprint-key" "$W/kept-key"
rm "$W/etc/fingerprint-key"
doctor
found warning fingerprints 'found with another key than that of ' "a database without its key of fingerprints is found before anything is imported (C-189)"
advised MAKE_FINGERPRINT_KEY fingerprint-key "a missing key of fingerprints is made"
advised RESTORE_FINGERPRINT_KEY fingerprints "a new key of fingerprints is replaced by that of the backup (C-189)" cp -p "$W/kept-key" "$W/etc/fingerprint-key"

cp "$W/etc/upstreams.conf" "$W/etc/upstreams.good"
echo '}' >>"$W/etc/upstreams.conf"
doctor
found failed upstreams "upstreams.conf:[0-9]+" "an upstream file with a wrong line is found"
advised FIX_UPSTREAMS upstreams "an upstream file is restored" cp "$W/etc/upstreams.good" "$W/etc/upstreams.conf"
sed -i 's/weight=2/weight=150/' "$W/etc/upstreams.conf"
doctor
found warning database 'want up to [0-9]+ connections, it has room for [0-9]+ -> set max_connections' "more workers than connections are found"
advised MORE_CONNECTIONS database "the upstream file gets fewer workers" cp "$W/etc/upstreams.good" "$W/etc/upstreams.conf"
sed -i 's/weight=2/weight=3/' "$W/etc/upstreams.conf"
advised NO_COPY nginx "nginx includes the file itself" cp "$W/etc/upstreams.conf" "$W/etc/nginx/upstreams.conf"
advised RELOAD_POOLS workers "a reload that is due is made" reload_as_said
cp "$W/etc/upstreams.good" "$W/etc/upstreams.conf"
cp "$W/etc/upstreams.good" "$W/etc/nginx/upstreams.conf"
reload_as_said
user=nobody-of-this-name
advised NAME_USER login "the user of the daemons is named" eval "user="
looker=nobody
doctor
found warning index 'Permission denied -> run surfacectl doctor as root' "a file that only root can read is no fault"
advised AS_ROOT index "the doctor runs as a user who may look" eval "looker="

# ---- folders, disks, clocks ----

if hold -m; then
	namespace="nsenter -m -t $HOLDER"
	$namespace mount -t tmpfs -o size=2m none "$W/index"
	$namespace sh -c 'head -c 3m /dev/zero >"$1/x"' sh "$W/index" 2>/dev/null
	advised MAKE_ROOM disk "a full disk gets room" $namespace rm "$W/index/x"
	release
else
	fail "a mount namespace is made"
fi
mv "$W/index" "$W/index.away"
advised MAKE_FOLDERS disk "a missing directory is created by the advice"
# surfaced-index may have put its files into the new directory.
mv "$W/index" "$W/index.made"
mv "$W/index.away" "$W/index"
rm -r "$W/index.made"
wrapper="env ASAN_OPTIONS=verify_asan_link_order=0 LD_PRELOAD=$W/run/faults.so FAULTS_CLOCK=$W/synchronised"
advised SYNC_CLOCK clock "a clock is synchronised"
wrapper="faketime -f +1h"
doctor
found warning clock 'the database.s clock differs by [0-9]+ ms' "a clock that is not the database's is found"
advised SYNC_CLOCKS clock "two clocks are synchronised" eval "wrapper="

# ---- nginx ----

cp -p "$W/etc/nginx.conf" "$W/etc/nginx.conf.good"
restore_nginx()
{
	cp -p "$W/etc/nginx.conf.good" "$W/etc/nginx.conf"
}
sed -i '/http.conf/d' "$W/etc/nginx.conf"
doctor
found failed nginx '\[emerg\] .* -> correct what nginx -t reports' "a configuration that nginx refuses is found"
advised TEST_NGINX nginx "a configuration that nginx refuses is corrected" restore_nginx
sed "/surfaced.conf;/d; s,$W/etc/nginx/upstreams.conf,/dev/null," "$W/etc/nginx.conf.good" |
	sed "/plain.conf;/d; /ssl_certificate/d; s/ ssl\( http2\)*;/;/; /http.conf;/s/.*/map \$uri \$surfaced_area { default other; }/" >"$W/etc/nginx.conf"
doctor
found failed nginx 'no site includes .*upstreams.conf: nginx knows no socket .* because nothing' "a site that is not enabled is one fault"
is "$(jq '[.checks[] | select(.state == "failed" and .because == null)] | length' "$W/doctor")" 1 "a site that is not enabled is the only cause"
is "$(jq -r '[.checks[] | select(.because != null) | .because + " " + .check] | join(", ")' "$W/doctor")" \
	"nginx nginx, nginx certificate" "what the site would include is shown as its consequence"
advised ENABLE_SITE nginx "a site is enabled" restore_nginx
sed "/surfaced.conf;/d; /plain.conf;/d; /http.conf;/s/.*/map \$uri \$surfaced_area { default other; }/" "$W/etc/nginx.conf.good" >"$W/etc/nginx.conf"
advised ADD_HTTP_CONF nginx "http.conf is included in nginx's configuration" restore_nginx
sed "s,$W/etc/nginx/surfaced.conf;,$W/etc/nginx/plain.conf;," "$W/etc/nginx.conf.good" >"$W/etc/nginx.conf"
advised ADD_SITE_CONF nginx "surfaced.conf is included in nginx's configuration" restore_nginx
chmod 000 "$W/run/api.sock"
advised RESTART nginx "a socket that nginx cannot connect to gets its mode by a restart"
looker=root
sed -i "1i user $WORLD_USER;" "$W/etc/nginx.conf"
chmod 000 "$W/run"
advised MAKE_FOLDERS nginx "a directory of sockets that nginx cannot enter gets its mode"
looker=
restore_nginx
chmod 711 "$W/run"
sed -i 's/worker_connections .*/worker_connections 768;/' "$W/etc/nginx.conf"
doctor
found warning nginx '768 connections .* -> set worker_connections 8192 .* and worker_rlimit_nofile 16384' \
	"Debian's number of connections is found to be too small"
advised MORE_CLIENTS nginx "nginx gets more connections" sed -i 's/worker_connections .*/worker_connections 8192;/' "$W/etc/nginx.conf"
sed -i '/worker_rlimit_nofile/d' "$W/etc/nginx.conf"
doctor
found warning nginx '8192 connections .* 1024 open files ' "connections without enough files are found"
advised MORE_CLIENTS nginx "nginx gets files for its connections" sed -i '1i worker_rlimit_nofile 16384;' "$W/etc/nginx.conf"
found ok nginx '8192 connections and 16384 open files' "the numbers of the advice satisfy the check"
restore_nginx

# certificate DAYS [NAME]: a new one in place of the world's.
certificate()
{
	openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -noenc -days "$1" -subj "/CN=${2-localhost}" \
		-keyout "$W/tls/server.key" -out "$W/tls/server.crt" 2>/dev/null
	world_give
}
certificate 90 other.example
doctor
found failed certificate 'server.crt is not for localhost, .* -> get one for that name' "a certificate of another name is found"
advised NEW_NAME certificate "a certificate for the name is obtained" certificate 90
advised RELOAD nginx "nginx loads a new certificate"
certificate 5
doctor
found warning certificate 'expires in [45] days -> renew it' "a certificate that expires soon is found"
advised RENEW certificate "a certificate that expires soon is renewed" certificate 90
(
	faketime -f -400d openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -noenc -days 30 -subj /CN=localhost \
		-keyout "$W/tls/server.key" -out "$W/tls/server.crt"
) 2>/dev/null
world_give
doctor
found failed certificate 'server.crt expired 3(69|70) days ago -> renew it' "a certificate that has expired is found"
advised RENEW certificate "a certificate that has expired is renewed" certificate 90
(
	faketime -f +40d openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -noenc -days 90 -subj /CN=localhost \
		-keyout "$W/tls/server.key" -out "$W/tls/server.crt"
) 2>/dev/null
world_give
advised FIX_CLOCK certificate "a machine's clock that is late is corrected" eval 'wrapper="faketime -f +41d"'
wrapper=
certificate 90
systemctl reload nginx
sed -i "/ssl_certificate /d; /ssl_certificate_key/d; s/ ssl\( http2\)*;/;/" "$W/etc/nginx.conf"
advised ADD_CERTIFICATE certificate "a certificate is named" restore_nginx
left=$(pgrep -P "$(world_pid nginx)")
world_kill nginx KILL
kill -KILL $left # as systemd does with the processes of a unit that has ended
doctor
found failed nginx 'it was killed and cannot start again: .*/loop.sock.* left over -> rm -f .*/loop.sock.*; systemctl start nginx' \
	"the sockets of nginx that was killed are found"
advised REMOVE_SOCKETS nginx "nginx that was killed starts again by the advice"
world_kill nginx
doctor
found failed nginx 'does not run .* -> systemctl start nginx' "nginx that is down is found"
advised START nginx "nginx is started by the advice"
touch "$W/no-nginx"
hold -m
namespace="nsenter -m -t $HOLDER"
$namespace mount --bind "$W/no-nginx" /usr/sbin/nginx
advised INSTALL nginx "nginx is installed by the advice"
release

# ---- name servers ----

# The rules of the units, as systemd prints them.
mkdir "$W/path"
cat >"$W/path/systemctl" <<END
#!/bin/sh
for unit; do :; done
[ "\$*" = "show -p IPAddressDeny -p IPAddressAllow \$unit" ] || exit 1
sed -n '/^IPAddressDeny=/p' "$TOP/debian/systemd/\$unit"
cat "$W/unit.\$unit" 2>/dev/null || echo IPAddressAllow=
END
chmod 755 "$W/path/systemctl"
printf 'nameserver 169.254.169.254\nnameserver fe80::1%%eth0\nnameserver 192.0.2.1\n' >"$W/resolv.conf"
cp "$W/etc/surfaced-meter.conf" "$W/etc/surfaced-alert.conf"
hold -m
namespace="nsenter -m -t $HOLDER env PATH=$W/path:$PATH"
nsenter -m -t "$HOLDER" mount --bind "$W/resolv.conf" /etc/resolv.conf
doctor
found failed resolver '^surfaced-alert may not reach 169.254.169.254,' "a name server that the unit denies is found"
found failed resolver '^surfaced-alert may not reach fe80::1,' "a name server at a link-local address of IPv6 is found"
found ok resolver '^surfaced-alert may reach 192.0.2.1' "another name server is allowed"
advised ALLOW_SERVER resolver "a name server is allowed"
release
rm "$W/etc/surfaced-alert.conf"

# ---- the daemons ----

world_kill surfaced
doctor
found failed daemon '^surfaced does not run -> systemctl start surfaced' "surfaced that is down is found"
found failed workers 'surfaced_api: .*no process listens.* because daemon' "sockets on which no process listens are a consequence"
like "$( (world_as "$BIN/surfacectl" -c "$W/etc/surfacectl.conf" doctor --etc "$W/etc" --nginx "$W/etc/nginx.conf" \
	--sql-dir "$SQL" --user "$WORLD_USER") | grep -A3 '^failed   daemon' | tr -s ' \n' ' ')" \
	'-> systemctl start surfaced; .* therefore workers: surfaced_api' "text has the consequences below the cause and its advice"
advised START daemon "surfaced is started by the advice"
# As systemd does, which keeps the sockets of a master that cannot start.
world_kill surfaced
rm -f "$W/run/api.sock"
holder=$(python3 -c 'import os, signal, socket, sys
s = socket.socket(socket.AF_UNIX)
s.bind(sys.argv[1])
os.chmod(sys.argv[1], 0o666)
s.listen()
if os.fork() == 0:
    print(os.getpid(), flush=True)
    os.close(1)
    signal.pause()' "$W/run/api.sock")
doctor
found failed workers 'surfaced_api: .*process [0-9]+, which listened, has ended' \
	"sockets kept without a master are found"
is "$( (world_as "$BIN/surfacectl" -c "$W/etc/surfacectl.conf" --json workers --nginx "$W/etc/nginx.conf") |
	jq -r '.pools[] | select(.pool == "surfaced_api").state')" stopped "surfacectl workers shows the pool as stopped"
kill "$holder"
rm "$W/run/api.sock"
systemctl start surfaced
cp "$W/etc/secret" "$W/etc/secret.good"
echo short >"$W/etc/secret"
pkill -KILL -P "$(world_pid surfaced)"
doctor
advised READ_LOG workers \
	"the reason in the log, a bad secret, is corrected" cp "$W/etc/secret.good" "$W/etc/secret"
LOG_EXPECTED='must hold 32'
world_kill surfaced-meter
rm -f "$W/run/metrics.sock"
doctor
found failed meter 'metrics.sock: .* because daemon' "a meter that does not answer is a consequence of its end"
advised START daemon "surfaced-meter is started by the advice"
rm -f "$W/run/metrics.sock"
advised RESTART meter "a meter whose socket is gone is restarted"
world_kill surfaced-index
doctor
found failed index 'no surfaced-index writes .* because daemon' "an index without its writer is a consequence"
"$hostgen" --hosts 30 --seed 2 | ctl import hosts - >/dev/null
doctor
found failed index '^hosts: 30 changed documents are not in the index' "an index that lags is found"
segment=$(find "$W/index" -name 'hosts-*.seg' | head -1)
mv "$segment.copy" "$W/tmp/copy"
doctor
found warning index '^hosts: 1 files have no copy -> surfaced-index makes them' "a file of the index without a copy is found"
mv "$W/tmp/copy" "$segment.copy"
printf '\377\377\377\377' | dd of="$segment" bs=1 seek=200 conv=notrunc 2>/dev/null
doctor
found failed index 'hosts-[0-9a-f]*\.seg: changed after it was written: searches of hosts' \
	"a file of the index that changed is found (C-423)"
advised START daemon "surfaced-index is started by the advice"
found warning index '^hosts: damaged files were found [0-9]+ times, at last .*, and are repaired -> look for errors of the disk' \
	"damage that was repaired is told (C-423)"
printf 'x' | dd of="$W/index/hosts.manifest" bs=1 seek=20 conv=notrunc 2>/dev/null
doctor
found failed index 'manifest: ' "a damaged index is found as failed"
advised RESTART index "a damaged index is built again"

# ---- the database ----

sql "INSERT INTO alert_change (source, source_uuid, project_uuid, due_at) VALUES ('finding', '$(uuid_new)', '$(uuid_new)', now() - interval '2 minutes')"
doctor
found warning alerts '1 changes and 0 deliveries wait, for [1-9][0-9]{2,} s by now' \
	"changes that no daemon evaluates are found"
cp "$W/etc/surfaced-meter.conf" "$W/etc/surfaced-alert.conf"
sed -i 's/surfaced_meter/surfaced_alert/' "$W/etc/surfaced-alert.conf"
doctor
found warning alerts 'because daemon' \
	"changes that no daemon evaluates are a consequence of a missing surfaced-alert"
advised START daemon "surfaced-alert is started by the advice"
world_kill surfaced-alert
rm "$W/etc/surfaced-alert.conf"
sql "DELETE FROM alert_change"

next=record_event_$(date -u -d "$(date -u +%Y-%m-15) +1 month" +%Y%m)
sql "DROP TABLE $next"
doctor
found warning history 'record_event has no partition of [0-9]{4}-[0-9]{2}' "a month of the history that is missing is found"
cp "$W/etc/surfaced-meter.conf" "$W/etc/surfaced-alert.conf"
sed -i 's/surfaced_meter/surfaced_alert/' "$W/etc/surfaced-alert.conf"
world_daemon surfaced-alert
made() { [ -n "$(sql "SELECT to_regclass('$next')")" ]; }
ok "surfaced-alert makes the missing month" world_until 20 made
sql "DROP TABLE $next"
advised RESTART history "surfaced-alert, which made no month, is started again"
world_kill surfaced-alert
rm "$W/etc/surfaced-alert.conf"

createdb -T template0 -E SQL_ASCII --locale=C other
database="host=$W/db dbname=other user=postgres"
advised NEW_ENCODING database \
	"the database is created again with its encoding" sh -c 'dropdb other && createdb -T template0 -E UTF8 other'
database=
sql "CREATE SCHEMA old; GRANT USAGE ON SCHEMA old TO surfaced_admin; CREATE FUNCTION old.current_setting(text) RETURNS text LANGUAGE sql
	AS \$\$ SELECT CASE \$1 WHEN 'server_version_num' THEN '140000' ELSE pg_catalog.current_setting(\$1) END \$\$;
	GRANT EXECUTE ON FUNCTION old.current_setting TO surfaced_admin; ALTER ROLE surfaced_admin SET search_path = old, pg_catalog, public"
advised NEW_SERVER database "a server that is too old is upgraded" sql "ALTER ROLE surfaced_admin SET search_path = public; DROP SCHEMA old CASCADE"
sql "ALTER ROLE surfaced_api NOLOGIN"
doctor
found failed roles 'surfaced_api cannot log in' "a role that cannot log in is found"
found failed login 'surfaced, as the user .*not permitted to log in.* because roles' "a daemon whose role cannot log in is a consequence"
advised ALTER_ROLE roles "a role that could not log in can log in again"
sql "ALTER ROLE surfaced_index SUPERUSER"
advised ALTER_ROLE roles "a role that may do too much loses it"
sql "REVOKE SELECT ON record FROM surfaced_index"
doctor
found failed rights 'revoked: SELECT ON TABLE public.record FROM surfaced_index' \
	"a revoked right is found by the check of rights"
advised MIGRATE rights "a revoked right is restored by the advice"
is "$(sql "SELECT has_table_privilege('surfaced_index', 'record', 'SELECT')")" t "surfaced_index may read hosts again"
sql "GRANT SELECT ON member TO surfaced_index"
advised REVOKE rights "a right that was granted by hand is revoked"
sql "ALTER ROLE surfaced_meter RENAME TO surfaced_before; CREATE ROLE surfaced_meter LOGIN; GRANT CONNECT ON DATABASE surfaced TO surfaced_meter"
doctor
found failed login '^surfaced-meter.* no right there' "a role that was created again is found"
advised MIGRATE login "a role that was created again gets its rights"
sql "DROP OWNED BY surfaced_before; DROP ROLE surfaced_before"
cp -R "$SQL" "$W/sql"
good_sql=$SQL
echo '-- other' >>"$W/sql/0001-accounts.sql"
sql_dir=$W/sql
doctor
found failed schema '0001-accounts.sql has changed since it was applied' "a changed file of sql/ is found"
advised FIX_PROGRAM schema "a changed file of sql/ is installed again"
rm "$W/sql/roles.sql"
advised FIX_PROGRAM roles "a missing roles.sql is installed again"
echo 'SELECT 1;' >"$W/sql/9998-more.sql"
sed -i "s/('surfaced_admin', 'LOGIN')/&, ('surfaced_later', 'LOGIN')/" "$W/sql/roles.sql"
doctor
found failed schema '1 files up to 9998 have not been applied' "files that have not been applied are found"
SQL=$W/sql
advised MIGRATE schema "files that have not been applied are applied"
sql_dir=$good_sql
doctor
found warning schema 'the database has the schema of a later release: .* has no 9998-more -> the release before that one runs with it; upgrade this host again' \
	"the schema of a later release is no fault of the release before"
found ok login '^surfaced-meter, as the user' "the programs of the release before log in"
sql_dir=$W/sql
sql "DROP OWNED BY surfaced_later; DROP ROLE surfaced_later"
advised MIGRATE roles "a missing role is created by the advice"
SQL=$good_sql sql_dir=
sql "DROP OWNED BY surfaced_later; DROP ROLE surfaced_later; DELETE FROM schema_migration WHERE version = 9998"

cp "$W/etc/surfacectl.conf" "$W/etc/surfacectl.good"
sed -i 's/user=surfaced_admin/user=surfaced_nobody/' "$W/etc/surfacectl.conf"
advised FIX_LOGIN database "the configured role is corrected" cp "$W/etc/surfacectl.good" "$W/etc/surfacectl.conf"

sed -i "s,host=[^ ]*,host=192.0.2.1," "$W/etc/surfacectl.conf"
namespace="unshare -n"
doctor
found failed database 'Network is unreachable -> correct database in .*/surfacectl.conf, or PostgreSQL and its pg_hba.conf on 192.0.2.1' \
	"the advice for a database elsewhere is not to start one here"
advised REMOTE_LOGIN database "the database elsewhere is corrected" cp "$W/etc/surfacectl.good" "$W/etc/surfacectl.conf"
namespace=
mkdir "$W/pool"
chown "$WORLD_USER" "$W/pool"
printf '%s\n' '[databases]' "surfaced = host=$W/db dbname=surfaced" '[pgbouncer]' 'pool_mode = transaction' "unix_socket_dir = $W/pool" \
	'listen_port = 6432' 'auth_type = trust' "auth_file = $W/pool/users" "pidfile = $W/pool/pid" \
	'admin_users = surfaced_admin' >"$W/pool/ini"
sql "SELECT format('\"%s\" \"\"', rolname) FROM pg_roles WHERE rolname LIKE 'surfaced%'" >"$W/pool/users"
world_spawn pgbouncer pgbouncer "$W/pool/ini"
world_until 20 test -S "$W/pool/.s.PGSQL.6432"
sed -i "s,host=[^ ]*,host=$W/pool port=6432," "$W/etc/surfacectl.conf"
advised POOL_SESSIONS database "a pooler of transactions pools sessions" pool_sessions
cp "$W/etc/surfacectl.good" "$W/etc/surfacectl.conf"
world_kill pgbouncer

# slots N: restarts the server with N connections, three of them for superusers.
slots()
{
	sed -i '/^max_connections/d' "$W/db/pg/postgresql.conf"
	echo "max_connections = $1" >>"$W/db/pg/postgresql.conf"
	world_pg_stop
	world_pg_resume
}
slots 5
for _ in 1 2; do
	psql -XqAt -U surfaced_admin -c "SELECT pg_sleep(600)" >/dev/null 2>&1 &
done
full()
{
	[ "$(sql "SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend'")" -ge 3 ]
}
world_until 20 full
advised MORE_SLOTS database "max_connections of the server is raised" slots 100
# A smart shutdown waits for connections that exist, here a session that sleeps, and refuses new ones.
psql -XqAt -c "SELECT pg_sleep(600)" >/dev/null 2>&1 &
sleeps()
{
	[ "$(sql "SELECT count(*) FROM pg_stat_activity WHERE query LIKE 'SELECT pg_sleep%'")" -ge 1 ]
}
world_until 20 sleeps
setpriv --reuid="$WORLD_USER" --regid="$(id -g "$WORLD_USER")" --clear-groups "$(pg_config --bindir)/pg_ctl" \
	-D "$W/db/pg" stop -m smart --no-wait >/dev/null
advised AWAIT_DATABASE database "the advice is to wait for a server that shuts down" world_pg_stop
doctor
found failed database ' -> systemctl start postgresql' "a server that is down is found"
found failed login 'surfaced-index.* because database' "a daemon that cannot log in is a consequence"
is "$(jq '[.checks[] | select(.check == "login" and .advice != null)] | length' "$W/doctor")" 0 "consequences have no advice"
advised START_DATABASE database "a server that is down is started"

# ---- what the browser side needs, where it is ----

is "$(jq '[.checks[] | select(.check == "routes" or .check == "namespaces" or .check == "browser")] | length' "$W/doctor")" 0 \
	"a host without browsers has no checks of browsers"
browser_check=1
advised INSTALL configuration "surfaced-browser is installed by the advice"
browser_check=
mkdir -p "$W/kept"
install -m 755 t/helper/fake-runner "$W/fake-runner"
for name in surfaced-dispatch surfaced-egress; do
	{
		sed "s/surfaced_meter/surfaced_$(echo ${name#surfaced-})/" "$W/etc/surfaced-meter.conf"
		echo "evidence_directory = $W/kept"
		echo "runner = $W/fake-runner"
		echo "runner_conf = $W/etc/surfaced-runner.conf"
	} | world_lines "$name" >"$W/etc/$name.conf"
done
sed -i '/^evidence_directory/d' "$W/etc/surfacectl.conf"
echo "evidence_directory = $W/kept" >>"$W/etc/surfacectl.conf"
echo "run_directory = $W/run" >"$W/etc/surfaced-runner.conf"
{
	cat "$W/etc/surfaced-dispatch.conf"
	echo "stream_keys = $W/etc/stream-keys"
} | world_lines surfaced-stream >"$W/etc/surfaced-stream.conf"
sed -i 's/surfaced_dispatch/surfaced_stream/' "$W/etc/surfaced-stream.conf"
world_give
chown -R "$WORLD_USER" "$W/kept"
rm "$W/etc/stream-keys"
advised MAKE_KEYS stream-keys "missing keys of streams are created"
echo none >"$W/etc/stream-keys"
advised MAKE_KEYS stream-keys "bad keys of streams are replaced by new ones"
rm "$W/etc/surfaced-stream.conf"
echo '# fake: missing user namespaces: empty surfaced-runner.conf' >>"$W/etc/surfaced-runner.conf"
doctor
found failed browser '^missing user namespaces -> empty surfaced-runner.conf because' "a requirement of the runner that is missing is found"
found failed runner 'fake-runner: its dry run fails .*because browser' "a dry run that fails is a consequence"
advised AS_SAID browser "the runner gets what is missing" edit '/fake/d' "$W/etc/surfaced-runner.conf"
sed -i "s,^runner = .*,runner = /bin/false," "$W/etc/surfaced-dispatch.conf"
advised RUN_RUNNER runner "a runner that does not run is corrected" edit "s,^runner = .*,runner = $W/fake-runner," "$W/etc/surfaced-dispatch.conf"
rm -f "$W/run/runner.sock"
(world_as /usr/bin/python3 -c 'import os, socket, sys
s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
s.bind(sys.argv[1])
s.listen()
while True:
    s.accept()[0].close()' "$W/run/runner.sock") &
RUNNER_SOCKET=$!
world_until 10 test -S "$W/run/runner.sock"
advised READ_RUNNER runner "a broken service of runners is corrected" rm "$W/run/runner.sock"
kill "$RUNNER_SOCKET"
advised START daemon "surfaced-dispatch is started by the advice"
advised START daemon "surfaced-egress is started by the advice"
browser_check=1
echo "browser_sessions = 10000" >>"$W/etc/surfaced-dispatch.conf"
advised MORE_MEMORY memory "fewer sessions need less memory" edit '/^browser_sessions/d' "$W/etc/surfaced-dispatch.conf"
world_pg_stop
advised ASK_DOCTOR database \
	"browser-check refers to surfacectl doctor for the database" systemctl start postgresql
browser_check=
hold -m
namespace="nsenter -m -t $HOLDER"
$namespace mount -t tmpfs -o size=16m,mode=777 none "$W/kept"
sed -i '/^evidence_reserve/d' "$W/etc/surfaced-dispatch.conf"
echo "evidence_reserve = 8000000" >>"$W/etc/surfaced-dispatch.conf"
$namespace sh -c 'head -c 12m /dev/zero >"$1/x"' sh "$W/kept"
doctor
found failed disk '/kept: .*less than evidence_reserve: no session is started' "a disk without room for evidence is found"
advised LESS_RESERVE disk "a disk of evidence gets room" $namespace rm "$W/kept/x"
release
sql "UPDATE egress_route SET answered = false WHERE country = 'GB'; UPDATE egress_route SET enabled = false WHERE country <> 'GB'" >/dev/null
doctor
found warning routes '^GB, direct .*did not answer ' "a route that did not answer is found"
advised FIX_ROUTE routes "a route that does not answer is disabled"
advised ADD_ROUTE routes "a route is added by the advice" surfacectl routes add NL
# User namespaces of their own: one that may have no others, and one that has as many as it may.
hold -Ur
namespace="nsenter -U -t $HOLDER --preserve-credentials"
as=env user=root
$namespace sh -c 'echo 0 >/proc/sys/user/max_user_namespaces'
doctor
found failed namespaces 'no browser will start' "a machine without user namespaces is found"
advised SYSCTL namespaces "user namespaces are allowed"
$namespace sh -c 'echo 1 >/proc/sys/user/max_user_namespaces'
# The process has the one namespace as soon as it has become sleep. The kernel frees that of the doctor's attempt late, and
# unshare fails until then.
inner=
unshared()
{
	if [ -z "$inner" ] || ! kill -0 "$inner" 2>/dev/null; then
		$namespace unshare -U sleep infinity >/dev/null 2>&1 &
		inner=$!
	fi
	[ "$(cat "/proc/$inner/comm" 2>/dev/null)" = sleep ]
}
world_until 10 unshared
advised ALLOW_SPACES namespaces "user namespaces are allowed by the container" $namespace sh -c 'echo 100 >/proc/sys/user/max_user_namespaces'
kill "$inner"
release

# Each row of the table has been followed.
is "$(sort -u "$W/followed" | paste -sd ' ')" "$(sed -n 's/^ADVICE(\([A-Z_]*\),.*/\1/p' src/tbl/advice.h | sort | paste -sd ' ')" \
	"every advice was followed to the letter"
is "$(grep -hoE '\b(DO|DO_WITH)\([A-Z_]+' src/cli/*.c src/cli/*/*.c | sed 's/.*(//' | sort -u | paste -sd ' ')" \
	"$(sed -n 's/^ADVICE(\([A-Z_]*\),.*/\1/p' src/tbl/advice.h | sort | paste -sd ' ')" "every advice of the table is given"
