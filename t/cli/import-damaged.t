#!/bin/sh
# SPDX-License-Identifier: ISC
# A bad element of a file costs itself and none of its neighbours, in each format that is one document: the XML of nmap and
# masscan, and lists of JSON. nmap-7.94-control.xml is as nmap 7.94 writes it: the name of a service that it could not identify has
# references to control characters, which XML does not allow.
. t/lib.sh
pg_start
DATA=t/cli/data

docs() { sql "SELECT doc FROM record ORDER BY dataset, key" | sed "s/\"$(date -u +%Y-%m-%dT)[^\"]*\"/\"NOW\"/g"; }
clear() { sql "TRUNCATE record CASCADE"; }
services() { docs | jq -r '"\(.ip | sub(".*[.]"; "")) \([.services[] | "\(.port)=\(.product // "-") \(.version // "-")"] | join(","))"'; }
# from ARGUMENT...: imports into an empty database.
from()
{
	clear
	import_records "$@"
}

# ---- XML ----

from hosts $DATA/hosts/nmap-7.94-control.xml
is "$STATUS $OUT $ERR" "0 3 read, 3 new, 0 changed, 0 unchanged, 0 bad, 0 skipped " \
	"a reference to a control character costs no host of nmap's file"
is "$(services)" "16 22=OpenSSH 9.2p1
17 22=OpenSSH 8.4p1,445=Samba smbd 4.9.5
18 22=Dropbear sshd 2022.83" "all ports and products of a file with control characters are stored"
is "$(docs | jq -c 'select(.ip == "203.0.113.17").services[1] | [.service_name, .protocol, .banner]')" '[null,null,"Samba smbd 4.9.5"]' \
	"the name of a service that consists of its bytes is left out"

# host N [ELEMENTS]: a host with port 22.
host() { printf '<host starttime="1790000001" endtime="1790000040"><status state="up"/><address addr="198.51.100.%d" addrtype="ipv4"/>%s<ports><port protocol="tcp" portid="22"><state state="open"/><service name="ssh" product="OpenSSH"/></port></ports></host>\n' "$1" "${2-}"; }
head='<?xml version="1.0" encoding="UTF-8"?><!DOCTYPE nmaprun><nmaprun scanner="nmap" start="1790000000">'
# scan ELEMENTS: a file of nmap with these between two hosts.
scan() { { echo "$head" && host 1 && printf '%s\n' "$1" && host 9 && echo '</nmaprun>'; } >"$W/scan.xml"; }
# name VALUE: the second host with this attribute of a name.
name() { scan "$(host 5 "<hostnames><hostname name=\"$1\" type=\"PTR\"/><hostname name=\"good.example\" type=\"user\"/></hostnames>")"; }
ips() { docs | jq -r '.ip | sub(".*[.]"; "")' | sort -n | tr '\n' ' '; }

while IFS='|' read -r value what; do
	name "$(printf %b "$value")"
	from hosts "$W/scan.xml"
	is "$STATUS $(ips)$ERR" "0 1 5 9 " "a host with $what in a name is read with its neighbours"
	is "$(docs | jq -c 'select(.ip == "198.51.100.5") | [.ptr, .hostnames]')" '[null,["good.example"]]' "a name with $what is left out, and no other name is made of it"
done <<'E2'
a&#x1;b.example|a reference to a control character
a&#0;b.example|a reference to the character 0
a&#xd800;b.example|a reference to a surrogate
a&#x110000;b.example|a reference to no character
a\0001b.example|a control character
a\0377b.example|a byte that is no UTF-8
a\0303b.example|half a character
a & b.example|an ampersand
E2
for value in 'a&nbsp;b' 'a&amp;b' 'a&#38;b'; do
	name "$value"
	from hosts "$W/scan.xml"
	is "$STATUS $(ips)$ERR" "0 1 5 9 " "a host with $value in a name is read with its neighbours"
done

# bad TITLE MESSAGE ELEMENTS: the elements between two hosts are one bad record, and both hosts are read.
bad()
{
	scan "$3"
	from hosts "$W/scan.xml"
	like "$STATUS $(ips)$OUT|$ERR" "^1 1 9 3 read, 2 new, .* 1 bad, 0 skipped[|].*scan.xml:$2$" "$1 costs itself (C-906)"
}
bad "a host with a tag that is not closed" \
	'3: mismatched tag, in the host 198.51.100.5; reading goes on at the next host' "$(host 5 '<hostnames><hostname name="a">')"
