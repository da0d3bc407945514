#!/bin/sh
# SPDX-License-Identifier: ISC
# surfaced-index follows every dataset of the table record: the index of each has the records that the table has.
. t/lib.sh
. t/helper/index-world.sh
index_world 2

hits() { index_hits "$@"; }
soon() { index_soon "$@"; }
# record NUMBER KEY DOCUMENT: the text of a bytea, and JSON.
record() { sql "INSERT INTO record (dataset, key, doc) VALUES ($1, '$2', '$3')
	ON CONFLICT (dataset, key) DO UPDATE SET doc = excluded.doc, gone = false"; }
names() { # FROM TO MEMBERS: DNS records of n<i>.example.org
	sql "INSERT INTO record (dataset, key, doc) SELECT 3, convert_to('org' || chr(1) || 'example' || chr(1) || 'n' || i || chr(1), 'UTF8')
		|| '\x0000010000'::bytea || decode(md5(i::text), 'hex'),
		'{\"host\":\"n' || i || '.example.org\",\"record_type\":\"A\",\"answer_ip\":\"10.0.' || i / 256 || '.' || i % 256 || '\",$3}'
		FROM generate_series($1, $2) AS i ON CONFLICT (dataset, key) DO UPDATE SET doc = excluded.doc, gone = false"
}
gone() { sql "UPDATE record SET doc = '', gone = true WHERE dataset = 3 AND doc LIKE '%\"n$1.example.org\"%'"; }

once; is $? 0 "surfaced-index --once succeeds on an empty table"
is "$(hits dns '*') $(hits whois '*') $(hits certificates '*') $(hits reports '*') $(hits open-directories '*')" \
	"0 0 0 0 0" "the index of each empty dataset has no records"
is "$(sql 'SELECT count(*) FROM search_feed')" 6 "an index registers for the deletions of each dataset"
names 1 600 '"ttl":60'
record 4 '\x6f7267016578616d706c650100' '{"domain":"example.org","whois":{"registrar":"Registrar One"}}'
record 5 '\x00' '{"fingerprint_sha256":"aa","not_after":"2020-01-01T00:00:00Z","names":["www.example.org"],"tags":["c2"]}'
record 5 '\x01' '{"fingerprint_sha256":"bb","not_after":"2999-01-01T00:00:00Z","names":["example.net"]}'
record 7 '\x00' '{"host":"files.example.org","ip":"192.0.2.1","port":80,"files":[{"name":"a.ps1","extension":"ps1","size":7},{"name":"b.txt","extension":"txt","size":9000}]}'
once
is "$(hits dns '*') $(hits dns 'host:example.org') $(hits dns 'host:n7.example.org') $(hits dns 'ttl:60')" "600 600 1 600" \
	"DNS records are found by a name and below a name"
is "$(hits dns 'answer_ip:10.0.1.0/24') $(hits dns 'answer_ip:10.0.0.9') $(hits dns 'answer_ip:[10.0.0.1 TO 10.0.0.4]')" "256 1 4" \
	"DNS records are found by the network of their answer"
is "$(hits whois 'whois.registrar:"registrar one"')" 1 "the registration of a domain is found by its registrar"
is "$(hits certificates 'expired:true') $(hits certificates 'expired:false') $(hits certificates 'names:example.org')" "1 1 1" \
	"a certificate is expired by the time of the query (C-879)"
is "$(hits open-directories 'files:(extension:ps1 AND size:>1000)') $(hits open-directories 'files:(extension:txt AND size:>1000)') $(hits open-directories 'ip:192.0.2.0/24')" \
	"0 1 1" "the tests of one file of a directory are about the same file"
gone 7
names 8 8 '"ttl":61'
once
is "$(hits dns '*') $(hits dns 'host:n7.example.org') $(hits dns 'ttl:61')" "599 0 1" "a deleted record leaves the index, and a changed one replaces the former"
for i in 1 2 3 4 5; do names "$i" $((i + 9)) "\"ttl\":$((70 + i))"; once; done
is "$(hits dns '*') $(hits dns 'ttl:75') $(hits dns 'ttl:[71 TO 75]')" "600 10 14" "merging segments of records loses none"
is "$(grep -c 'dataset=dns .*how=rebuild' "$dir/log")" 1 "changes and deletions cause no rebuild of a dataset (C-408)"

# A mark is kept until this index has published a generation that contains the deletion.
gone 9
once --rebuild
is "$(sql 'SELECT count(*) FROM record WHERE gone')" 0 "the marks of deletions that a published generation contains are removed"
sql "DELETE FROM search_feed WHERE dataset = 3"
gone 10
once
is "$(hits dns '*')" 598 "an index that is no longer registered is built again"
is "$(grep -c 'dataset=dns .*how=rebuild' "$dir/log") $(grep -c 'dataset=whois .*how=rebuild' "$dir/log")" "3 2" \
	"the index of one dataset is built again without the others"
sql "TRUNCATE record"
once
is "$(hits dns '*') $(hits whois '*')" "0 0" "TRUNCATE empties the indexes"

# Many documents are read by a child, while the other datasets are followed.
sql "INSERT INTO record (dataset, key, doc) SELECT 4, convert_to('d' || i, 'UTF8'), '{\"domain\":\"d' || i || '.example\"}' FROM generate_series(1, 30000) AS i"
rm "$dir/index/whois.manifest"
"$top/surfaced-index" -c "$dir/conf" 2>>"$dir/log" &
pid=$!
names 1 5 '"ttl":1'
ok "one dataset is followed while another one is built" soon dns 5 '*'
ok "a large dataset is built by a child" soon whois 30000 '*'
sql "UPDATE record SET doc = '', gone = true WHERE dataset = 4 AND key = 'd7'"
ok "a record that is deleted leaves the index of the daemon" soon whois 29999 '*'
sql "UPDATE record SET doc = replace(doc, '.example', '.test') WHERE dataset = 4 AND key = 'd8'"
ok "a record that changes is found by its new value" soon whois 1 'domain:test'
kill "$pid"; wait "$pid"; pid=
grep -Eq 'panic|Sanitizer' "$dir/log"; is $? 1 "the log has no panic and no sanitizer report"
