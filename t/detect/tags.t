#!/bin/sh
# SPDX-License-Identifier: ISC
# Tags that rules of the catalogue apply to documents (C-157): searches, answers and other rules see them, and the table record
# keeps what imports gave.
. t/lib.sh
. t/helper/detect.sh
world_start
detect_start

catalogue() { detect_rule "$1" all "$2" account_uuid=NULL "content_sha256='$(printf x | sha256sum | cut -c1-64)'" applies_tags=true "tags='{$3}'"; }
count() { api GET "/search/hosts/count?q=$1" && field .count; }
found() { [ "$(count "$1")" = "$2" ]; }
tags() { api GET "/search/hosts?q=ip:$1" && field '.. | objects | select(.tags?) | .tags | join(" ")'; }
redis='{"port":6379,"transport":"tcp","product":"Redis"}'

detect_host 192.0.2.7 2026-11-20T00:00:00Z "$redis" ',"tags":["web"]'
detect_host 192.0.2.8 2026-11-20T00:00:00Z "$redis" ',"tags":["open-database"]'
detect_host 192.0.2.9 2026-11-20T00:00:00Z '{"port":22,"transport":"tcp"}'
hosts_wait 3
asks=$(detect_rule hosts all tags:open-database)
rule=$(catalogue services 'product:redis port:6379' open-database,fresh-word)
detect_idle
ok "a tag that a rule applies is found by searches (C-157)" world_until 30 found tags:open-database 2
is "$(tags 192.0.2.7)" "fresh-word open-database web" "the answer shows the tags of the rule beside those of the import (C-157)"
is "$(count tags.category:exposure)" 2 "an applied tag has its categories in searches"
is "$(sql "SELECT count(*) FROM record WHERE dataset = 1 AND doc LIKE '%fresh-word%'") $(sql "SELECT count(*) FROM tag WHERE slug = 'fresh-word'")" "0 1" \
	"the stored document is as the import wrote it, and a new word becomes a common tag"
detect_idle
is "$(observed "$asks")" "192.0.2.7 active - 0
192.0.2.8 active - 0" "another rule sees the applied tag"
rows=$(sql "SELECT md5(string_agg(t::text, ' ' ORDER BY t::text)) FROM document_tag t")
stamp=$(sql "SELECT string_agg(changed::text, ' ' ORDER BY key) FROM record WHERE dataset = 1")
detect_idle
is "$(sql "SELECT md5(string_agg(t::text, ' ' ORDER BY t::text)) FROM document_tag t") $(sql "SELECT string_agg(changed::text, ' ' ORDER BY key) FROM record WHERE dataset = 1")" \
	"$rows $stamp" "tags that are applied do not make their rule apply them again (C-157)"

detect_host 192.0.2.7 2026-11-21T00:00:00Z '{"port":6379,"transport":"tcp","product":"KeyDB"}' ',"tags":["web"]'
detect_host 192.0.2.8 2026-11-21T00:00:00Z '{"port":6379,"transport":"tcp","product":"KeyDB"}' ',"tags":["open-database"]'
detect_host 192.0.2.9 2026-11-21T00:00:00Z "$redis"
detect_idle
ok "a tag leaves the host with the observation (C-157)" world_until 30 found tags:fresh-word 1
is "$(tags 192.0.2.7) $(tags 192.0.2.8) $(tags 192.0.2.9)" "web open-database fresh-word open-database" \
	"a tag that the import gave stays (C-157)"

sql "UPDATE rule SET tags = '{other-word}' WHERE uuid = '$rule'"
detect_idle
ok "a rule with other tags applies these" world_until 30 found tags:other-word 1
is "$(tags 192.0.2.9)" other-word "the former tags of the rule leave"
number="n || ' ' || (SELECT count(*) FROM document_tag) FROM document_tags WHERE rule_uuid = '$rule'"
is "$(sql "SELECT $number")" "1 1" "the number of a rule's tags is kept with them"
key() { sql "SELECT encode(key, 'hex') FROM record WHERE dataset = 1 AND doc LIKE '%\"$1\"%'"; }
# surfaced-detect takes back the tags of a failed rule, so they are counted before it sees them.
is "$(sql "BEGIN; SELECT detect_tag('{\"dataset\":1,\"rules\":[\"$rule\"],\"keys\":[\"$(key 192.0.2.7)\",\"$(key 192.0.2.8)\"],\"hits\":[{\"rule\":\"$rule\",\"key\":\"$(key 192.0.2.7)\"},
	{\"rule\":\"$rule\",\"key\":\"$(key 192.0.2.8)\"}]}', 2); SELECT $number; COMMIT;
	SELECT state || ' ' || error FROM rule_run WHERE rule_uuid = '$rule'" | sed '/^$/d' | tr '\n' ' ')" "3 3 failed it applies more than 2 tags to documents " \
	"a rule that applies more tags than it may fails with its reason"

sql "UPDATE rule SET status = 'deprecated' WHERE uuid = '$rule'"
ok "the tags of a rule that ends leave (C-157)" world_until 30 found tags:other-word 0
is "$(sql "SELECT $number")" "0 0" "no row of document_tag is left of the ended rule"