bad "a host that ends within a tag" '4: not well-formed \(invalid token\), in the host 198.51.100.5; reading goes on at the next host' \
	"$(host 5 | cut -c 1-150)"
bad "an attribute without quotes" '3: not well-formed \(invalid token\), in the host 198.51.100.5; reading goes on at the next host' "$(host 5 '<a b=c/>')"
bad "an attribute that is there twice" '3: duplicate attribute, in the host 198.51.100.5; reading goes on at the next host' "$(host 5 '<a b="1" b="2"/>')"
bad "an element without an end between two hosts" '3: .*; reading goes on at the next host' '<prescript <x>'
bad "a host with many levels" '3: elements are nested too deep, in the host 198.51.100.5; reading goes on at the next host' \
	"$(host 5 "$(seq 80 | sed 's/.*/<a>/' | tr -d '\n')")"
{ echo "$head"; host 1; printf '<host><a b="'; head -c 9000000 /dev/zero | tr '\0' x; echo '"/></host>'; host 9; echo '</nmaprun>'; } >"$W/long.xml"
from hosts "$W/long.xml"
like "$STATUS $(ips)$ERR" '^1 1 9 .*long.xml:3: a tag is too long; reading goes on at the next host$' "a tag of 9 MB costs its host"
{ echo "$head"; for i in $(seq 1 99); do host "$i"; [ $((i % 3)) != 0 ] || host 200 '<oops>'; done; echo '</nmaprun>'; } >"$W/many.xml"
from hosts "$W/many.xml"
is "$STATUS $OUT $(printf '%s\n' "$ERR" | tail -1 | cut -d: -f2)" "1 132 read, 99 new, 0 changed, 0 unchanged, 33 bad, 0 skipped 133" \
	"33 bad hosts of a file cost 33 hosts, and lines are counted through all of them"
gzip -c "$W/many.xml" >"$W/many.xml.gz"
from hosts "$W/many.xml.gz"
is "$OUT" "132 read, 99 new, 0 changed, 0 unchanged, 33 bad, 0 skipped" "a compressed file loses the same hosts"

name a.example
{ cat "$W/scan.xml"; sed 's/198.51.100./203.0.113./' "$W/scan.xml"; } >"$W/joined.xml"
from hosts "$W/joined.xml"
is "$STATUS $OUT $ERR" "0 6 read, 6 new, 0 changed, 0 unchanged, 0 bad, 0 skipped " "files of nmap that were joined are read one after the other"
{ head -2 "$W/scan.xml"; sed -n 3p "$W/scan.xml" | cut -c 1-150; sed 's/198.51.100./203.0.113./' "$W/scan.xml"; } >"$W/joined.xml"
from hosts "$W/joined.xml"
like "$STATUS $OUT $ERR" '^1 5 read, 4 new, 0 changed, 0 unchanged, 1 bad, 0 skipped .*; reading goes on at the next host$' "a file that was cut off does not spoil the file behind it"
sed '0,/<host /s//<host <&/' "$DATA/hosts/masscan-1.3.xml" >"$W/masscan.xml"
from hosts "$W/masscan.xml"
like "$STATUS $OUT" '^1 [89] read, 2 new, 0 changed, 0 unchanged, 1 bad, 0 skipped$' "a bad host of masscan's XML costs itself"

# Proofs of closed ports need whole files.
stored() { clear; echo '{"ip":"198.51.100.9","last_seen":"2026-01-01T00:00:00Z","services":[{"port":80}]}' >"$W/own"; import "$W/own"; }
info='<scaninfo type="syn" protocol="tcp" numservices="2" services="22,80"/>'
{ echo "$head$info"; host 1; host 5 '<oops>'; host 9; echo '</nmaprun>'; } >"$W/lost.xml"
stored
import --authoritative "$W/lost.xml"
is "$(services)" "1 22=OpenSSH -
9 22=OpenSSH -" "a host that nmap lists whole still proves its closed ports when another host is bad"
sed 's/scanner="nmap"/scanner="masscan"/' "$W/lost.xml" >"$W/lost-masscan.xml"
stored
import --authoritative "$W/lost-masscan.xml"
like "$(services)" '9 22=- -,80=- -$' "behind a bad host, masscan's XML proves no port closed: it may have been in that host (C-906)"
{ echo "$head$info"; host 1; echo '</nmaprun>'; echo "$head"; host 9; echo '</nmaprun>'; } >"$W/two.xml"
stored
import --authoritative "$W/two.xml"
like "$STATUS $ERR $(services | tail -1)" '^1 .*two.xml:4: another scan begins here, and --authoritative needs a file for each; its hosts lose no service 9 22=OpenSSH -,80=- -$' \
	"the ports of the first of two joined files prove nothing about hosts of the second"

