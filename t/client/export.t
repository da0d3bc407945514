#!/bin/sh
# SPDX-License-Identifier: ISC
# surface export: files whole or not at all, over connections that break, and after runs that were killed (C-413).
# shellcheck disable=SC2030,SC2031 # sh -c and a redirected block see W
. t/lib.sh
world_start
export_start
export DIR="$W"
world_env
t/helper/fill-world "$W" --documents 300 --seed "${SEED:-1}" 2>"$W/fill.err" || diag "$(cat "$W/fill.err")"
cd "$W/tmp" || exit 1
install -m 755 "$TOP/t/helper/cut.py" "$W/cut.py"

surface export hosts -o "$W/all.ndjson"
is "$STATUS|$ERR" "0|" "surface export needs no terminal"
is "$(tail -1 "$W/all.ndjson" | jq -c '[.end.complete, .end.records > 0]')" '[true,true]' "the exported file is whole"
key=$KEY api GET /search/hosts/count
is "$(sed '1d;$d' "$W/all.ndjson" | wc -l)" "$(field .count)" "the exported file has every match"
is "$(find "$W" -maxdepth 1 -name 'all.ndjson.*')" "" "neither state nor part is left beside a whole file"
surface export hosts -o "$W/all.ndjson"
is "$STATUS" 2 "a file that exists is not replaced"
surface export hosts port:443 -o "$W/all.csv.gz" -f ip,services.port --force
is "$STATUS $(gzip -dc "$W/all.csv.gz" | head -1 | tr -d '\r"')" "0 ip,services.port" "the name of the file chooses CSV and gzip"
surface export hosts 'contry:DE' -o "$W/bad.ndjson"
is "$STATUS $(printf '%s\n' "$ERR" | sed -n 3p)" "3   ^" "a wrong query of an export has a caret"
is "$(find "$W" -maxdepth 1 -name 'bad.*')" "" "a refused export leaves no file"

# ---- connections that break ----

# cut BYTES [RATE]: between surface and nginx; sets the environment of surface.
cut()
{
	rm -f "$W/cut.sock"
	mkfifo "$W/cut.in"
	"$W/cut.py" "$W/cut.sock" "$W/run/web.sock" "$@" <"$W/cut.in" >"$W/cut.out" &
	CUT=$!
	exec 8>"$W/cut.in"
	rm "$W/cut.in"
	world_until 10 grep -q ready "$W/cut.out"
	SURFACE_ENV="SURFACED_UNIX_SOCKET=$W/cut.sock"
}
cut_end()
{
	exec 8>&-
	wait "$CUT"
	SURFACE_ENV=
	connections=$(tail -1 "$W/cut.out")
}

# A connection carries the handshake and 60 kB, and the file is some times that.
cut 64000
surface export hosts -o "$W/cut.ndjson"
cut_end
is "$STATUS|$(printf %s "$ERR" | grep '^surface: the')" "0|" "an export arrives over connections that break"
ok "the broken export is the same file, byte for byte but for its first line" \
	sh -c "sed 1d '$W/all.ndjson' | cmp -s - '$W/cut.ndjson.rest' || { sed 1d '$W/cut.ndjson' >'$W/cut.ndjson.rest'; sed 1d '$W/all.ndjson' | cmp '$W/cut.ndjson.rest' -; }"
isnt "$((connections > 3))" 0 "the export took several connections ($connections)"
surface search hosts --all
cp "$W/out" "$W/pages"
cut 0 2000000
surface search hosts --all
cut_end
ok "a slow connection brings the same pages" cmp -s "$W/out" "$W/pages"

# surface_behind WORD...: a run in the background, which $! names.
surface_behind()
{
	# shellcheck disable=SC2086 # a list of assignments
	env HOME="$W/home" SURFACED_API_KEY="$KEY" SURFACED_URL="${BASE_URL%/api/v1}" SURFACED_CACERT="$CACERT" \
		$SURFACE_ENV "$BUILD/surface" "$@" &
}

# part_there NAME: more than 20 kB of the file have come.
part_there()
{
	[ "$(stat -c %s "$W/$1.part" 2>/dev/null || echo 0)" -gt 20000 ]
}

# ---- a run that is killed ----

cut 0 200000
surface_behind export hosts -o "$W/killed.ndjson"
killed=$!
ok "a part of the file appears beside it" world_until 30 part_there killed.ndjson
kill -KILL "$killed"
wait "$killed" 2>/dev/null
cut_end
is "$(find "$W" -maxdepth 1 -name 'killed.ndjson')" "" "a killed export leaves no file that looks whole"
surface export hosts port:80 -o "$W/killed.ndjson"
is "$STATUS" 2 "another query does not continue the export of an earlier run"
like "$ERR" 'is the state of another export' "the refusal names the state"
api GET '/search/exports?limit=100'
before=$(field '.exports | length')
cut 0
surface export hosts -o "$W/killed.ndjson"
cut_end
is "$STATUS" 0 "the same command continues an export that was killed"
ok "the continued export is the same file" sh -c "sed 1d '$W/killed.ndjson' >'$W/rest'; sed 1d '$W/all.ndjson' | cmp '$W/rest' -"
api GET '/search/exports?limit=100'
is "$(field '.exports | length')" "$before" "a continued export is no new export of the API"

