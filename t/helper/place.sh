# shellcheck shell=sh
# SPDX-License-Identifier: ISC
# Where a tree or a world may be: names and folders that configure, make, PostgreSQL, nginx and the tests can use.
# ./bootstrap and t/helper/world.sh read this file.

# place_fits NAME: a file name that needs no quotes in a shell or a configuration file, and that leaves room for the name of
# a socket (sun_path has 108 bytes).
place_fits()
{
	case $1 in
	*[!A-Za-z0-9/._-]*) return 1 ;;
	esac
	[ "${#1}" -le 75 ]
}

# place_links LINK DIR: LINK is a link of this user to DIR, which nobody else can replace in /tmp.
place_links()
{
	[ "$(stat -c '%F %u' "$1" 2>/dev/null)" = "symbolic link $(id -u)" ] && [ "$(readlink "$1")" = "$2" ]
}

# place_name DIR: prints a name of this folder that fits. It is DIR, or a link to DIR in /tmp, which is made again when it is
# gone: configure refuses a folder with an apostrophe, and a command in $CTL is split at blanks. Everybody knows the name of the
# link, so what somebody else has made there is never entered.
place_name()
{
	if place_fits "$1"; then
		printf '%s\n' "$1"
		return 0
	fi
	_link=/tmp/surfaced-tree.$(id -u).$(printf %s "$1" | cksum | tr ' ' -)
	if ! place_links "$_link" "$1"; then
		ln -sfT "$1" "$_link" 2>/dev/null
		place_links "$_link" "$1" || {
			echo "$_link, which $(id -un) needs as a link to $1, is somebody else's: remove it" >&2
			return 1
		}
	fi
	printf '%s\n' "$_link"
}

# place_open FILE...: as root, the daemons run as another user. Can every user read these files, and execute or enter them?
place_open()
{
	[ "$(id -u)" -eq 0 ] || return 0
	for _file; do
		setpriv --reuid=65534 --regid=65534 --clear-groups test -r "$_file" -a -x "$_file" || return 1
	done 2>/dev/null
}

# place_starts DIR: a program in DIR can be started.
place_starts()
{
	_try=$(mktemp "$1/.place.XXXXXX") || return 1
	printf '#!/bin/sh\n' >"$_try" && chmod 700 "$_try" && "$_try"
	set -- $?
	rm -f "$_try"
	return "$1"
} 2>/dev/null

place_writes()
{
	_try=$(mktemp "$1/.place.XXXXXX" 2>/dev/null) && rm -f "$_try"
}

# place_fault DIR: prints why nothing can be built or started from the tree in DIR, and what to do. Prints nothing when all is
# well.
place_fault()
{
	if ! place_writes "$1"; then
		echo "$(id -un) cannot write in $1: clone it into a folder of your own"
	elif ! place_starts "$1"; then
		echo "no program can be started in $1, probably because it is mounted with noexec: clone it elsewhere"
	elif ! place_writes /tmp; then
		echo "$(id -un) cannot write in /tmp, where sockets with short names are made: chmod 1777 /tmp"
	elif ! place_open "$1" "$1/bootstrap" && ! place_starts /tmp; then
		echo "other users cannot enter $1, and no program can be started in /tmp, where the daemons' user could enter:"
		echo "clone it where every user can enter, such as below /srv, or allow that user: chmod go+rx $1 and the folders above"
	fi
}