# ---- lists of JSON ----

# lists DATASET FILE [OPTION...]: a bad element within the values of the file costs itself.
lists()
{
	dataset=$1 file=$2
	shift 2
	from "$dataset" "$@" "$file"
	there=$(docs) counts=$OUT
	n=$(jq -s length "$file")
	case $file in
	*naabu* | *cof*) all='{"x":[1} {"x":1 {"x":1]} {"x":} {"x"."y"} [1,2} nil' ;;
	*) all='{"x":[1} {"x":1' ;;
	esac
	for bad in $all; do
		jq -c . "$file" | sed "1s/\$/\\n$bad/" | paste -sd, | sed 's/.*/[&]/' >"$W/list"
		from "$dataset" "$@" "$W/list"
		is "$(docs)" "$there" "$bad as an element of a list on one line costs no record of ${file##*/}"
		like "$ERR" 'list:1: element 2 at byte [0-9]*: ' "the message names the element and the byte"
	done
	jq -s . "$file" | sed '0,/^  {$/s//  {\n    "x": "no end,\n    "y": [\n  },\n  {/' >"$W/list"
	from "$dataset" "$@" "$W/list"
	is "$(docs)" "$there" "an element of an indented list without its quote and brackets costs no record of ${file##*/}"
	{ jq -s . "$file" | head -n -2; echo '    "x": "cut'; } >"$W/list"
	from "$dataset" "$@" "$W/list"
	like "$OUT" "^$n read, .* [1-9][0-9]* bad," "a list of ${file##*/} that is cut off costs its last element"
}
for file in naabu-2.3 httpx-1.7 tlsx-1.2 zgrab2-1.0 nuclei-3.4 zmap-4.3; do
	lists hosts $DATA/hosts/$file.json --format ${file%%-*}
done
for file in cof-13 zdns-2.1 massdns-1.1 dnsx-1.2 sonar-fdns-v2; do
	lists dns $DATA/dns/$file.json --format ${file%%-*}
done
# two DATASET FORMAT BEFORE FIRST SECOND [OPTION...]: two elements behind BEFORE, with a bad one between them.
two()
{
	dataset=$1 format=$2 before=$3 first=$4 second=$5
	shift 5
	for bad in '{"x":[1}' '{"x":1' '[1,2}'; do
		printf '%s[%s,%s,%s]\n' "$before" "$first" "$bad" "$second" >"$W/list"
		from "$dataset" --format "$format" --seen 2026-03-01T00:00:00Z "$@" "$W/list"
		like "$STATUS $OUT" "^1 [34] read, ${two_new-2} new, 0 changed, 0 unchanged, [12] bad, 0 skipped$" \
			"$bad costs no record of a list of $dataset in the format $format"
	done
}
two hosts ndjson '' '{"ip":"192.0.2.1"}' '{"ip":"192.0.2.2"}'
masscan() { printf '{"ip":"192.0.2.%d","timestamp":"1768392000","ports":[{"port":80,"proto":"tcp","status":"open"}]}' "$1"; }
two hosts masscan '' "$(masscan 1)" "$(masscan 2)"
two dns ndjson '' '{"host":"a.example","record_type":"A","answer":"192.0.2.1"}' '{"host":"b.example","record_type":"A","answer":"192.0.2.1"}'
two whois ndjson '' '{"domain":"a.example"}' '{"domain":"b.example"}'
two whois rdap '{"domainSearchResults":' '{"objectClassName":"domain","ldhName":"a.example"}' '{"objectClassName":"domain","ldhName":"b.example"}'
two whois whoisjson '{"recordsCount":2,"records":' '{"domainName":"a.example"}' '{"domainName":"b.example"}'
sum=$(printf %064d 1)
two certificates ndjson '' "{\"not_before\":\"2026-01-01T00:00:00Z\",\"fingerprint_sha256\":\"$sum\"}" \
	"{\"not_before\":\"2026-01-02T00:00:00Z\",\"fingerprint_sha256\":\"$sum\"}"
