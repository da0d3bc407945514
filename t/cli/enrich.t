#!/bin/sh
# SPDX-License-Identifier: ISC
# Hosts get their network and their place from MaxMind databases and from prefix files, at their import and later.
. t/lib.sh
db_start
host_rows

# facts ADDRESS: the members that databases add.
facts()
{
	sql "SELECT concat_ws('|', doc->>'asn', doc->>'as_name', doc->>'prefix', doc->>'country_code', doc->>'region', doc->>'city')
		FROM host WHERE ip = '$1'"
}

# The library's import reads no configuration.
import()
{
	OUT=$(ctl import hosts "$@" 2>"$W/err")
	STATUS=$?
	ERR=$(cat "$W/err")
}

conf()
{
	sed -i "/^$1 =/d" "$W/etc/surfacectl.conf"
	[ -z "${2-}" ] || echo "$1 = $2" >>"$W/etc/surfacectl.conf"
}

t/helper/mmdb nested "$W/asn.mmdb" <<'END' || exit 1
192.0.2.0/25 {"autonomous_system_number":64500,"autonomous_system_organization":"Example Net"}
198.51.100.0/24 {"autonomous_system_number":64501}
2001:db8::/32 {"autonomous_system_number":64502,"autonomous_system_organization":"Six"}
END
t/helper/mmdb nested "$W/city.mmdb" <<'END' || exit 1
192.0.2.0/24 {"country":{"iso_code":"NL"},"subdivisions":[{"names":{"en":"Utrecht"}}],"city":{"names":{"en":"Zeist"}}}
198.51.100.0/24 {"registered_country":{"iso_code":"US"}}
2001:db8::/32 {"country":{"iso_code":"DE"},"city":{"names":{"en":"Köln"}}}
END
printf '203.0.113.0\t24\t64510_64511\n192.0.2.0\t24\t1\n' | gzip >"$W/v4.pfx2as.gz"
printf '2001:db9::\t32\t64512,64513\n' >"$W/v6.pfx2as"
cat >"$W/hosts" <<'END'
{"ip":"192.0.2.1","last_seen":"2026-01-01T00:00:00Z"}
{"ip":"192.0.2.129","last_seen":"2026-01-01T00:00:00Z"}
{"ip":"192.0.2.2","asn":7,"country_code":"BE","last_seen":"2026-01-01T00:00:00Z"}
{"ip":"192.0.2.3","asn":64500,"as_name":"Own name","country_code":"NL","region":"Zeeland","last_seen":"2026-01-01T00:00:00Z"}
{"ip":"198.51.100.1","last_seen":"2026-01-01T00:00:00Z"}
{"ip":"203.0.113.9","last_seen":"2026-01-01T00:00:00Z"}
{"ip":"2001:db8::1","last_seen":"2026-01-01T00:00:00Z"}
{"ip":"2001:db9::1","last_seen":"2026-01-01T00:00:00Z"}
{"ip":"10.0.0.1","last_seen":"2026-01-01T00:00:00Z"}
END

sql "DELETE FROM host" >/dev/null
import "$W/hosts"
is "$OUT$(facts 192.0.2.1)" "9 read, 9 new, 0 changed, 0 unchanged, 0 bad, 0 skipped" "nothing is added without a database"
is "$(ctl enrich hosts 2>&1)" \
	"surfacectl: no database about addresses is open: see mmdb_asn, mmdb_city and pfx2as_ipv4 in surfaced.conf(5)" "enrich says that there is no database"

