#!/bin/sh
# SPDX-License-Identifier: ISC
# surfacectl import draws a line of progress on a terminal, and only there.
. t/lib.sh
pg_start
seq 200000 | awk '{ printf "{\"host\":\"h%d.example.org\",\"record_type\":\"A\",\"answer\":\"192.0.2.1\",\"last_seen\":\"2026-01-02T00:00:00Z\"}\n", $1 }' >"$W/dns"
sed -i '20000s/.*/{"host":1}/' "$W/dns"
"$BUILD/t/helper/hostgen" --hosts 60000 >"$W/hosts"

# on_terminal COLUMNS ARGUMENTS...: runs the import with stderr on a terminal and prints what it shows, a line each time the
# cursor returns to the first column.
on_terminal()
{
	/usr/bin/python3 - "$BIN/surfacectl" "host=$W/db dbname=surfaced user=surfaced_admin" "$@" <<'END'
import fcntl, os, pty, struct, subprocess, sys, termios
surfacectl, database, columns = sys.argv[1:4]
master, slave = pty.openpty()
fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, int(columns), 0, 0))
run = subprocess.Popen([surfacectl, "--database", database, "import"] + sys.argv[4:], stderr=slave, stdout=subprocess.PIPE)
os.close(slave)
seen = b""
while True:
    try:
        part = os.read(master, 65536)
    except OSError:
        break
    if not part:
        break
    seen += part
run.communicate()
print(seen.decode().replace("\033[K", "").replace("\r\n", "\n").replace("\r", "\n"))
END
}

on_terminal 100 dns "$W/dns" >"$W/seen"
like "$(cat "$W/seen")" '\[=*> *\] *[0-9]* %  [0-9]* records, [0-9]*/s, [0-9]*:[0-9][0-9] left' \
	"a terminal shows a bar, the share of the file, records, the rate and the time left"
like "$(tail -2 "$W/seen")" '\[=*\] 100 %  200000 records, [0-9]*/s, [0-9]*:[0-9][0-9]$' "the last line has all records and the time that was needed"
is "$(grep -c '^[^ ]*/dns:20000: host: must be a string$' "$W/seen")" 1 "a message has a line of its own between two lines of progress"
on_terminal 40 dns "$W/dns" >"$W/seen"
is "$(awk 'length > 39 && !/dns:20000/' "$W/seen")" "" "no line of progress is broken on a terminal of 40 columns"
like "$(cat "$W/seen")" '%  [0-9]* records, [0-9]*/s' "a narrow terminal shows the numbers without the bar"
on_terminal 80 hosts "$W/hosts" >"$W/seen"
like "$(cat "$W/seen")" '\[=*>? *\] *[0-9]* %  [0-9]* records, ' "the import of hosts shows the same line"
gzip -k "$W/hosts"
on_terminal 80 hosts "$W/hosts.gz" >"$W/seen"
like "$(tail -2 "$W/seen")" '100 %  60000 records' "the share of a compressed file is that of its compressed bytes"
mkfifo "$W/fifo"
cat "$W/dns" >"$W/fifo" &
on_terminal 80 dns "$W/fifo" >"$W/seen"
wait $!
like "$(tail -2 "$W/seen")" '^200000 records, [0-9]*/s, [0-9]*:[0-9][0-9]$' "a pipe has no share, and its line has the time that has passed"
on_terminal 80 dns --quiet "$W/dns" >"$W/seen"
is "$(grep -v '^$' "$W/seen")" "$W/dns:20000: host: must be a string" "--quiet shows no progress"
on_terminal 80 dns --json "$W/dns" >"$W/seen"
is "$(grep -v '^$' "$W/seen")" "$W/dns:20000: host: must be a string" "--json shows no progress"
"$BIN/surfacectl" --database "host=$W/db dbname=surfaced user=surfaced_admin" import dns "$W/dns" 2>"$W/seen" >/dev/null
is "$(cat "$W/seen")" "$W/dns:20000: host: must be a string" "a file as stderr gets no progress"
