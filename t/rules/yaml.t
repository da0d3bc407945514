#!/bin/sh
# SPDX-License-Identifier: ISC
# surfacectl rules check: the YAML of detection rules, without a database. C-161, and what files of Sigma may have.
. t/lib.sh
world
D=$W/tmp

# rule [MEMBER...]: a rule on stdout, with further lines at its top level.
rule()
{
	cat <<-'END'
		title: Redis that tells its version
		id: 6d0b9f0e-6a0f-4b0e-9a53-2f1f3c7c1d10
		status: experimental
		level: informational
		tags: [no-login, attack.t1190, attack.T1059.001]
		references: [https://redis.io/docs/]
	END
	for line; do printf '%s\n' "$line"; done
	cat <<-'END'
		surface:
		  dataset: services
		  query: 'product:redis version:*'
		  tests:
		    - {name: open, expect: match, record: {port: 6379, product: Redis, version: "7.2", tls_enabled: false}}
		    - {name: closed, expect: no_match, record: {port: 6379, product: Redis}}
	END
}

check() { "$BIN/surfacectl" --json rules check "$@" >"$D/out" 2>"$D/err"; }
# refused TITLE MESSAGE: the file r.yml is refused, with exit status 1 and a message.
refused()
{
	check "$D/r.yml"
	is "$? $(grep -cE "$2" "$D/err")" "1 1" "$1" || sed 's/^/# /' "$D/err"
}
# refuses TITLE MESSAGE LINE...: the rule with further lines.
refuses()
{
	_t=$1 _m=$2
	shift 2
	rule "$@" >"$D/r.yml"
	check "$D/r.yml"
	is "$? $(grep -cE "$_m" "$D/err")" "1 1" "$_t" || sed 's/^/# /' "$D/err"
}

rule "author: no" "license: yes" "date: 2026/01/31" "falsepositives: [1.10, ~]" >"$D/r.yml"
cp "$D/r.yml" "$D/good.yml"
check "$D/good.yml"
is "$?" 0 "a rule with words of Sigma is accepted without a database (C-832)"
is "$(jq -c .check "$D/out")" '{"files":1,"rules":1,"derived":0,"samples":2}' "the check counts files, rules, derived rules and samples"
sed 's/expect: no_match, record: {port: 6379/&, version: /' "$D/good.yml" >"$D/r.yml"
check "$D/r.yml"
is "$?" 1 "a sample with an unexpected result is refused (C-148)"
like "$(cat "$D/err")" 'surface.tests\[1\]: the rule matches the sample "closed"' \
	"the sample is named, whose version without a value is an empty text (C-148)"

refuses "an alias is refused" 'anchors are refused: &x' 'falsepositives: &x [*x]' # C-161
refuses "an anchor without an alias is refused" 'r.yml:7: anchors are refused: &x' 'author: &x somebody' # C-161
refuses "an alias without an anchor is refused" 'aliases are refused: \*x' 'author: *x'
refuses "a billion laughs is refused at its first anchor" 'r.yml:7: anchors are refused: &a' \
	'a: &a [l, l, l, l, l, l, l, l, l]' 'b: &b [*a, *a, *a, *a, *a, *a, *a, *a]' 'c: &c [*b, *b, *b, *b, *b, *b, *b]' # C-161
refuses "a merge key is refused" 'merge keys \(<<\) are refused' '<<: {author: a}'
refuses "the tag !!binary is refused" 'tags are refused: tag:yaml.org,2002:binary' 'author: !!binary aGFsbG8='
refuses "a tag of its own is refused" 'tags are refused: !x' 'author: !x a'
refuses "a repeated key is refused (C-832)" 'the key author stands twice' 'author: a' 'author: b'
refuses "a key of two forms is one key" 'the key author stands twice' 'author: a' '"author": b'
refuses "an unknown member is refused by its name" 'r.yml:7: colour: is unknown' 'colour: red'
refuses "Sigma's logsource is refused by its name" 'logsource: Sigma rules about logs are refused' \
	'logsource: {product: windows}' 'detection: {selection: {a: b}, condition: selection}' # C-161
refuses "Sigma's detection is refused by its name" 'detection: Sigma rules about logs' 'detection: {condition: a}' # C-161
refuses "Sigma's correlation is refused by its name" 'correlation: Sigma rules about logs' 'correlation: {type: event_count}' # Y1
refuses "Sigma's filter is refused by its name" 'filter: Sigma rules about logs' 'filter: {rules: [a]}' # Y1
refuses "a date of another form is refused" 'date: is no date' 'date: yesterday'
refuses "a relation of an unknown type is refused" 'related\[0\].type: must be one of derived' \
	'related: [{id: 6d0b9f0e-6a0f-4b0e-9a53-2f1f3c7c1d11, type: cousin}]'

{ rule && echo --- && rule; } >"$D/r.yml"
refused "two documents of one id in a file are refused" 'r.yml:[0-9]+: two documents have the id 6d0b9f0e' # C-161
mkdir "$D/both" && rule >"$D/both/a.yml" && rule >"$D/both/b.yml"
check "$D/both"
is "$?" 1 "two files of one id are refused" # C-161
like "$(cat "$D/err")" 'both/[ab].yml:1: two documents have the id .*; see .*/both/[ab].yml:1' "both files are named"

rule >"$D/good.yml.tmp"
iconv -f UTF-8 -t UTF-16 "$D/good.yml.tmp" >"$D/r.yml"
refused "UTF-16 with a byte order mark is refused" 'the encoding is not UTF-8'
iconv -f UTF-8 -t UTF-16LE "$D/good.yml.tmp" >"$D/r.yml"
refused "UTF-16 without a byte order mark is refused" 'the encoding is not UTF-8'
{ printf 'author: \377\n' && cat "$D/good.yml.tmp"; } >"$D/r.yml"
refused "bytes that are no UTF-8 are refused" 'r.yml:1: the encoding is not UTF-8'
printf '\357\273\277' | cat - "$D/good.yml.tmp" >"$D/r.yml"
check "$D/r.yml"
is "$?" 0 "UTF-8 with a byte order mark is accepted"
rule 'author: "a\0b"' >"$D/r.yml"
refused "a text with U+0000 is refused" 'a text contains U\+0000'

nested() { awk -v n="$1" 'BEGIN { s = "author: "; for (i = 0; i < n; i++) s = s "["; for (i = 0; i < n; i++) s = s "]"; print s }'; }
refuses "5000 levels are refused" 'the nesting is deeper than 32 levels' "$(nested 5000)"
refuses "33 levels are refused" 'the nesting is deeper than 32 levels' "$(nested 32)"
refuses "32 levels are read, and then refused as a value" 'author: is no text' "$(nested 31)"
{ rule && awk 'BEGIN { for (i = 0; i < 20000; i++) print "# ........................................................" }'; } >"$D/r.yml"
refused "a file of more than 1 MiB is refused" 'has more than 1048576 bytes'
printf '%s\n' 'a: [' >"$D/r.yml"
refused "a text that is no YAML is refused with its line" 'r.yml:2: no YAML: '

# sets SED TITLE MESSAGE: the rule after a change by sed.
sets()
{
	rule | sed "$1" >"$D/r.yml"
	check "$D/r.yml"
	is "$? $(grep -cE "$3" "$D/err")" "1 1" "$2" || sed 's/^/# /' "$D/err"
}
sets 's/^id: .*/id: 7/' "an id that is no UUID is refused" 'id: is no UUID'
sets 's/^status: .*/status: unsupported/' "an unknown status is refused with the known ones" 'status: must be one of test, experimental'
sets 's/^level: .*/level: loud/' "an unknown level is refused with the known ones" 'level: must be one of informational'
sets 's/attack.t1190/attack.initial-access/' "a tag that is neither a technique nor a slug is refused" 'tags\[1\]: is neither'
sets 's,https://redis,ftp://redis,' "a reference that is no web address is refused" 'references\[0\]: is no URL'
sets "s/query: .*/query: 'colour:red'/" "a query with an unknown field is refused with its position" 'surface.query, character 1: '
sets "s/query: .*/query: 'a'\n  exclude: 'port:('/" "an exclude that is no query is refused with its position" 'surface.exclude, character '
sets 's/dataset: services/dataset: reports/' "a dataset that rules do not have is refused" 'surface.dataset: must be one of hosts'
sets 's/expect: match/expect: maybe/' "an unknown expectation is refused" 'surface.tests\[0\].expect: must be one of match, no_match'
sets 's/^surface:/&\n  produces: {area: service, exposure_kind: x, title: "{colour}"}/' "a title that names no field is refused" '\{colour\} is no field of services'
sets 's/^surface:/&\n  produces: {area: service, exposure_kind: x, rank: 101, title: a}/' "a rank above 100 is refused" 'rank: is no number from 0 to 100'

# What only unquoted scalars in records are: numbers and booleans of JSON. C-161
sets 's/port: 6379, product: Redis, version: "7.2"/port: "6379", product: Redis, version: "7.2"/; s/product:redis version/port:6379 version/' \
	"a quoted number in a record is a text, which is no port" 'does not match the sample "open"'
rule | sed "s/'product:redis version:\*'/'version:7.2 tls_enabled:false port:6379'/" >"$D/r.yml"
check "$D/r.yml"
is "$?" 0 "an unquoted number and boolean in a record have these types (C-832)"
rule | sed "s/query: .*/query: 'version:1.10 OR version:no'/; s/version: \"7.2\"/version: 1.10x/; s/expect: match/expect: no_match/" >"$D/r.yml"
check "$D/r.yml"
is "$?" 0 "a scalar that is no number of JSON is a text in a record"

# What the catalogue asks for in addition (C-193).
catalogue()
{
	sed "$1" "$D/good.yml.tmp" >"$D/r.yml"
	check --catalogue "$D/r.yml"
	is "$? $(grep -cE "$3" "$D/err")" "1 1" "$2" || sed 's/^/# /' "$D/err"
}
check --catalogue "$D/good.yml.tmp"
is "$?" 0 "the rule is good for the catalogue"
catalogue '/closed/d' "the catalogue refuses a rule without a sample that does not match" 'has a sample that matches and one that does not'
catalogue '/^references/d' "the catalogue refuses a rule without a reference" 'references: a rule of the catalogue has at least one'
bare() { catalogue "s/query: .*/query: '$1'/; s/product: Redis, version: \"7.2\"/http: {title: a b, body: a b}/; s/port: 6379, product: Redis}/port: 1}/" \
	"the catalogue refuses a rule with the query $1" 'is no evidence alone'; }
bare 'port:6379'
bare 'port:6379 transport:* OR port:6379'
bare 'port:6379 -product:nginx'
bare 'http.title:"a b"'
bare 'port:6379 http.body:a'
catalogue 's/query: /applies_tags: true\n  &/; s/version:\*/version:* -tags:x/' "a rule that applies tags must not ask for tags (C-828)" 'must not ask for tags'