conf mmdb_asn "$W/asn.mmdb"
conf mmdb_city "$W/city.mmdb"
conf pfx2as_ipv4 "$W/v4.pfx2as.gz"
conf pfx2as_ipv6 "$W/v6.pfx2as"
is "$(ctl enrich hosts)" "9 read, 7 changed" "stored hosts are enriched by one command"
is "$(facts 192.0.2.1)" "64500|Example Net|192.0.2.0/25|NL|Utrecht|Zeist" "a host gets its network and its place"
is "$(facts 192.0.2.129)" "1|192.0.2.0/24|NL|Utrecht|Zeist" "an address that the database lacks gets the AS of a prefix file"
is "$(facts 192.0.2.2)" "7|BE" "members of another AS or country are not mixed with those of the host"
is "$(facts 192.0.2.3)" "64500|Own name|192.0.2.0/25|NL|Zeeland" "members that the host has are kept (C-892)"
is "$(facts 198.51.100.1)" "64501|198.51.100.0/24" "the country where a network is registered is not the place of a host"
is "$(facts 203.0.113.9)" "64510|203.0.113.0/24" "of several origins of a prefix the first one counts"
is "$(facts 2001:db8::1)" "64502|Six|2001:db8::/32|DE|Köln" "IPv6 addresses are enriched"
is "$(facts 2001:db9::1)" "64512|2001:db9::/32" "a second prefix file has the prefixes of IPv6"
is "$(facts 10.0.0.1)" "" "an address that no database knows gets nothing"
is "$(ctl enrich hosts)" "9 read, 0 changed" "a second run changes nothing"
is "$(ctl --json enrich hosts)" '{"read":9,"changed":0}' "the summary is JSON on request"

before=$(sql "SELECT md5(string_agg(doc::text, '' ORDER BY ip)) FROM host")
sql "DELETE FROM host" >/dev/null
import "$W/hosts"
is "$(facts 192.0.2.1)" "64500|Example Net|192.0.2.0/25|NL|Utrecht|Zeist" "an import adds what enrich adds"
is "$(sql "SELECT md5(string_agg(doc::text, '' ORDER BY ip)) FROM host")" "$before" \
	"hosts are equal whether they are enriched at their import or later (C-892)"
import "$W/hosts"
is "$OUT" "9 read, 0 new, 0 changed, 9 unchanged, 0 bad, 0 skipped" "an enriched file that is imported again changes nothing"
sql "DELETE FROM host" >/dev/null
import --no-enrich "$W/hosts"
is "$(facts 192.0.2.1)" "" "--no-enrich stores hosts as they were read"

t/helper/mmdb flat "$W/flat.mmdb" <<'END' || exit 1
192.0.2.0/24 {"asn":"AS64520","as_name":"Flat","country":"FR","country_name":"France"}
END
conf mmdb_asn "$W/flat.mmdb"
conf mmdb_city "$W/flat.mmdb"
ctl enrich hosts --quiet
is "$(facts 192.0.2.1)" "64520|Flat|192.0.2.0/24|FR" "a flat database is understood"
conf mmdb_asn "$W/asn.mmdb"
conf mmdb_city "$W/city.mmdb"
ctl enrich hosts --quiet
is "$(facts 192.0.2.1)" "64520|Flat|192.0.2.0/24|FR" "a newer database does not replace what is there"
ctl enrich hosts --quiet --replace
is "$(facts 192.0.2.1)" "64500|Example Net|192.0.2.0/25|NL|Utrecht|Zeist" "--replace stores the facts of the newer database (C-892)"
is "$(facts 192.0.2.2)" "64500|Example Net|192.0.2.0/25|NL|Utrecht|Zeist" "--replace takes each group as a whole"
is "$(sql "SELECT kind, what::json #>> '{before,as_name}', what::json #>> '{after,as_name}' FROM record_event
	WHERE dataset = 1 AND key = '\x04c0000201' ORDER BY at DESC, seq DESC LIMIT 1")" "2|Flat|Example Net" \
	"a host that enrich changes has an event of it (C-412)"

head -c 300 "$W/asn.mmdb" >"$W/cut.mmdb"
printf 'no prefix\n203.0.113.0\t24\t9\n' >"$W/broken.pfx2as"
conf mmdb_asn "$W/cut.mmdb"
conf mmdb_city "$W/none.mmdb"
conf pfx2as_ipv4 "$W/broken.pfx2as"
conf pfx2as_ipv6
sql "DELETE FROM host" >/dev/null
import "$W/hosts"
is "$STATUS $OUT" "0 9 read, 9 new, 0 changed, 0 unchanged, 0 bad, 0 skipped" "databases that cannot be used do not stop an import"
is "$(printf '%s\n' "$ERR" | grep -c -e "^surfacectl: $W/cut.mmdb: " -e "^surfacectl: $W/none.mmdb: " \
	-e "^surfacectl: $W/broken.pfx2as: 1 malformed lines were skipped")" 3 "each of them is named with its fault"
is "$(facts 203.0.113.9)" "9|203.0.113.0/24" "the good lines of a prefix file are used"
