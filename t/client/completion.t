#!/bin/sh
# SPDX-License-Identifier: ISC
# surface completion: the words that it offers from its tables and from the API's schema, and the code of three shells.
. t/lib.sh
world_start
SURFACE_ENV="XDG_CACHE_HOME=$W/cache"

# offers WANTED TITLE WORD...: the last word is the current one.
offers()
{
	_wanted=$1 _title=$2
	shift 2
	surface completion words -- "$@"
	is "$STATUS $(printf '%s\n' "$OUT" | tr '\n' ' ')" "0 $_wanted " "$_title"
}
offers "search session" "the names of commands are completed" se
is "$(surface completion words -- session s && printf '%s\n' "$OUT" | sort | tr '\n' ' ')" "screenshots show stop " "every command of session is offered"
offers "hosts" "the names of datasets are completed" search ho
offers "--limit" "options of a command are completed" search hosts --l
offers "bash zsh fish" "the names of shells are completed" completion ''
offers "ip,services.port" "names of fields are completed behind a comma" search hosts -f ip,services.po
offers "services.port:" "fields of a query are completed" search hosts services.po
offers "services.tls_enabled:true services.tls_enabled:false" "values of a boolean field are completed" search hosts services.tls_enabled:
offers "(-country:GB" "countries are completed behind signs and brackets" search hosts '(-country:GB'
offers "-port:" "a negated field is completed behind --" search hosts -- -por
offers "services.port" "an aggregation is offered fields that can be aggregated" aggregate hosts port:22 --by services.po
offers "" "an aggregation is offered no other field" aggregate hosts --by first_s
offers "" "a word that is no command has no completion" frobnicate x
ok "the schema is kept for the next completion" test -s "$W/cache/surfaced/schemas.json"
key=sfk_wrong offers "services.port:" "the kept schema needs no request" search hosts services.po

for shell in bash zsh fish; do
	surface completion "$shell"
	printf '%s\n' "$OUT" >"$W/code"
	is "$STATUS" 0 "surface prints its completion for $shell"
	if command -v "$shell" >/dev/null; then
		ok "the code for $shell parses" "$shell" -n "$W/code"
	else
		skip "$shell is not installed"
	fi
done
surface completion tcsh
is "$STATUS" 2 "an unknown shell is wrong usage"

# bash offers what is behind the colon, because it replaces only that.
surface completion bash
printf '%s\n' "$OUT" >"$W/code"
cat >"$W/bash.sh" <<'RUN'
compopt() { nospace=1; }
. "$1"
COMP_LINE=$2 COMP_POINT=${#2}
_surface
printf '%s ' "${COMPREPLY[@]}" ${nospace:+nospace}
RUN
in_bash()
{
	env HOME="$W/home" XDG_CACHE_HOME="$W/cache" PATH="$BUILD:$PATH" bash "$W/bash.sh" "$W/code" "$1"
}
is "$(in_bash 'surface search hosts services.tls_enabled:t')" "true " "bash completes a value behind a colon"
is "$(in_bash 'surface search hosts services.po')" "services.port: nospace " "bash adds no blank behind the colon of a field"
is "$(in_bash 'surface ')" "$(surface completion words -- '' && printf '%s' "$OUT" | tr '\n' ' ') " "bash completes an empty word"
