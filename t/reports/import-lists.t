#!/bin/sh
# SPDX-License-Identifier: ISC
# surfacectl import vocabulary and import benign, and extraction with both.
. t/lib.sh
pg_start
DATA=t/cli/data/reports

is "$(ctl import vocabulary --kind actor --ambiguous "Reed Walker" $DATA/galaxy.json)" "4 aliases" "a galaxy is imported"
is "$(sql "SELECT string_agg(alias || ' ' || ambiguous, ', ' ORDER BY alias COLLATE \"C\") FROM vocabulary")" \
	"Loud Goose false, Quiet Heron false, Reed Walker true, at true" "short aliases and those that are named are ambiguous"
ctl import vocabulary --kind actor $DATA/galaxy.json >/dev/null
is "$(sql "SELECT count(*), count(*) FILTER (WHERE ambiguous) FROM vocabulary")" "4|1" "the same galaxy again adds nothing"
is "$(ctl import vocabulary --kind nation $DATA/galaxy.json 2>&1 >/dev/null | head -1 | grep -c 'must be actor')" 1 "an unknown kind is refused"

is "$(ctl --json import benign --licence CC0 $DATA/warninglist.json)" '{"values":2,"skipped":1}' "a warning list is imported"
ctl import benign $DATA/warninglist.json >/dev/null
is "$(sql "SELECT name, version, (SELECT count(*) FROM benign_entry) FROM benign_list")" "Sites of the tests|3|2" \
	"the same list again replaces the former one"
is "$(ctl import benign $DATA/warninglist-regex.json 2>&1)" \
	"surfacectl: the list Patterns of the tests is refused: its type is regex, and only string, hostname and cidr name whole values" \
	"a list of patterns is refused with its name"

printf '# Herons\n\nLoud Goose used heron-news.com in prose.\n' >"$W/a.md"
ctl import reports "$W/a.md" >/dev/null
is "$(sql "SELECT threat_actors FROM report")" '{"Loud Goose"}' "a name of the vocabulary is found in a text"
is "$(sql "SELECT disposition, ignored_by FROM indicator WHERE value = 'heron-news.com'")" "ignored|Sites of the tests" \
	"a value of the list is ignored with the name of the list"
