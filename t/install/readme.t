#!/bin/sh
# SPDX-License-Identifier: ISC
# The backup, the restore, the rollback and the purge of README.Debian are run as they stand there. The programs of the
# machine (systemctl, apt, setup-postgresql) do the same in this world; /etc and /var/backups are those of a namespace.
if [ -z "${IN_MOUNTS-}" ] && [ "$(id -u)" -eq 0 ]; then
	export IN_MOUNTS=1
	exec unshare --mount --propagation private "$0" "$@"
fi
. t/lib.sh

world_root || skip_all "README.Debian is for root"

# chapter TITLE: the block of README.Debian that a line "  # TITLE" begins, without the indentation.
chapter()
{
	awk -v title="$1" '
		inside && !/^  / && !/^$/ { exit }
		inside { sub(/^  /, ""); print }
		$0 == "  # " title { inside = 1 }' debian/README.Debian
}

# follow TITLE: runs the block; a path of the package in front of a command is its function here.
follow()
{
	chapter "$1" | sed 's,^/usr/share/surfaced/setup-postgresql,setup_postgresql,; s,\./surfaced_OLD\.deb,surfaced_OLD,' >"$W/tmp/block"
	[ -s "$W/tmp/block" ] && (
		set -e
		. "$W/tmp/block"
	) >"$W/tmp/block.out" 2>&1 || {
		diag "$(cat "$W/tmp/block" "$W/tmp/block.out")"
		return 1
	}
}

# ---- commands of a machine ----

DAEMONS="surfaced-index surfaced-meter surfaced"

systemctl()
{
	case $* in
	"stop surfaced.target") # returns before the daemons have ended
		for _unit in $DAEMONS; do
			[ ! -f "$W/run/$_unit.pid" ] || kill "$(world_pid "$_unit")"
		done
		;;
	"start surfaced.target")
		for _unit in $DAEMONS; do world_until 20 world_gone "$_unit"; done
		world_index_start
		world_api_start
		;;
	"restart surfaced.target")
		systemctl stop surfaced.target
		systemctl start surfaced.target
		;;
	*) return 1 ;;
	esac
}

surfacectl()
{
	case $* in
	doctor) (world_as "$BIN/surfacectl" -c "$W/etc/surfacectl.conf" doctor --etc "$W/etc" --nginx "$W/etc/nginx.conf" --sql-dir "$INSTALLED" --user "$WORLD_USER") ;;
	*restore*) "$BIN/surfacectl" -c "$W/etc/surfacectl.conf" "$@" --sql-dir "$INSTALLED" ;;
	*) "$BIN/surfacectl" -c "$W/etc/surfacectl.conf" "$@" ;;
	esac
}

setup_postgresql()
{
	world_ctl --database "host=$W/db dbname=surfaced user=postgres" migrate --sql-dir "$INSTALLED"
}

apt()
{
	case $* in
	"install --allow-downgrades surfaced_OLD") INSTALLED=$SQL ;;
	"purge surfaced")
		systemctl stop surfaced.target
		for _unit in $DAEMONS; do world_until 20 world_gone "$_unit"; done
		PATH=$W/path:$PATH sh debian/surfaced.postrm purge
		;;
	*) return 1 ;;
	esac
}

# ---- a machine ----

WORLD_CONF="public_url = https://localhost"
world_start
INSTALLED=$SQL
rm -f "$W/etc/surfaced-alert.conf" "$W/etc/surfaced-dispatch.conf" "$W/etc/surfaced-egress.conf" "$W/etc/surfaced-stream.conf" \
	"$W/etc/surfaced-export.conf" "$W/etc/surfaced-detect.conf"
mkdir "$W/over"
mount -t tmpfs none "$W/over"
mkdir "$W/over/up" "$W/over/work" "$W/over/backups"
mount -t overlay -o "lowerdir=/etc,upperdir=$W/over/up,workdir=$W/over/work" none /etc
mount -t tmpfs none /var/backups
mkdir /etc/surfaced /var/backups/surfaced
mount --bind "$W/etc" /etc/surfaced
"$BUILD/t/helper/hostgen" --hosts 50 --seed 1 | ctl import hosts - >/dev/null
hosts_wait 50
ok "the backup of README.Debian is made" follow backup

# ---- the restore ----

"$BUILD/t/helper/hostgen" --hosts 30 --seed 2 | ctl import hosts - >/dev/null
hosts_wait 80
rm "$W/etc/secret" "$W/etc/surfaced-index.conf"
world_pg_stop
rm -r "$W/db/pg"
world_pg_new
ok "the restore of README.Debian succeeds as it stands there" follow restore
restored() { api GET /search/hosts/count && [ "$STATUS $(field .count)" = "200 50" ]; }
ok "the restored machine answers the key of before with the hosts of the backup" world_until 60 restored
ok "the configuration and the secrets are back, for their users" \
	test -s "$W/etc/secret" -a "$(stat -c %U "$W/etc/secret")" = "$WORLD_USER" -a -s "$W/etc/surfaced-index.conf"

# ---- the rollback ----

cp -R "$SQL" "$W/sql"
echo 'CREATE TABLE later (n integer);' >"$W/sql/9998-later.sql"
INSTALLED=$W/sql
setup_postgresql >/dev/null
is "$(sql "SELECT max(version) FROM schema_migration")" 9998 "the later version has another schema"
ok "the rollback of README.Debian succeeds as it stands there" follow rollback
ok "the version before answers with the schema of the later one" world_until 60 restored

# ---- the purge ----

mkdir "$W/path"
printf '#!/bin/sh\nshift 3\nexec "$@"\n' >"$W/path/runuser"
chmod 755 "$W/path/runuser"
mount -t tmpfs none /run
ok "the purge of README.Debian succeeds as it stands there" follow purge
is "$(psql -XAtqd postgres -c "SELECT count(*) FROM pg_database WHERE datname = 'surfaced'")" 0 "the purge has dropped the database"
is "$(psql -XAtqd postgres -c "SELECT count(*) FROM pg_roles WHERE rolname LIKE 'surfaced%'")" 0 "the purge has dropped the roles"
ok "the purge has removed the secret" test ! -e "$W/etc/secret"
finish
umount /run /etc/surfaced /etc "$W/over"
