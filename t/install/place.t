#!/bin/sh
# SPDX-License-Identifier: ISC
# ./bootstrap decides first whether a folder can be built in; t/helper/place.sh has its rules. Folders of other file systems are
# mounted in a namespace of the test.
# shellcheck disable=SC2046 # an option or none
[ "${1-}" = inside ] || exec unshare $([ "$(id -u)" -eq 0 ] || echo --map-root-user) --mount "$0" inside
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=t/helper/tap.sh
. t/helper/tap.sh
# shellcheck source=t/helper/place.sh
. t/helper/place.sh

work=$(mktemp -d /tmp/t.XXXXXX) || exit 1
trap 'rm -rf "$work"' EXIT
matches()
{
	printf '%s\n' "$1"
	printf '%s\n' "$1" | grep -qE -e "$2"
}
for name in plain "it's" 'a "new" clone' 'x:y' 'clöne' '$HOME' 'a `b` & c' '#1' 'back\slash' "$(printf 'x%.0s' $(seq 200))"; do
	mkdir "$work/$name"
	link=$(place_name "$work/$name")
	ok "place_name gives the folder $name a name that fits" place_fits "$link"
	ok "the name of the folder $name leads to it" test "$link" -ef "$work/$name"
	is "$(place_fault "$work/$name")" "" "the folder $name can be built in"
	[ ! -L "$link" ] || rm "$link"
done
is "$(place_name "$work/plain")" "$work/plain" "a name that fits is kept"
mkdir "$work/a b"
link=$(place_name "$work/a b") && rm "$link"
is "$(place_name "$work/a b")" "$link" "a link that is gone is made again with the same name"
rm "$link"
mkdir "$link"
place_name "$work/a b" >"$work/out" 2>&1
is "$?" 1 "a folder in the place of the link is refused"
ok "the message names the folder in the place of the link" matches "$(cat "$work/out")" "^$link.* is somebody else's: remove it"
is "$(ls -A "$link")" "" "nothing is made in a folder in the place of the link"
rmdir "$link"
ln -s "$work/a b" "$link"
if chown -h 65534 "$link" 2>/dev/null; then
	is "$(place_name "$work/a b") $(stat -c %u "$link")" "$link $(id -u)" "a link that somebody else made to the same folder is made again"
fi
rm "$link"

# refused TITLE ERE: ./bootstrap in $work/clone ends at once with this message, before it installs or builds.
refused()
{
	"$work/clone/bootstrap" demo >"$work/out" 2>&1
	is "$?" 1 "bootstrap refuses $1"
	ok "bootstrap names the way out of $1" matches "$(cat "$work/out")" "$2"
	is "$(wc -l <"$work/out")" 1 "bootstrap does nothing else in $1"
}
clone()
{
	mkdir -p "$work/clone/t/helper"
	cp bootstrap "$work/clone/" && cp t/helper/place.sh "$work/clone/t/helper/"
}
clone
mount --bind -o ro "$work/clone" "$work/clone" && mount -o remount,bind,ro "$work/clone"
refused "a folder that cannot be written" 'cannot write in .*/clone: clone it into a folder of your own'
umount "$work/clone"
mount -t tmpfs -o noexec tmpfs "$work/clone"
clone
cp "$work/clone/bootstrap" "$work/outside"
sed "s|cd \"\$(dirname \"\$0\")\"|cd $work/clone|" "$work/outside" >"$work/started"
sh "$work/started" demo >"$work/out" 2>&1
is "$?" 1 "bootstrap refuses a folder that is mounted with noexec"
ok "bootstrap names noexec as the reason" matches "$(cat "$work/out")" \
	'no program can be started in .*/clone.*noexec: clone it elsewhere'
umount "$work/clone"
done_testing
