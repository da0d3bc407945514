#!/bin/sh
# SPDX-License-Identifier: ISC
# The examples of surface(1), each run as it is written, and the options of the page against those of the program.
. t/lib.sh
world_start
export_start

ctl import hosts --quiet - <<'DOCS' || exit 1
{"ip":"192.0.2.1","country_code":"DE","last_seen":"2026-11-01T00:00:00Z","services":[{"port":22,"transport":"tcp","product":"OpenSSH"},{"port":3389,"transport":"tcp"},{"port":443,"transport":"tcp","product":"nginx","version":"1.22.1","tls":{"certificate":{"fingerprint_sha256":"4355a46b19d348dc2f57c046f8ef63d4538ebb936000f3c9ee954a27460dd865"}}}]}
DOCS
ctl import dns --format ndjson --quiet - <<'DOCS' || exit 1
{"host":"www.example.com","record_type":"A","answer":"192.0.2.1","last_seen":"2026-11-01T00:00:00Z"}
DOCS
soon=$(date -u -d '+10 days' +%Y-%m-%dT%H:%M:%SZ)
ctl import certificates --format ndjson --quiet - <<DOCS || exit 1
{"fingerprint_sha256":"4355a46b19d348dc2f57c046f8ef63d4538ebb936000f3c9ee954a27460dd865","names":["www.example.com"],"not_before":"2026-01-01T00:00:00Z","not_after":"$soon"}
DOCS
searchable()
{
	api GET "/search/$1/count"
	[ "$(field .count)" = "$2" ]
}
for dataset in hosts dns certificates; do
	ok "the $dataset of the test can be searched" world_until 60 searchable $dataset 1
done

# A recipe is a literal block of the examples; \e is a backslash.
mkdir "$W/recipes"
sed -n '/^\.Sh EXAMPLES/,/^\.Sh SEE/p' man/surface.1 | sed 's/\\e/\\/g' | awk -v dir="$W/recipes" '
	/^\.Bd/ { n++; on = 1; next }
	/^\.Ed/ { on = 0 }
	on { print > sprintf("%s/%02d", dir, n) }'
is "$(find "$W/recipes" -type f | wc -l)" 10 "the page has ten recipes"
mkdir "$W/there"
for recipe in "$W"/recipes/*; do
	title=$(grep -m1 -o 'surface .*' "$recipe" | cut -c1-60)
	(
		cd "$W/there" || exit 1
		env HOME="$W/home" LC_ALL=C.UTF-8 PATH="$BUILD:$PATH" SURFACED_API_KEY="$KEY" \
			SURFACED_URL="${BASE_URL%/api/v1}" SURFACED_CACERT="$CACERT" SURFACED_UNIX_SOCKET="$W/run/web.sock" \
			SURFACED_PROJECT="$P" sh -e "$recipe"
	) >"$W/out" 2>"$W/err"
	is "$? $(cat "$W/err")" "0 " "this recipe works as it is written: $title"
	ok "this recipe prints something: $title" test -s "$W/out"
done

# ---- the page and the program ----

helps()
{
	surface "$@" --help
	printf '%s\n' "$OUT" >>"$W/help"
}
: >"$W/help"
surface --help
commands=$(printf '%s\n' "$OUT" | sed -n 's/^  \([a-z][a-z]*\) .*/\1/p')
for command in $commands; do
	helps "$command"
	ok "surface(1) documents surface $command" grep -qE "^\.It Cm $command( |\$)" man/surface.1
done
for sub in list create show stop screenshots events; do
	helps session $sub
done
for sub in list show history; do
	helps finding $sub
done
for sub in self members keys audit; do
	helps access $sub
done
is "$(grep -oE -e '--[a-z][a-z-]+' "$W/help" | sort -u | tr '\n' ' ')" \
	"$(grep -E '^\.(It )?Fl' man/surface.1 | grep -oE -e '-[a-z][a-z-]+' | sed 's/^/-/' | sort -u | grep -vx -e --version | tr '\n' ' ')" \
	"surface(1) has the options of the program"
