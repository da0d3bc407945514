#!/bin/sh
# SPDX-License-Identifier: ISC
# Checks of debian/ that need no package build: units, users, roles, profiles and scripts agree.
. t/lib.sh

field_of()
{
	sed -n "s/^$1=//p" "$2" | tail -1
}

# Directories that a daemon writes besides its run_directory: those of its sockets and of its parameters' defaults.
writes()
{
	case $1 in
	surfaced | surfaced-stream) sed -n 's,.*unix:\(.*\)/[a-z0-9-]*\.sock.*,\1,p' nginx/upstreams.conf | sort -u ;;
	surfaced-index) echo /var/lib/surfaced/index ;;
	surfaced-dispatch) echo /var/lib/surfaced/evidence ;;
	esac
}

# exposure_is_at_most TENTHS UNIT
exposure_is_at_most()
{
	if command -v systemd-analyze >/dev/null; then
		ok "${2##*/}: the exposure is at most $1 tenths" sh -c \
			'systemd-analyze security --offline=true --no-pager --threshold="$1" "$2" >/dev/null 2>&1' sh "$1" "$2"
	else
		skip "no systemd-analyze"
	fi
}

exposure_is_at_most 15 debian/monitoring/surfaced-metrics.service
for unit in debian/systemd/*.service; do
	name=${unit##*/} name=${name%.service} limit=15
	user=$(field_of User "$unit")
	ok "$name: the package creates its user $user" grep -qE "^u $user( |$)" debian/*.sysusers
	ok "$name: the package has its configuration file" test -f "debian/etc/${name%@}.conf"
	if [ "$name" = surfaced-runner@ ]; then
		limit=20 # bubblewrap's and Chromium's needs are explained there
		is "$(field_of Accept debian/systemd/surfaced-runner.socket) $(field_of StandardInput "$unit")" "yes socket" \
			"$name: each connection starts a process with the socket as input"
		ok "$name: the socket belongs to the target" \
			grep -q '^WantedBy=surfaced.target' debian/systemd/surfaced-runner.socket
		is "$(field_of ListenSequentialPacket debian/systemd/surfaced-runner.socket)" \
			"$(sed -n 's/^run_directory = //p' debian/etc/surfaced-dispatch.conf)/runner.sock" \
			"$name: the socket is where the dispatcher connects"
		is "$(field_of SocketUser debian/systemd/surfaced-runner.socket) $(field_of SocketMode debian/systemd/surfaced-runner.socket)" \
			"$(field_of User debian/systemd/surfaced-dispatch.service) 0600" \
			"$name: only the dispatcher may connect to the socket"
		is "$user" "$(sed -n 's/^runner_user = //p' debian/etc/surfaced-dispatch.conf)" \
			"$name: the dispatcher expects the unit's user"
	else
		ok "$name: the unit belongs to the target" grep -q '^WantedBy=surfaced.target' "$unit"
		is "$(field_of Type "$unit") $(sed -n "s/^ExecReload=//p" "$unit" | paste -sd " ")" "notify $(field_of ExecStart "$unit" | sed "s/ -c / -t -c /") /bin/kill -HUP \$MAINPID" \
			"$name: the unit notifies readiness and refuses a bad file on reload"
	fi
	# ProtectSystem=strict closes the file system; the directories that the daemon writes are opened again.
	for path in $(sed -n 's/^run_directory = //p' "debian/etc/${name%@}.conf") $(writes "$name"); do
		ok "$name: the unit may write $path" \
			sh -c 'grep "^ReadWritePaths=" "$1" | grep -qE "[= ]-?$2(/sessions)?( |\$)"' sh "$unit" "$path"
	done
	case $(field_of PrivateNetwork "$unit")$(field_of RestrictAddressFamilies "$unit") in
	yes*) is "$(field_of IPAddressDeny "$unit")" any "$name: the kernel refuses every address but the machine's own" ;;
	*AF_INET*)
		is "$(field_of IPAddressDeny "$unit")" "169.254.0.0/16 fe80::/10 fd00:ec2::254 100.100.100.200" \
			"$name: the kernel refuses link-local and metadata addresses to a daemon with a network"
		;;
	esac
	is "$(field_of CapabilityBoundingSet "$unit")$(field_of AmbientCapabilities "$unit")" "" \
		"$name: the unit has no capability"
	ok "$name: the unit can get no capability" grep -qx CapabilityBoundingSet= "$unit"
	is "$(field_of LogRateLimitIntervalSec "$unit")" 0 "$name: the journal drops no lines of a busy minute"
	exposure_is_at_most "$limit" "$unit"
done

is "$(field_of ExecStartPre debian/systemd/nginx.service.d/surfaced.conf)" \
	"-/bin/rm -f $(sed -n 's/^[[:space:]]*listen unix:\(.*\);/\1/p' nginx/*.conf | sort -u | paste -sd ' ')" \
	"nginx.service removes each Unix socket of the snippets before nginx starts"

for file in debian/etc/*.conf; do
	name=${file##*/}
	[ -f "man/$name.5" ] || ok "the configuration file $name has a manual page" \
		grep -qE "man5/$name.5(.gz)?\$" debian/*.links
done

# dpkg refuses a package with a file of another one.
patterns=$(sed -n 's,.*/\(man[0-9]/\),\1,p' debian/*.manpages)
for page in man/*.[0-9]; do
	name=${page##*/} packages=0
	for pattern in $patterns; do
		# shellcheck disable=SC2254 # a pattern
		case man${name##*.}/$name in $pattern) packages=$((packages + 1)) ;; esac
	done
	is "$packages" 1 "one package has the manual page $name"
done

# Each role that logs in belongs to the user of a unit, or to root.
for role in $(grep -o "('surfaced_[a-z_]*', 'LOGIN')" sql/roles.sql | cut -d "'" -f 2); do
	case $role in
	surfaced_api) user=surfaced ;;
	surfaced_admin) continue ;;
	*) user=$(echo "$role" | tr _ -) ;;
	esac
	ok "the package creates the user $user of the role $role" grep -qE "^u $user( |$)" debian/*.sysusers
	like "$(sed -n 's/^database = //p' "debian/etc/$user.conf")" "user=$role\$" \
		"the configuration of $user names the role $role"
	ok "purging the package with its database drops $role" grep -qw "$role" debian/surfaced.postrm
done

if command -v apparmor_parser >/dev/null; then
	for profile in debian/apparmor/*; do
		ok "apparmor_parser accepts the profile ${profile##*/}" \
			sh -c 'apparmor_parser -Q -K "$1" >"$2" 2>&1' sh "$profile" /dev/null
	done
else
	skip "no apparmor_parser"
fi