# ---- damage ----

printf 'x' >"$W/damaged.ndjson.part"
surface export hosts -o "$W/damaged.ndjson"
like "$STATUS $ERR" '^1 .*came damaged' "a file with a wrong SHA-256 is refused"
is "$(find "$W" -maxdepth 1 -name 'damaged.ndjson')" "" "a damaged export leaves no file that looks whole"
surface export hosts -o "$W/damaged.ndjson"
is "$STATUS $(find "$W" -maxdepth 1 -name 'damaged.ndjson*' | wc -l)" "0 1" "the next run mends a damaged export"

# ---- standard output ----

surface export hosts -o -
is "$STATUS|$ERR" "0|" "an export is written to standard output"
ok "standard output has the file of an export" sh -c "sed 1d '$W/out' >'$W/rest'; sed 1d '$W/all.ndjson' | cmp '$W/rest' -"
is "$(find . -name '-*')" "" "an export to standard output leaves no file"
cut 64000
surface export hosts -o -
cut_end
is "$STATUS|$ERR" "0|" "an export arrives at standard output over connections that break"
ok "standard output has each byte once when connections break" \
	sh -c "sed 1d '$W/out' >'$W/rest'; sed 1d '$W/all.ndjson' | cmp '$W/rest' -"
surface export hosts --compression gzip -o -
is "$STATUS $(gzip -dc "$W/out" | sed '1d;$d' | wc -l)" "0 $(sed '1d;$d' "$W/all.ndjson" | wc -l)" "an export to standard output may be compressed"

# ---- a part that another user has prepared ----

echo precious >"$W/precious"
ln -s precious "$W/linked.ndjson.part"
surface export hosts -o "$W/linked.ndjson"
like "$STATUS $ERR" '^1 surface: .*linked.ndjson.part is a symbolic link; remove it$' "an export does not write through a symbolic link"
is "$(cat "$W/precious")" precious "the file to which the symbolic link leads is unchanged"

# ---- two runs with one file ----

cut 0 400000
surface_behind export hosts -o "$W/two.ndjson"
first=$!
world_until 30 part_there two.ndjson
surface export hosts -o "$W/two.ndjson"
like "$STATUS $ERR" "^1 surface: another surface export writes .*two.ndjson$" "an export does not write to the file of one that runs"
wait "$first"
is "$?" 0 "the export that ran first ends well"
cut_end
ok "its file is whole" sh -c "sed 1d '$W/two.ndjson' >'$W/rest'; sed 1d '$W/all.ndjson' | cmp '$W/rest' -"

# ---- a terminal ----

# typed COLUMNS WORD...: surface on a terminal of that width; $W/typescript has what it got.
typed()
{
	_columns=$1
	shift
	cat >"$W/typed.sh" <<-RUN
		stty cols $_columns
		exec "$BUILD/surface" $* >"$W/typed.out"
	RUN
	# shellcheck disable=SC2086 # a list of assignments
	env -u COLUMNS HOME="$W/home" SURFACED_API_KEY="$KEY" SURFACED_URL="${BASE_URL%/api/v1}" SURFACED_CACERT="$CACERT" \
		SURFACED_UNIX_SOCKET="$W/run/web.sock" TERM=dumb $SURFACE_ENV \
		script -qec "sh $W/typed.sh" "$W/typescript" >/dev/null </dev/null
}
for option in "" --wide; do
	rm -f "$W/t.ndjson"
	typed 60 export hosts -o "$W/t.ndjson" $option
	like "$(cat "$W/typescript")" '%' "an export draws its progress on a terminal (${option:-no option})"
	grep '%' "$W/typescript" | tr '\r' '\n' | sed "s/$(printf '\033')\[[0-9;]*[mK]//g" | grep '%' >"$W/bars"
	ok "the progress fits the terminal when the output goes elsewhere (${option:-no option})" \
		test "$(LC_ALL=C.UTF-8 wc -L <"$W/bars")" -lt 60
done
cut 64000
rm -f "$W/t.ndjson"
typed 60 export hosts -o "$W/t.ndjson"
cut_end
like "$(cat "$W/typescript")" 'trying again' "an export tells a terminal of a connection that broke"
ok "a message does not continue the line of the progress" \
	sh -c "! tr '\\r' '\\n' <'$W/typescript' | grep -q '%.*surface:'"