message() { printf '{"message_type":"certificate_update","data":{"leaf_cert":{"sha256":"%064d","not_before":1767225600,"all_domains":["a.example"]},"seen":1767225600.0}}' "$1"; }
two certificates certstream '' "$(message 1)" "$(message 2)"
two open-directories ndjson '' '{"host":"a.example","port":80}' '{"host":"b.example","port":80}'
two_new=1
two open-directories autoindex '' '{"name":"a","type":"file"}' '{"name":"b","type":"file"}' --url http://192.0.2.7/
is "$(docs | jq -c '[[.files[].name], .truncated]')" '[["a","b"],true]' "a listing with a bad entry has its other files, and is not complete (C-929)"

# ---- bundles of STIX and events of MISP ----

indicator() { printf '{"type":"indicator","spec_version":"2.1","id":"indicator--00000000-0000-4000-8000-%012d","created":"2026-01-01T00:00:00Z","modified":"2026-01-01T00:00:00Z","pattern_type":"stix","pattern":"[domain-name:value = '"'d%d.example'"']","valid_from":"2026-01-01T00:00:00Z"}' "$1" "$1"; }
report='{"type":"report","spec_version":"2.1","id":"report--00000000-0000-4000-8000-000000000001","created":"2026-01-01T00:00:00Z","modified":"2026-01-01T00:00:00Z","published":"2026-01-01T00:00:00Z","name":"Damaged","object_refs":["indicator--00000000-0000-4000-8000-000000000001","indicator--00000000-0000-4000-8000-000000000002"]}'
found() { sql "SELECT string_agg(value, ' ' ORDER BY value) FROM indicator"; }
# bundle OBJECTS: imports them between two indicators.
bundle()
{
	sql "TRUNCATE report CASCADE" >/dev/null
	printf '{"type":"bundle","id":"bundle--1","objects":[%s,%s%s]}' "$(indicator 1)" "$1" "$(indicator 2)" >"$W/bundle.json"
	import_records reports --format stix "$W/bundle.json"
}
for bad in '{"type":"indicator",}' '{"type":"indicator" "id":"x"}' '{"type":"indicator","labels":["a"}' '{"type":[1,2,}' ''; do
	bundle "$report,$bad,"
	like "$STATUS $ERR $(found)" "d1[.]example d2[.]example$" "an object ${bad:-that is missing} costs no other object of a bundle"
done
bundle "$report,{\"type\":\"indicator\",},"
like "$ERR" 'element 3 at byte [0-9]* is no JSON and is left out' "an object of a bundle that is no JSON is named"
bundle "$(printf %s "$report" | sed 's/"name"/,"name"/'),"
like "$STATUS $(printf '%s\n' "$ERR" | tail -1)" '^1 .*has an object that is no JSON, and no report: the object may be the report' \
	"a bundle whose report may be the bad object is refused, since its marking is unknown"
head -c 900 "$W/bundle.json" >"$W/cut.json"
import_records reports --format stix "$W/cut.json"
like "$STATUS $(printf '%s\n' "$ERR" | tail -1)" '^1 .*is no JSON: byte' "a bundle that was cut off is refused"
attribute() { printf '{"type":"domain","category":"Network activity","to_ids":true,"uuid":"00000000-0000-4000-8000-%012d","value":"m%d.example"%s}' "$1" "$1" "${2-}"; }
sql "TRUNCATE report CASCADE" >/dev/null
printf '{"Event":{"uuid":"00000000-0000-4000-9000-000000000001","info":"Damaged","date":"2026-01-01","Attribute":[%s,%s,%s]}}' \
	"$(attribute 1)" "$(attribute 2 ',"Tag":[{"name":"tlp:red"]')" "$(attribute 3)" >"$W/event.json"
import_records reports --format misp "$W/event.json"
like "$STATUS $ERR $(found)" 'm1[.]example m3[.]example$' "an attribute of MISP whose tags are no JSON is left out as a whole, and costs no other one"
