#!/bin/sh
# SPDX-License-Identifier: ISC
# Names and texts of people have no characters that control a terminal, reorder a line, or are invisible.
. t/lib.sh
pg_start
api_start
web_start

# A mark of direction, a space without width, a filler, a tag and a selector, as JSON writes them.
for hidden in '\u202e' '\u200b' '\u3164' '\udb40\udc41' '\ufe0f' '\u009b'; do
	for body in 'rules ,"source":"finding"' 'destinations ,"url":"https://x.example.com/"'; do
		api POST "/projects/$P/alerting/${body%% *}" "{\"name\":\"a${hidden}b\"${body#* }}"
		is "$STATUS $(field '[.error.field_errors[] | .field + " " + .code] | join(" ")')" '400 name invalid_format' \
			"${body%% *}: a name with $hidden is refused"
	done
	api POST /reports "{\"title\":\"a${hidden}b\",\"text\":\"x\"}"
	is "$STATUS $(field '.error.field_errors[0].field')" "400 title" "a report's title with $hidden is refused"
done
rule=$(rule_new)
tomorrow=$(date -u -d '+1 day' +%Y-%m-%dT%H:%M:%SZ)
silence()
{
	api POST "/projects/$P/alerting/silences" "{\"rule_uuid\":\"$rule\",\"reason\":\"$1\",\"ends_at\":\"$tomorrow\"}"
}
silence 'first line\nsecond\tline, Überwachung'
is "$STATUS $(field '.error.field_errors[0].message')" "201 null" "a reason may have several lines"
silence 'a\u001b[2J'
is "$STATUS $(field '.error.field_errors[0] | .field + " " + .code')" "400 reason invalid_format" "a reason with an escape is refused"
api POST /rules '{"name":"x","dataset":"hosts","scope":"surface","query":"asn:1","severity":"info","description":"a\u202eb"}'
is "$STATUS $(field '.error.field_errors[0] | .field + " " + .code')" "400 description invalid_format" \
	"a description with a mark of direction is refused"
ctl accounts create "$(printf 'Ac\342\200\256me')" >"$W/out" 2>&1
like "$? $(cat "$W/out")" '^[1-9].*invisible characters' "surfacectl refuses such a name of an account"
