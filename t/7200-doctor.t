#!/bin/sh
# SPDX-License-Identifier: ISC
# surfacectl doctor: nothing to say of a sound world; each fault is found, with what to do about it.
. "$(dirname "$0")/lib.sh"

# The daemons' user looks: everything here is theirs.
doctor()
{
	(world_as ${doctor_env-} "$BIN/surfacectl" -c "$W/etc/surfacectl.conf" ${database:+--database "$database"} --json doctor --etc "$W/etc" --nginx "$W/etc/nginx.conf" \
		--sql-dir "${sql_dir:-$SQL}" --user "$(world_user)") >"$W/doctor" 2>"$W/doctor.err"
	RC=$?
	jq -r '.checks[] | select(.state != "ok" and (.advice // "") == "") | .detail' "$W/doctor" >>"$W/unadvised"
}

world_user()
{
	if world_root; then echo "$WORLD_USER"; else id -un; fi
}

# found STATE CHECK ERE TITLE
found()
{
	like "$(jq -r --arg s "$1" --arg c "$2" '.checks[] | select(.state == $s and .check == $c) |
		.detail + " -> " + (.advice // "")' "$W/doctor")" "$3" "$4"
}

# A machine's clock and disk are not ours to mend.
faults()
{
	jq -r '.checks[] | select(.state != "ok" and .check != "clock" and .check != "disk") | .check' "$W/doctor" | sort -u |
		tr '\n' ' '
}

world_start
hostgen=$BUILD/t/helper/hostgen
"$hostgen" --hosts 20 --seed 1 | ctl import hosts - >/dev/null
hosts_wait 20

# A host without browsers and alerts, until they are asked for.
rm -f "$W/etc/surfaced-alert.conf" "$W/etc/surfaced-dispatch.conf" "$W/etc/surfaced-egress.conf" "$W/etc/surfaced-stream.conf"
doctor
is "$(faults)" "" "a sound world"
is "$(cat "$W/doctor.err")" "" "and nothing on standard error"
is "$(jq -r '[.checks[].check] | unique | join(" ")' "$W/doctor")" \
	"alerts certificate clock configuration daemon database disk index login meter nginx roles schema secret upstreams workers" \
	"every check was made"
found ok index ' 20 documents, up to date' "the index has every document"
is "$( (world_as "$BIN/surfacectl" -c "$W/etc/surfacectl.conf" doctor --etc "$W/etc" --nginx "$W/etc/nginx.conf" \
	--sql-dir "$SQL" --user "$(world_user)") | grep -c '^ok       nginx          surfaced_')" 3 "as text, a line a check"

# ---- files ----

echo 'wrokers = 3' >>"$W/etc/surfaced.conf"
chmod 644 "$W/etc/secret"
doctor
is "$RC" 1 "a fault is an exit status"
found failed configuration 'surfaced.conf:[0-9]+: unknown parameter wrokers -> correct the line' "a wrong line"
sed -i '/^wrokers/d' "$W/etc/surfaced.conf"
doctor
found failed secret 'can be read by everybody -> chmod 0640' "a secret for everybody"
if world_root; then
	secret=$(stat -c %u:%g "$W/etc/secret")
	chown root:root "$W/etc/secret"
	chmod 600 "$W/etc/secret"
	doctor
	found failed secret "secret cannot be read by surfaced, as the user $WORLD_USER -> chown root:surfaced .*restart surfaced" \
		"a secret that its daemon cannot read"
	chown "$secret" "$W/etc/secret"
else
	skip "no root"
fi
chmod 600 "$W/etc/secret"
rm -f "$W/etc/surfaced-index.conf.away"
mv "$W/etc/surfaced-index.conf" "$W/etc/surfaced-index.conf.away"
doctor
found failed configuration 'surfaced reads .*, surfaced-index writes' "two folders of the index"
mv "$W/etc/surfaced-index.conf.away" "$W/etc/surfaced-index.conf"
sed -i 's/weight=2/weight=3/' "$W/etc/upstreams.conf"
doctor
found warning workers 'has changed since surfaced read it -> surfacectl workers says' "a reload is due"
found warning nginx 'nginx counts 2 workers, the upstream file 3' "nginx reads another file"
echo '}' >>"$W/etc/upstreams.conf"
doctor
found failed upstreams "upstreams.conf:[0-9]+" "an upstream file that is none"
cp "$W/etc/nginx/upstreams.conf" "$W/etc/upstreams.conf"
sed -i 's/weight=2/weight=150/' "$W/etc/upstreams.conf"
doctor
found warning database 'want up to [0-9]+ connections, it has room for [0-9]+ -> set max_connections' "more workers than connections"
cp "$W/etc/nginx/upstreams.conf" "$W/etc/upstreams.conf"

# ---- nginx ----

cp -p "$W/etc/nginx.conf" "$W/etc/nginx.conf.good"
sed -i '/http.conf/d' "$W/etc/nginx.conf"
doctor
found failed nginx '\[emerg\] .* -> correct what nginx -t reports' "a configuration that nginx refuses"
sed "s,$W/etc/nginx/surfaced.conf;,$W/etc/nginx/plain.conf;,; s,$W/etc/nginx/upstreams.conf,/dev/null," \
	"$W/etc/nginx.conf.good" | sed "/http.conf;/s/.*/map \$uri \$surfaced_area { default other; }/" >"$W/etc/nginx.conf"
sed -i '/plain.conf/d' "$W/etc/nginx.conf"
doctor
found failed nginx 'does not know the socket .*/search.sock -> enable a site' "a site that is not enabled"
found failed nginx 'http.conf is not included' "nor what it needs"
sed "s,$W/etc/nginx/surfaced.conf;,$W/etc/nginx/plain.conf;," "$W/etc/nginx.conf.good" >"$W/etc/nginx.conf"
doctor
found failed nginx 'surfaced.conf is not included: .* -> include surfaced.conf' "a site without the API"
unlike "$(cat "$W/doctor")" 'http.conf is not included' "though it has the rest"
cp -p "$W/etc/nginx.conf.good" "$W/etc/nginx.conf"
sed -i 's/worker_connections .*/worker_connections 768;/' "$W/etc/nginx.conf"
doctor
found warning nginx '768 connections .* -> set worker_connections 8192 .* and worker_rlimit_nofile 16384' \
	"Debian's number of connections is too small"
sed -i 's/worker_connections .*/worker_connections 8192;/; /worker_rlimit_nofile/d' "$W/etc/nginx.conf"
doctor
found warning nginx '8192 connections .* 1024 open files .* -> set .* worker_rlimit_nofile 16384' \
	"the connections have too few files"
sed -i '1i worker_rlimit_nofile 16384;' "$W/etc/nginx.conf"
doctor
found ok nginx '8192 connections and 16384 open files' "the advice on connections, applied literally, satisfies the check"
cp -p "$W/etc/nginx.conf.good" "$W/etc/nginx.conf"
# certificate DAYS [NAME]: a new one in place of the world's.
certificate()
{
	openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -noenc -days "$1" -subj "/CN=${2-localhost}" \
		-keyout "$W/tls/server.key" -out "$W/tls/server.crt" 2>/dev/null
	world_give
}
certificate 90 other.example
doctor
found failed certificate 'server.crt is not for localhost, .* -> get one for that name' "a certificate of another name"
certificate 5
doctor
found warning certificate 'ends in [45] days -> renew it' "a certificate that ends soon"
found warning nginx 'has not loaded .*server.crt, which changed since -> systemctl reload nginx' "and that nginx does not serve yet"
if command -v faketime >/dev/null; then
	(faketime -f -400d sh -c 'certificate()
		{
			openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -noenc -days "$1" -subj /CN=localhost \
				-keyout "$2.key" -out "$2.crt" 2>/dev/null
		}
		certificate 30 "$1"' sh "$W/tls/server")
	world_give
	doctor
	found failed certificate 'ended before [0-9]+ days -> renew it' "a certificate that has ended"
	(faketime -f +40d openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -noenc -days 90 -subj /CN=localhost \
		-keyout "$W/tls/server.key" -out "$W/tls/server.crt" 2>/dev/null)
	world_give
	doctor
	found failed certificate 'is not valid yet -> mind the clock' "one that is not valid yet"
	if nm -D "$BUILD/surfacectl" 2>/dev/null | grep -q __asan; then
		skip "a sanitizer wants to be loaded first"
	else
		doctor_env='faketime -f +1h' doctor
		found warning clock 'the database.s clock differs by [0-9]+ ms -> synchronise' "a clock that is not the database's"
	fi
else
	skip "no faketime"
fi
sed -i "/ssl_certificate /d; /ssl_certificate_key/d; s/ ssl http2;/;/" "$W/etc/nginx.conf"
doctor
found failed certificate 'has none -> name ssl_certificate' "no certificate at all"
cp -p "$W/etc/nginx.conf.good" "$W/etc/nginx.conf"
world_kill nginx
doctor
found failed nginx 'does not run .* -> systemctl start nginx' "nginx is down"

# ---- what runs ----

world_kill surfaced
doctor
found failed workers 'surfaced_api: .*nobody listens.* -> systemctl restart surfaced' "surfaced is down"
found failed daemon '^surfaced does not run -> systemctl start surfaced; journalctl' "as every daemon is looked at"
# As systemd does, which keeps the sockets of a master that cannot start.
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
found failed workers 'surfaced_api: .*process [0-9]+, which listened, has ended -> systemctl restart surfaced' \
	"surfaced is down, and its sockets are kept"
is "$( (world_as "$BIN/surfacectl" -c "$W/etc/surfacectl.conf" --json workers --nginx "$W/etc/nginx.conf") |
	jq -r '.pools[] | select(.pool == "surfaced_api").state')" stopped "so it is stopped"
kill "$holder"
rm "$W/run/api.sock"
world_kill surfaced-meter
rm -f "$W/run/metrics.sock"
doctor
found failed daemon '^surfaced-meter does not run' "surfaced-meter is down"
found failed meter 'metrics.sock: .* -> systemctl restart surfaced-meter' "nobody answers for it"
world_kill surfaced-index
doctor
found failed index 'no surfaced-index writes .* -> systemctl restart surfaced-index' "surfaced-index is down"
found ok index 'up to date' "though the index still has everything"
"$hostgen" --hosts 30 --seed 2 | ctl import hosts - >/dev/null
doctor
found failed index '30 changed hosts are not in the index' "and then has not"
printf 'x' | dd of="$W/index/hosts.manifest" bs=1 seek=20 conv=notrunc 2>/dev/null
doctor
found failed index 'manifest: ' "an index that cannot be used"

# ---- what the browser side needs, where it is ----

ctl browser-check --etc "$W/etc" >"$W/out" 2>&1
is "$?" 1 "browser-check fails where surfaced-browser is not installed"
like "$(cat "$W/out")" '-> install surfaced-browser' "and says so"

is "$(jq '[.checks[] | select(.check == "routes" or .check == "namespaces" or .check == "browser")] | length' "$W/doctor")" 0 \
	"a host without browsers is not asked for them"
mkdir -p "$W/kept"
cp t/helper/fake-runner "$W/fake-runner"
for name in surfaced-dispatch surfaced-egress; do
	cp "$W/etc/surfaced-meter.conf" "$W/etc/$name.conf"
	echo "evidence_directory = $W/kept" >>"$W/etc/$name.conf"
	echo "runner = $W/fake-runner" >>"$W/etc/$name.conf"
done
sed -i '/^evidence_reserve/d' "$W/etc/surfaced-dispatch.conf"
echo '# fake: missing user namespaces: set user.max_user_namespaces' >"$W/etc/surfaced-runner.conf"
echo "run_directory = $W/elsewhere" >>"$W/etc/surfaced-egress.conf"
world_give
cp "$W/etc/surfaced-dispatch.conf" "$W/etc/surfaced-stream.conf"
echo "stream_keys = $W/etc/keys" >>"$W/etc/surfaced-stream.conf"
doctor
found failed stream-keys '/keys: No such file .* -> make it: .* stream-keys rotate' "no keys of streams"
found failed configuration 'surfaced reads .*, surfaced-stream writes .*/keys -> set the same stream_keys' "nor the same ones"
echo none >"$W/etc/keys"
chmod 600 "$W/etc/keys"
world_give
doctor
found failed stream-keys '/keys: .* -> make it again' "or none that are any"
rm "$W/etc/surfaced-stream.conf"
doctor
found failed daemon '^surfaced-dispatch does not run' "the dispatcher is down"
found failed daemon '^surfaced-egress does not run' "the egress is down"
found ok browser '^namespaces' "without a dispatcher the runner's own dry run tells what is there"
found failed browser '^missing user namespaces -> set user.max_user_namespaces$' "and what is not, with what to do"
found failed runner 'fake-runner: its dry run fails' "so no browser will start"
: >"$W/etc/surfaced-runner.conf"
doctor
found ok runner 'fake-runner: its dry run is good' "or it will"
found failed configuration 'surfaced-dispatch reads .*/run, surfaced-egress writes .*/elsewhere -> set the same run_directory' \
	"they would not meet"
found failed configuration 'surfacectl reads .*, surfaced-dispatch writes .*/kept -> set the same evidence_directory' \
	"a backup would miss its evidence"
found ok routes '^GB, direct' "routes that answered"
found ok egress 'belong into egress_closed in .*surfaced-egress.conf' "networks of their own are thought of, where none is said"
echo 'egress_closed = 198.51.100.0/24' >>"$W/etc/surfaced-egress.conf"
found ok disk '/kept: [0-9]+ MB free' "room for evidence"
sql "UPDATE egress_route SET answered = false WHERE country = 'GB'; UPDATE egress_route SET enabled = false WHERE country <> 'GB'" >/dev/null
rmdir "$W/kept"
doctor
found warning routes '^GB, direct .*did not answer .* -> mind the way out .*routes disable' "a route that did not answer"
found failed disk '/kept: No such file .* -> make it' "no place for evidence"
found ok egress '^closed to browsers: 198.51.100.0/24' "and those that are closed are shown"
sql "UPDATE egress_route SET enabled = false" >/dev/null
doctor
found warning routes 'no session can be created -> surfacectl routes add' "no route at all"
# In a user namespace of its own in which nobody may make another.
if world_root && unshare -Ur true 2>/dev/null; then
	(unshare -Ur sh -c 'echo 0 >/proc/sys/user/max_user_namespaces && exec "$@"' sh "$BIN/surfacectl" -c "$W/etc/surfacectl.conf" \
		--json doctor --etc "$W/etc" --nginx "$W/etc/nginx.conf" --sql-dir "$SQL" --user root) >"$W/doctor" 2>/dev/null
	found failed namespaces 'no browser will start -> sysctl -w user.max_user_namespaces' "no user namespaces"
else
	skip "no root, or no user namespaces"
fi
if world_root && unshare -m true 2>/dev/null; then
	mkdir "$W/kept"
	(unshare -m sh -c 'mount -t tmpfs -o size=64k none "$1" && { head -c 64k /dev/zero >"$1/x" 2>/dev/null; shift; exec "$@"; }' sh \
		"$W/kept" "$BIN/surfacectl" -c "$W/etc/surfacectl.conf" --json doctor --etc "$W/etc" \
		--nginx "$W/etc/nginx.conf" --sql-dir "$SQL" --user "$WORLD_USER") >"$W/doctor" 2>/dev/null
	found failed disk '/kept: 0 MB free.*less than evidence_reserve: no session is started -> make room' "a disk that is full"
else
	skip "no root, or no mounts"
fi
rm "$W/etc/surfaced-dispatch.conf" "$W/etc/surfaced-egress.conf"

# ---- the database ----

sql "INSERT INTO alert_change (source, source_uuid, project_uuid, due_at) VALUES ('finding', '$(uuid_new)', '$(uuid_new)', now() - interval '2 minutes')"
doctor
found warning alerts '1 changes and 0 deliveries wait, for [1-9][0-9]{2,} s by now -> systemctl start surfaced-alert' "changes that nobody judges"
sql "DELETE FROM alert_change"

createdb -T template0 -E SQL_ASCII --locale=C other
database="host=$W/db dbname=other user=postgres" doctor
found failed database 'its encoding is SQL_ASCII -> make the database again' "an encoding that loses letters"
sed "s/('surfaced_admin', 'LOGIN')/&, ('surfaced_later', 'LOGIN')/" "$SQL/roles.sql" >"$W/roles.sql"

sql "ALTER ROLE surfaced_api NOLOGIN"
sql "ALTER ROLE surfaced_index SUPERUSER"
doctor
found failed roles 'surfaced_api cannot log in -> ALTER ROLE surfaced_api LOGIN' "a role that cannot log in"
found failed login 'surfaced, as the user .*not permitted to log in' "so its daemon does not get in"
found warning roles 'surfaced_index may do more' "a role that may do too much"
sql "ALTER ROLE surfaced_api LOGIN"
sql "ALTER ROLE surfaced_index NOSUPERUSER"
sql "ALTER ROLE surfaced_meter RENAME TO surfaced_before; CREATE ROLE surfaced_meter LOGIN; GRANT CONNECT ON DATABASE surfaced TO surfaced_meter"
doctor
found failed login '^surfaced-meter.* no right there -> the role was made anew: .* GRANT lines' "a role that was made anew"
sql "DROP OWNED BY surfaced_meter; DROP ROLE surfaced_meter; ALTER ROLE surfaced_before RENAME TO surfaced_meter"
mkdir "$W/sql"
cp "$SQL"/*.sql "$W/sql/"
cp "$W/roles.sql" "$W/sql/"
echo 'SELECT 1;' >"$W/sql/9998-more.sql"
sql_dir=$W/sql doctor
found failed roles 'surfaced_later is missing -> ' "a role that a later version brings"
found failed schema '1 files up to 9998 have not been applied -> run surfacectl migrate' "files to apply"
echo '-- other' >>"$W/sql/0001-accounts.sql"
sql_dir=$W/sql doctor
found failed schema '0001-accounts.sql has changed since it was applied' "a file that was changed"
world_pg_stop
doctor
is "$RC" 1 "without a database"
found failed database ' -> start it' "that is said"
found failed login 'surfaced-index' "and of the daemons too"
is "$(cat "$W/unadvised")" "" "no fault of all these was without advice"

# ---- who may not look ----

if world_root; then
	setpriv --reuid=nobody --regid=nogroup --clear-groups "$BIN/surfacectl" -c "$W/etc/surfacectl.conf" --json doctor --etc "$W/etc" \
		--nginx "$W/etc/nginx.conf" --sql-dir "$SQL" --user "$(world_user)" >"$W/doctor" 2>/dev/null
	found warning index 'Permission denied -> run surfacectl doctor as root' "what only root sees is no fault"
else
	skip "no root"
fi
