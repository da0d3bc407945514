#!/bin/sh
# SPDX-License-Identifier: ISC
# make install DESTDIR puts every file in its place, the programs work from there, and make uninstall removes
# every file.
. t/lib.sh

[ -f "$BUILD/Makefile" ] || skip_all "the build has no Makefile"
world
D=$W/dest
make_quietly()
{
	env -u MAKEFLAGS -u MAKELEVEL make -s -C "$BUILD" "$@" prefix=/usr sysconfdir=/etc runstatedir=/run DESTDIR="$D" >"$W/make.log" 2>&1 || {
		diag "$(tail -5 "$W/make.log")"
		return 1
	}
}

ok "make install exits with status 0" make_quietly install
installed()
{
	(cd "$D/$1" && ls)
}
is "$(cd "$D" && find . -type f -o -type l |
	grep -vE '^./(etc/surfaced/nginx/[a-z-]+\.conf|usr/s?bin/surface[a-z-]*|usr/libexec/surfaced/surfaced-text|usr/share/doc/surfaced/examples/(nginx-site|proxy-sign-in\.conf)|usr/share/man/man[1578]/surface[a-z.-]*\.[1578]|usr/share/surfaced/html/(common|console|viewer)/[a-z-]+\.(html|css|js|svg)|usr/share/surfaced/passwords|usr/share/surfaced/sql/(functions/)?[a-z0-9_-]+\.sql|usr/share/surfaced/rules/[a-z]+/[a-z0-9-]+\.yml)$')" \
	"" "every installed file is where its kind belongs"
is "$(installed etc/surfaced/nginx)" "$(cd nginx && ls -- *.conf)" \
	"every configuration file of nginx/ is installed"
is "$(installed usr/share/man/man1; installed usr/share/man/man5; installed usr/share/man/man7; installed usr/share/man/man8)" \
	"$(cd man && ls -- *.1; ls -- *.5; ls -- *.7; ls -- *.8)" "every manual page is installed"
is "$(installed usr/bin)" "surface
surfacectl" "surface and surfacectl are the only programs in bin"
ok "the daemons are installed in sbin" test -x "$D/usr/sbin/surfaced" -a -x "$D/usr/sbin/surfaced-index"
is "$(cd "$D/usr/share/surfaced/sql" && find . -type f | sort)" "$(cd sql && find . -name '*.sql' | sort)" "every file of sql/ is installed"
is "$(installed usr/share/surfaced/html/viewer)" "$(cd nginx/html/viewer && ls)" \
	"every file of the viewer is installed"
is "$(installed usr/share/surfaced/html/console; installed usr/share/surfaced/html/common)" "$(cd nginx/html && ls console && ls common)" \
	"every file of the console, and of what it shares with the viewer, is installed"
is "$(find "$D" -type f -perm /022)" "" "no installed file can be written by others"

version=$(sed -n 's/^AC_INIT(\[surfaced\], \[\(.*\)\])$/\1/p' configure.ac)
for program in sbin/surfaced sbin/surfaced-alert sbin/surfaced-detect sbin/surfaced-export sbin/surfaced-index sbin/surfaced-meter; do
	is "$("$D/usr/$program" -V)" "${program#sbin/} $version" "the installed $program prints its version"
done
for command in "" migrate setup "accounts create" "keys create" "import hosts" workers; do
	# shellcheck disable=SC2086 # words
	"$D/usr/bin/surfacectl" $command --help >"$W/help" 2>&1
	like "$?/$(head -1 "$W/help")" '^0/[Uu]sage: surfacectl' \
		"the installed surfacectl $command prints its help"
done
ok "the installed surfaced prints openapi.json" \
	sh -c '"$1" -D openapi | jq -e .paths >/dev/null' sh "$D/usr/sbin/surfaced"
is "$(grep -rlF "$D" "$D/etc" "$D/usr/share")" "" "no installed file names the directory DESTDIR"
is "$(grep -rhoE '(/usr/local)?/(etc|run|var/run)/surfaced' "$D/etc" "$D/usr/share/doc" | sort -u)" "/etc/surfaced
/run/surfaced" "nginx's files name the paths of this installation"

{
	echo "upstreams = $D/etc/surfaced/nginx/upstreams.conf"
	echo "index_directory = $W/index"
	echo "secret_file = $W/etc/secret"
} >"$W/etc/installed.conf"
is "$("$D/usr/sbin/surfaced" -t -c "$W/etc/installed.conf" 2>&1; echo $?)" "surfaced: the configuration is good
0" "surfaced -t accepts the installed upstream file"
# The administrator sets the numbers of workers.
sed -i 's/weight=8/weight=9/' "$D/etc/surfaced/nginx/upstreams.conf"
ok "a second make install exits with status 0" make_quietly install
ok "a second make install keeps the changed upstream file" \
	grep -q weight=9 "$D/etc/surfaced/nginx/upstreams.conf"

world_pg_new
like "$("$D/usr/bin/surfacectl" --database "host=$W/db dbname=surfaced user=postgres" \
	migrate --sql-dir "$D/usr/share/surfaced/sql" 2>&1)" 'applied .*0001-accounts' \
	"the installed surfacectl migrates with the installed files"
ok "make uninstall exits with status 0" make_quietly uninstall
is "$(find "$D" -type f -o -type l)" "" "make uninstall removes every file"
