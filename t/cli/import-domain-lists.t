#!/bin/sh
# SPDX-License-Identifier: ISC
# surfacectl import rankings and import parked-name-servers: lists by which scores tell honest domains from look-alikes.
. t/lib.sh
pg_start
DATA=t/cli/data/domains
ranks() { sql "SELECT list || ' ' || rank || ' ' || domain FROM domain_ranking ORDER BY list, rank, domain"; }

is "$(ctl import rankings --list tranco $DATA/tranco.csv)" "4 domains, 2 skipped" "a ranking of rank and domain is imported"
is "$(ranks)" "tranco 1 google.com
tranco 2 microsoft.com
tranco 4 xn--mnchen-3ya.de" "a domain has its best rank, and names below it count for it"
is "$(ctl --json import rankings --list majestic $DATA/majestic.csv)" '{"domains":2,"skipped":1}' "a ranking with a heading is imported"
is "$(ranks | wc -l)" 5 "a second ranking stands beside the first one"
is "$(printf 'example.org\nexample.com\n' | ctl import rankings --list tranco -)" "2 domains, 0 skipped" "a list of domains comes from standard input"
is "$(ranks | grep tranco)" "tranco 1 example.org
tranco 2 example.com" "the same ranking again replaces the former one"
is "$(ctl import rankings --list tranco /dev/null 2>&1)" "surfacectl: /dev/null has no domains; nothing was imported" "an empty file is refused"
is "$(ranks | grep -c tranco)" 2 "a refused file leaves the former ranking"
is "$(ctl import rankings /nowhere/file 2>&1)" "surfacectl: /nowhere/file cannot be opened: No such file or directory" \
	"a file that does not exist is named with the reason"
gzip -c $DATA/tranco.csv >"$W/tranco.gz"
is "$(ctl import rankings "$W/tranco.gz")" "4 domains, 2 skipped" "a compressed ranking is imported"
is "$(ctl import parked-name-servers $DATA/parked.txt)" "2 domains, 0 skipped" "name servers of parked domains are imported"
is "$(sql "SELECT string_agg(name, ' ' ORDER BY name) FROM parked_name_server")" "ns1.bodis.com sedoparking.com" \
	"they are stored as names and domains"
is "$(printf 'parklogic.com\n' | ctl import parked-name-servers -) $(sql "SELECT name FROM parked_name_server")" \
	"1 domains, 0 skipped parklogic.com" "the same list again replaces the former one"
finish
