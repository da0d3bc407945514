#!/bin/sh
# SPDX-License-Identifier: ISC
# surfacectl secret rotate: clients turn their pages over a rotation; the second rotation ends the cursor.
. t/lib.sh
world_start
"$BUILD/t/helper/hostgen" --hosts 20 --seed 1 | ctl import hosts - >/dev/null
hosts_wait 20

# rotate: as the administrator of the world, who owns its files.
rotate()
{
	(world_as "$BIN/surfacectl" -c "$W/etc/surfacectl.conf" secret rotate) 2>"$W/rotate.err" || return 1
	_reloads=$(grep -c 'reloaded program' "$W/log/surfaced.log")
	kill -HUP "$(world_pid surfaced)"
	world_until 20 reloaded "$((_reloads + 1))"
}

reloaded()
{
	[ "$(grep -c 'reloaded program' "$W/log/surfaced.log")" -ge "$1" ] && world_until 20 world_searchable 20
}

# page CURSOR: gets the page that it names.
page()
{
	api GET "/search/hosts?limit=2&cursor=$1"
}

api GET '/search/hosts?limit=2'
first=$(field .next_cursor)
mode=$(stat -c '%a %U' "$W/etc/secret")
ok "the secret is rotated" rotate
is "$(stat -c '%a %U' "$W/etc/secret")" "$mode" "a rotation keeps mode and owner of the file"
is "$(grep -c '^cursor-key [0-9a-f]\{64\}$' "$W/etc/secret")" 2 "the file has the new key and the key before it"
page "$first"
is "$STATUS" 200 "a cursor from before the rotation is valid"
second=$(field .next_cursor)
ok "the secret is rotated again" rotate
page "$second"
is "$STATUS" 200 "a cursor of the first rotation is valid after the second one"
page "$first"
is "$STATUS" 400 "a cursor of two rotations ago is refused"
is "$(field .error.code)" invalid_search_cursor "its error says that the cursor is wrong"

echo 'cursor-key 12' >"$W/etc/secret"
echo 'and 32 bytes more of something else' >>"$W/etc/secret"
ok "a file with a wrong line is not rotated" sh -c '! "$@" 2>/dev/null' sh "$BIN/surfacectl" -c "$W/etc/surfacectl.conf" secret rotate
rm "$W/etc/secret"
ok "a missing file is made" rotate
is "$(stat -c %a "$W/etc/secret") $(grep -c cursor-key "$W/etc/secret")" "640 1" "a new file has one key and is for its group to read"
