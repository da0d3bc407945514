#!/bin/sh
# SPDX-License-Identifier: ISC
# surfacectl import names the known formats that it does not read, and says what to do instead.
. t/lib.sh
pg_start

# refused DATASET WHAT ADVICE: standard input is named, and the message has the advice.
refused()
{
	cat >"$W/file"
	import_records "$1" "$W/file"
	like "$STATUS $OUT$ERR" "^1 surfacectl: $W/file is $2, which is not read; .*$3" "import $1 names $2 and what to do (C-893)"
	gzip -c "$W/file" >"$W/file.gz"
	import_records "$1" "$W/file.gz"
	like "$STATUS $OUT$ERR" "^1 surfacectl: $W/file.gz is $2, which is not read" "import $1 names $2 in a compressed file"
}
refused hosts "output of Shodan" "ndjson" <<'END'
{"ip_str":"192.0.2.1","ip":3221225985,"port":443,"transport":"tcp","data":"HTTP/1.1 200 OK","timestamp":"2026-01-02T03:04:05.000000","hostnames":["a.example"],"location":{"country_code":"DE"},"asn":"AS64500"}
END
refused hosts "output of Censys" "ndjson" <<'END'
{"ip":"192.0.2.1","services":[{"port":443,"service_name":"HTTP","transport_protocol":"TCP"}],"location":{"country":"Germany"},"autonomous_system":{"asn":64500}}
END
refused certificates "an answer of crt.sh" "pem" <<'END'
[{"issuer_ca_id":183267,"issuer_name":"C=US, O=Let's Encrypt, CN=R3","common_name":"a.example","name_value":"a.example\nb.example","id":1,"not_before":"2026-01-01T00:00:00"}]
END
refused dns "output of subfinder" "dnsx" <<'END'
{"host":"www.a.example","input":"a.example","source":"crtsh"}
END
refused dns "a list of names" "dnsx" <<'END'
www.a.example
mail.a.example
END
refused hosts "output of rustscan" "oX" <<'END'
192.0.2.1 -> [22,80,443]
END
refused hosts "the plain output of nmap" "oX" <<'END'
# Nmap 7.94 scan initiated Fri Jan  2 03:04:05 2026 as: nmap -oG file.gnmap 192.0.2.1
Host: 192.0.2.1 ()	Ports: 22/open/tcp//ssh//OpenSSH 9.2p1/
END
refused dns "output of amass" "dnsx" <<'END'
{"name":"www.a.example","domain":"a.example","addresses":[{"ip":"192.0.2.1","cidr":"192.0.2.0/24","asn":64500,"desc":"X"}],"tag":"cert","sources":["Crtsh"]}
END
refused dns "output of amass" "dnsx" <<'END'
www.a.example (FQDN) --> a_record --> 192.0.2.1 (IPAddress)
END
refused dns "the plain output of dnsdbq" "dnsdbq -j" <<'END'
;; record times: 2026-01-01 00:00:00 .. 2026-01-02 00:00:00
;; count: 7; bailiwick: a.example.
www.a.example.  A  192.0.2.1
END
refused dns "a zone file" "ndjson" <<'END'
$ORIGIN a.example.
$TTL 3600
@ IN SOA ns.a.example. host.a.example. 1 2 3 4 5
END
refused dns "a zone file" "ndjson" <<'END'
; the zone a.example
a.example.	3600	IN	SOA	ns.a.example. host.a.example. 1 2 3 4 5
END
refused dns "a log of Zeek" "ndjson" <<'END'
#separator \x09
#fields	ts	uid	id.orig_h
END
refused dns "a log of Zeek" "ndjson" <<'END'
{"ts":1767323045.0,"uid":"C1","id.orig_h":"192.0.2.1","id.orig_p":1,"query":"a.example"}
END
refused hosts "a list of URLs" "httpx -json" <<'END'
https://a.example/
END

echo '<?xml version="1.0"?><nmaprun scanner="nmap"><host><status state="up"/><address addr="192.0.2.1" addrtype="ipv4"/><ports><port protocol="tcp" portid="53"><state state="open"/><script id="dns-zone-transfer" output="&#xa;a.example. IN SOA x"/></port></ports></host></nmaprun>' >"$W/file"
import_records hosts "$W/file"
is "$STATUS $OUT" "0 1 read, 1 new, 0 changed, 0 unchanged, 0 bad, 0 skipped" "a file of nmap that prints a zone is no zone file"
import_records hosts --format ndjson - <<'END'
{"ip":"192.0.2.2","services":[{"port":1}]}
END
is "$STATUS" 0 "a format that is named is read as it is"
echo hello >"$W/file"
import_records certificates "$W/file"
is "$STATUS $ERR" "1 surfacectl: $W/file is in no format known here; name one with --format: ndjson, pem, der, ct, ct-tile, certstream, tlsx, httpx, zgrab2" \
	"the message about an unknown format lists the formats of the dataset"
