#!/bin/sh
# SPDX-License-Identifier: ISC
# Where surface finds the key, the URL and the authorities, and what it refuses.
. t/lib.sh
world_start

count()
{
	surface count hosts "$@"
}
home=$W/home/.config/surfaced
mkdir -p "$home"
printf '%s\n' "$KEY" >"$home/key"
chmod 600 "$home/key"
key='' count
is "$STATUS $OUT" "0 0" "the key comes from ~/.config/surfaced/key"
for mode in 640 604 660; do
	chmod "$mode" "$home/key"
	key='' count
	is "$STATUS|$OUT" "5|" "a key file of mode $mode is refused"
	like "$ERR" "can be read by others \(mode 0$mode\); run: chmod 600 " "the refusal of mode $mode has the command that mends it"
done
printf 'not a key\n' >"$W/words" && chmod 600 "$W/words"
key='' count --key-file "$W/words"
is "$STATUS" 5 "a key file with several words is refused"
rm "$home/key"
key='' count
like "$STATUS $ERR" '^5 .*no API key' "without any key nothing is sent"
count --key "$KEY"
is "$STATUS" 2 "the key is no argument"
SURFACE_ENV="SURFACED_API_KEY=a\$b" count
is "$STATUS" 5 "a wrong key is refused by the API"

SURFACE_ENV='SURFACED_URL=http://localhost' count
like "$STATUS $ERR" '^2 .*not sent in the clear' "a URL without TLS is refused"
SURFACE_ENV='SURFACED_CACERT=' count
like "$STATUS $ERR" '^7 .*certificate' "a server whose authority is unknown is refused"
count --cacert "$CACERT"
is "$STATUS $OUT" "0 0" "--cacert names the authorities"
SURFACE_ENV="SURFACED_URL=" count
like "$STATUS $ERR" '^2 .*where is the API' "without a URL nothing is sent"
printf '# the API\nurl = %s/\ncacert = %s\n' "$BASE_URL" "$CACERT" >"$home/config"
SURFACE_ENV="SURFACED_URL= SURFACED_CACERT=" count
is "$STATUS $OUT" "0 0" "URL and authorities come from ~/.config/surfaced/config"
surface --version
like "$OUT" '^surface [0-9]' "surface prints its version"

# ---- surface configure ----

rm -r "$home"
printf '%s\n%s\n' "${BASE_URL%/api/v1}" "$KEY" >"$W/answers"
SURFACE_ENV='SURFACED_URL= SURFACED_CACERT='
key='' surface configure --cacert "$CACERT" <"$W/answers"
is "$STATUS $(stat -c %a "$home/key") $(cat "$home/key")" "0 600 $KEY" "surface configure stores the key in a file for its owner alone"
key='' count
is "$STATUS $OUT" "0 0" "what surface configure stored is used"
printf 'project = %s\n' "$P" >>"$home/config"
key='' surface configure --url "$BASE_URL" <<'KEY'
sfk_wrong
KEY
is "$STATUS" 5 "surface configure tries the key"
is "$(grep -c '^url = ' "$home/config") $(grep -c '^project = ' "$home/config") $(grep -c '^cacert = ' "$home/config")" "1 1 1" \
	"surface configure keeps the other lines of the configuration"
key='' surface configure --url "$BASE_URL" </dev/null
is "$STATUS" 2 "surface configure needs a key on standard input"
(
	cp "$CACERT" "$W/authority.crt"
	cd "$W" || exit 1
	key='' surface configure --url "$BASE_URL" --cacert authority.crt <"$home/key"
)
is "$(grep '^cacert = ' "$home/config")" "cacert = $(realpath "$W")/authority.crt" \
	"surface configure stores a relative path as an absolute one, so that it holds in every folder"
surface configure --url "$BASE_URL" --cacert "$W/none.crt" <"$home/key"
like "$STATUS $ERR" '^1 .*none.crt: No such file' "surface configure refuses a file of authorities that does not exist"

# A person presses Ctrl-C where the key is asked for; the terminal shows again what is typed.
cat >"$W/interrupt.py" <<'RUN'
import os, pty, select, sys, termios

pid, fd = pty.fork()
if pid == 0:
    os.execv(sys.argv[1], [sys.argv[1], "configure", "--url", "https://localhost"])
seen = b""
while b"not shown" not in seen:
    seen += os.read(fd, 1024)
echoes = lambda: bool(termios.tcgetattr(fd)[3] & termios.ECHO)
while echoes():
    select.select([], [], [], 0.01)
os.write(fd, b"\x03")
while select.select([fd], [], [], 60)[0]:
    try:
        if not os.read(fd, 1024):
            break
    except OSError:
        break
status = os.waitpid(pid, 0)[1]
print(os.WTERMSIG(status), "echo" if echoes() else "silent")
RUN
is "$(HOME=$W/home timeout 120 /usr/bin/python3 "$W/interrupt.py" "$BUILD/surface" 2>&1)" "2 echo" \
	"an interrupted surface configure ends by the signal and leaves the terminal as it was"
