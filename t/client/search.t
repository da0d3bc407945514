#!/bin/sh
# SPDX-License-Identifier: ISC
# surface search, count, validate, host: documents, pages, forms of output, mistakes and exit statuses.
. t/lib.sh
world_start

# Twelve hosts; the title of 192.0.2.1 would clear a terminal and reverse a line.
for i in 1 2 3 4 5 6 7 8 9 10 11 12; do
	printf '{"ip":"192.0.2.%s","country_code":"DE","asn":64500,"as_name":"EXAMPLE","hostnames":["h%s.example.com"],' $i $i
	printf '"services":[{"port":22,"transport":"tcp","banner":"%s"},{"port":80,"transport":"tcp","http":{"title":"%s"}}]}\n' \
		"$([ $i != 1 ] || printf '\\u001b[2J\\u009b31m\\u202eevil')" "$([ $i != 2 ] || printf '=cmd()')"
done | ctl import hosts --quiet - || exit 1
hosts_wait 12

surface search hosts port:22 --limit 5
is "$STATUS $(printf '%s\n' "$OUT" | jq -r .ip | tail -1)" "0 192.0.2.5" "surface search prints a document on each line into a pipe"
surface search hosts port:22 --all
is "$STATUS $(printf '%s\n' "$OUT" | wc -l)" "0 12" "--all prints every match"
surface search hosts country:DE port:22 -n 1 -f ip,services.port
is "$OUT" '{"ip":"192.0.2.1","services":[{"port":22},{"port":80}],"matched_services":[{"port":22,"transport":"tcp"}]}' \
	"several words are one query, and --fields asks for these members alone"
surface count hosts port:22
is "$OUT" 12 "surface count prints the number alone"

surface search hosts --csv -f ip,services.port,services.http.title net:192.0.2.0/30
is "$(printf '%s\n' "$OUT" | tr -d '\r')" "ip,services.port,services.http.title
192.0.2.1,\"[22,80]\",\"[null,\"\"\"\"]\"
192.0.2.2,\"[22,80]\",\"[null,\"\"=cmd()\"\"]\"
192.0.2.3,\"[22,80]\",\"[null,\"\"\"\"]\"" "--csv prints lists as JSON arrays that keep the places of what is absent"

surface host 192.0.2.1 --table
unlike "$OUT" "$(printf '[\033\302\342]')" "a table has no control character of a banner and no mark of direction"
like "$OUT" 'banner +\\x1b\[2J\\x9b31m\\u202eevil' "a table shows control characters of a banner escaped"
surface host 192.0.2.1
is "$(printf '%s' "$OUT" | jq -j '.services[0].banner' | od -An -tx1 | tr -d ' \n')" \
	"1b5b324ac29b33316de280ae6576696c" "JSON has the banner whole: a parser reads the control characters"
unlike "$OUT" "$(printf '[\033\302\342]')" "JSON has control characters and marks of direction escaped"

SURFACE_ENV='COLUMNS=60' surface search hosts --table -n 3
is "$(printf '%s\n' "$OUT" | awk 'length > 60')" "" "a table fits the columns of the terminal"
like "$OUT" '^192\.0\.2\.3 ' "a table has a row for each document"

# ---- mistakes ----

surface search hosts 'port:22 contry:DE'
is "$STATUS|$OUT|$ERR" '3||surface: unknown field "contry"; did you mean "country"?
  port:22 contry:DE
          ^' "a wrong query exits with 3 and has a caret under the character that the API names"
surface search hosts 'title:"日本" contry:DE'
is "$(printf '%s\n' "$ERR" | tail -1)" "               ^" "the caret counts columns of the terminal and not characters"
surface search hosts country:Germany
is "$STATUS $(printf '%s\n' "$ERR" | head -1)" \
	'0 surface: warning: country_code has two-letter codes and never "Germany"; did you mean DE?' "a warning is printed on stderr"
surface validate hosts 'port:('
is "$STATUS" 3 "surface validate exits with 3 for a query that does not parse"
surface validate hosts 'port:22'
is "$STATUS $(printf '%s' "$OUT" | jq .valid)" "0 true" "surface validate exits with 0 for a query that parses"
surface host 198.51.100.7
is "$STATUS|$ERR" "4|surface: No record with this key is stored." "a record that does not exist is exit status 4"
key=sfk_00000000_$(printf '%043d' 0) surface count hosts
is "$STATUS" 5 "a key that the API does not accept is exit status 5"
SURFACE_ENV="SURFACED_UNIX_SOCKET=$W/no.sock" surface count hosts --patience 0
is "$STATUS" 7 "a server that cannot be reached is exit status 7"
for words in 'frobnicate' 'search' 'search host' 'search hosts --limt 3' 'search hosts --limit x' 'count hosts --limit' 'host'; do
	# shellcheck disable=SC2086 # words
	surface $words
	is "$STATUS|$OUT" "2|" "wrong usage is exit status 2: surface $words"
	like "$ERR" '^surface: ' "wrong usage has a message: surface $words"
done
surface search host
like "$ERR" 'did you mean hosts\?' "a mistyped dataset is guessed"
surface search hosts -tags:x
like "$ERR" 'behind "--"' "a query that begins with a dash is told where it stands"
surface search hosts -n 1 -f ip -- -tags:x
is "$STATUS $(printf '%s' "$OUT" | jq -r .ip)" "0 192.0.2.1" "a query behind -- may begin with a dash"
