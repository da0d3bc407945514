#!/bin/sh
# SPDX-License-Identifier: ISC
# A purge removes files that nginx's sites include: it leaves nginx able to start, or names the file that stops it.
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=t/helper/tap.sh
. t/helper/tap.sh

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
nginx=$work/etc/nginx

# purge: the whole postrm, in a tree; prints its messages. dpkg has removed the configuration files before it runs.
purge()
{
	DPKG_ROOT=$work sh debian/surfaced.postrm purge 2>&1
}

matches()
{
	printf '%s\n' "$1"
	printf '%s\n' "$1" | grep -qE -e "$2"
}

mkdir -p "$nginx/sites-available" "$nginx/sites-enabled" "$nginx/conf.d"
cp nginx/site.example "$nginx/sites-available/surfaced"
echo 'server { listen 80; root /srv/other; }' >"$nginx/sites-available/other"
ln -s ../sites-available/surfaced "$nginx/sites-enabled/surfaced"
ln -s ../sites-available/other "$nginx/sites-enabled/other"
ok "the example site includes files of the package" grep -qE '^[^#]*/etc/surfaced/nginx/' nginx/site.example

said=$(purge)
ok "a purge removes the link that README.Debian makes in sites-enabled" test ! -L "$nginx/sites-enabled/surfaced"
ok "a purge keeps the site's file in sites-available" test -f "$nginx/sites-available/surfaced"
ok "a purge keeps the link of another site" test -L "$nginx/sites-enabled/other"
ok "a purge names the link that it removed" matches "$said" 'removed /etc/nginx/sites-enabled/surfaced:'
none "no file that nginx reads includes a file of the package" "$(grep -RlE '^[^#]*/etc/surfaced/nginx/' "$nginx" --exclude-dir=sites-available)"
none "a second purge has nothing to report" "$(purge)"

# Files of the administrator stay as they are.
cp "$nginx/sites-available/surfaced" "$nginx/sites-enabled/own"
echo 'include /etc/surfaced/nginx/http.conf;' >"$nginx/conf.d/api.conf"
echo '# include /etc/surfaced/nginx/http.conf;' >"$nginx/conf.d/comment.conf"
said=$(purge)
ok "a purge keeps a site that is a file in sites-enabled" test -f "$nginx/sites-enabled/own"
ok "a purge names a file in sites-enabled with which nginx does not start" matches "$said" '^surfaced: /etc/nginx/sites-enabled/own$'
ok "a purge names a file in conf.d with which nginx does not start" matches "$said" '^surfaced: /etc/nginx/conf.d/api.conf$'
ok "a purge says that nginx will not start" matches "$said" "nginx will not start again"
none "a purge does not name a file that only has a comment" "$(printf '%s\n' "$said" | grep comment)"
# The index on a disk of its own: its directory cannot be removed, and all else is.
ln -sf ../sites-available/surfaced "$nginx/sites-enabled/surfaced"
mkdir -p "$work/var/lib/surfaced/index" "$work/var/lib/surfaced/exports" "$work/etc/surfaced"
echo x >"$work/etc/surfaced/secret"
said=$(DPKG_ROOT=$work unshare --map-root-user --mount sh -ec '
	mount -t tmpfs none "$DPKG_ROOT/var/lib/surfaced/index"
	touch "$DPKG_ROOT/var/lib/surfaced/index/hosts.seg"
	sh debian/surfaced.postrm purge
	ls -A "$DPKG_ROOT/var/lib/surfaced/index"' 2>&1)
result=$?
ok "a purge succeeds when the index is a mount point" matches "$result" '^0$'
is "$(printf '%s\n' "$said" | grep 'index')" "surfaced: /var/lib/surfaced/index stays, empty: a file system is mounted there, or it cannot be removed" \
	"a purge empties the mount point of the index and names it"
ok "a purge with a mount point removes the secret, the exports and the link to the site" \
	test ! -e "$work/etc/surfaced/secret" -a ! -e "$work/var/lib/surfaced/exports" -a ! -L "$nginx/sites-enabled/surfaced"
none "a purge of a machine without nginx has nothing to report" "$(rm -rf "$nginx" && purge)"
done_testing
