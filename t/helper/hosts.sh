# shellcheck shell=sh
# SPDX-License-Identifier: ISC
# For tests of several machines, in t/helper/hosts-world. In place of t/lib.sh, which it includes.
#
#   hosts_start       PostgreSQL in W, and on api1 and api2 the daemons and nginx, with files in W/host-NAME
#   on NAME CMD...    a function of t/lib.sh or t/helper/world.sh, on this machine
WORLD_DROP="$(pwd)/t/helper/on-host -"
export WORLD_DROP
. t/lib.sh

on()
{
	(
		_on=$1
		shift
		WORLD_DB=${WORLD_DB:-$W/db} W=$W/host-$_on WORLD_DROP="$TOP/t/helper/on-host $_on" WORLD_MACHINE=$_on
		CURL="--unix-socket $W/run/web.sock --cacert $W/ca.crt" BASE_URL=https://localhost/api/v1
		CTL="$BIN/surfacectl -c $W/etc/surfacectl.conf"
		"$@"
	)
}

# chapter FILE: the block of README.Debian that a line "  # FILE" begins, without the indentation.
chapter()
{
	awk -v file="$1" '
		inside && !/^  / && !/^$/ { exit }
		inside { sub(/^  /, ""); print }
		$0 == "  # " file { inside = 1 }' debian/README.Debian
}

# The folder and the files of a machine. What README.Debian names as equal on all of them is a copy of api1's.
host_new()
{
	mkdir -p "$W"
	_host=${W##*/host-}
	world_new "$W"
	[ "$_host" = api1 ] || cp "$W/../host-api1/etc/stream-keys" "$W/../host-api1/etc/sign-in-keys" "$W/../host-api1/etc/fingerprint-key" "$W/../host-api1/etc/secret" "$W/etc/"
	[ "$_host" = api1 ] || cp -R "$W/../host-api1/ca.crt" "$W/../host-api1/tls" "$W/"
	mkdir "$W/etc/hosts"
	WORLD_CONF="evidence_directory = ${W%/*}/evidence
${WORLD_CONF-}"
	world_conf
	world_certificate
}

# Certificates by which the machines know each other, made by the commands of README.Debian.
hosts_certificates()
{
	mkdir "$W/hosts"
	chapter "certificates of the hosts" >"$W/hosts/make"
	(cd "$W/hosts" && sh -eu make) >"$W/log/certificates.log" 2>&1 || {
		diag "$(cat "$W/log/certificates.log")"
		exit 1
	}
	for _name in api1 api2; do
		cp "$W/hosts/ca.crt" "$W/host-$_name/etc/hosts/"
		cp "$W/hosts/$_name.crt" "$W/host-$_name/etc/hosts/host.crt"
		cp "$W/hosts/$_name.key" "$W/host-$_name/etc/hosts/host.key"
	done
}

host_web_start()
{
	WORLD_HTTP=$(chapter /etc/nginx/conf.d/surfaced-hosts.conf | sed "s,/etc/surfaced/nginx/,$W/etc/nginx/,")
	WORLD_SITE="include $W/etc/nginx/relay.conf;"
	world_web_start || {
		cat "$W/log/nginx.out" "$W/log/nginx.log"
		exit 1
	} >&2
}

host_start()
{
	world_api_start
	world_stream_start
	host_web_start
}

host_browser_start()
{
	install -m 755 t/helper/fake-runner "$W/fake-runner"
	world_browser_conf "$W/fake-runner"
	world_egress_start
	world_dispatch_resume
}

hosts_start()
{
	pg_start
	hosts_new
	on api1 host_start && on api2 host_start || exit 1
}

hosts_new()
{
	on api1 host_new && on api2 host_new || exit 1
	hosts_certificates
}

# host_die NAME: nothing of the machine is left but its disk.
host_die()
{
	ip netns pids "$1" | xargs -r kill -KILL
	ip link del "to-$1"
	ip netns del "$1"
}

# host_back NAME NUMBER: a machine that died has its network again, and nothing runs on it.
host_back()
{
	"$TOP/t/helper/hosts-world" --add "$1" "$2"
}
