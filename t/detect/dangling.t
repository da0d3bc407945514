#!/bin/sh
# SPDX-License-Identifier: ISC
# The detector dangling-dns: C-169 to C-175 with real documents. t/unit/dangling.c has every kind and counter case.
. t/lib.sh
. t/helper/detect.sh
pg_start
index_start
echo 'detect_poll = 50' >>"$W/etc/surfaced-detect.conf"
api_start
web_start

# A time so many days before an hour ago; the clock of this script stands.
T=$(date +%s)
ago() { date -u -d "@$((T - 3600 - $1 * 86400))" +%Y-%m-%dT%H:%M:%SZ; }
# dns HOST TYPE RCODE ANSWER FROM [UNTIL]: stores a record that was seen from so many days ago until so many days ago; ANSWER -: none
dns()
{
	printf '{"host":"%s","record_type":"%s","rcode":"%s"%s,"first_seen":"%s","last_seen":"%s"}\n' "$1" "$2" "$3" \
		"$([ "$4" = - ] || printf ',"answer":"%s"' "$4")" "$(ago "$5")" "$(ago "${6:-$5}")"
}
store()
{
	ctl import dns --format ndjson - >"$W/out" 2>"$W/err" || diag "$(cat "$W/err")"
}
whois() { printf '{"domain":"%s","whois":{"registrar":"R","expires_at":"%s"},"last_seen":"%s"}\n' "$1" "$(ago "$2")" "$(ago 3)" |
	ctl import whois --format ndjson - >/dev/null 2>"$W/err" || diag "$(cat "$W/err")"; }
# The findings of the project: kind, host, target, severity, status.
found()
{
	sql "SELECT concat_ws(' ', kind, host, target, severity, status) FROM dangling_dns WHERE project_uuid = '$P' AND ${1:-true} ORDER BY 1"
}
asset() { echo "{\"kind\":\"$1\",\"name\":\"$2\"${3-}}" | ctl import assets --project "$P" - >/dev/null 2>"$W/err" || diag "$(cat "$W/err")"; }
EB=x.eu-west-1.elasticbeanstalk.com

asset domain acme.com
detect_start
detect_idle
{
	dns shop.acme.com CNAME NOERROR $EB 20 2
	dns $EB A NXDOMAIN - 10 2
} | store
detect_idle
is "$(found)" "cname_claimable shop.acme.com $EB high open" "a claimable name is found when its records are imported (C-169)"
is "$(sql "SELECT first_seen_at::text || ' ' || (SELECT kind || ' ' || name FROM asset a WHERE a.uuid = asset_uuid) FROM dangling_dns")" \
	"$(sql "SELECT '$(ago 10)'::timestamptz || ' domain acme.com'")" "the finding has the times of the data and the asset"
api GET "/projects/$P/esi/dangling-dns"
is "$STATUS $(field '.findings[0]|[.kind,.host,.record_type,.target,.provider,.claim,.confidence,(.chain|length),.chain[1].rcode]|tojson')" \
	"200 [\"cname_claimable\",\"shop.acme.com\",\"CNAME\",\"$EB\",\"AWS Elastic Beanstalk\",\"open\",0.9,2,\"NXDOMAIN\"]" "the area shows the finding and its chain"
events() { sql "SELECT string_agg(e.event, ' ' ORDER BY e.id) FROM finding_event e JOIN dangling_dns d ON d.uuid = e.finding_uuid WHERE d.host = '$1'"; }
before=$(sql "SELECT uuid, xmin, last_seen_at FROM finding ORDER BY uuid; SELECT count(*) FROM audit")
{
	dns shop.acme.com CNAME NOERROR $EB 20 2
	dns $EB A NXDOMAIN - 10 2
} | store
detect_idle
is "$(sql "SELECT uuid, xmin, last_seen_at FROM finding ORDER BY uuid; SELECT count(*) FROM audit")" "$before" \
	"a run over unchanged data changes no row (C-127)"

# ---- the way back from a target ----

{
	seq 1 250 | while read -r n; do dns "a$n.others.example" CNAME NOERROR crowd.elasticbeanstalk.com 20 2; done
	dns z.acme.com CNAME NOERROR crowd.elasticbeanstalk.com 20 2
} | store
is "$(sql "SELECT string_agg(name, ' ') FROM dangling_affected('{crowd.elasticbeanstalk.com}', '{}', '{}', 200, 5000)")" z.acme.com \
	"of many names that lead to a target, those of projects are looked at first"

dns a.acme.com CNAME NOERROR b.cdn.net 3 2 | store
dns b.cdn.net CNAME NOERROR y.eu-west-1.elasticbeanstalk.com 3 2 | store
detect_idle
is "$(found "host = 'a.acme.com'")" "" "a chain whose end is unknown gives no finding"
dns y.eu-west-1.elasticbeanstalk.com A NXDOMAIN - 2 | store
detect_idle
is "$(found "host = 'a.acme.com'")" "cname_claimable a.acme.com y.eu-west-1.elasticbeanstalk.com high open" \
	"a chain is found from its beginning when the end changes (C-170)"
dns mx.acme.com MX NOERROR '10 Mail.Gone.NET.' 3 2 | store
dns acme.com TXT NOERROR '\"v=spf1 include:_spf.gone.net ~all\"' 3 2 | store
detect_idle
is "$(found "target LIKE '%gone.net'")" "" "records that lead to a domain without any data give no finding"
dns gone.net NS NXDOMAIN - 2 | store
detect_idle
is "$(found "target LIKE '%gone.net'")" "mx_unregistered mx.acme.com mail.gone.net high open
spf_include_unregistered acme.com _spf.gone.net medium open" "names that lead below a domain are looked at when the domain vanishes"
is "$(sql "SELECT string_agg(DISTINCT confidence::text, ' ') FROM dangling_dns WHERE target LIKE '%gone.net'")" "0.7" "without a registration the confidence is 0.7"
whois gone.net 30
detect_idle
is "$(sql "SELECT string_agg(DISTINCT confidence::text, ' ') FROM dangling_dns WHERE target LIKE '%gone.net'")" "0.9" "an expired registration raises the confidence (C-841)"
is "$(events mx.acme.com)" "found changed" "the history of the finding has the change of its confidence"

# ---- names of others' making ----

{
	dns '=x.acme.com' CNAME NOERROR $EB 3 2
	dns '+x.acme.com' CNAME NOERROR $EB 3 2
} | store
detect_idle
is "$(sql "SELECT count(*) FROM detector_state WHERE error IS NOT NULL") $(sql "SELECT count(*) FROM detector_work")" "0 0" \
	"names that begin like subjects of another kind are left out"

# ---- assets that come later ----

{
	dns old.zeta.org CNAME NOERROR z.azurewebsites.net 3 2
	dns z.azurewebsites.net A NXDOMAIN - 2
	dns www.zeta.org CNAME NOERROR z.azurewebsites.net 3 2
} | store
detect_idle
is "$(found "host LIKE '%zeta.org'")" "" "names that no project owns give no finding"
asset host old.zeta.org
detect_idle
is "$(found "host LIKE '%zeta.org'")" "cname_claimable old.zeta.org z.azurewebsites.net high open" "a new host is looked at, and no other name of its domain"
asset domain zeta.org
detect_idle
is "$(found "host LIKE '%zeta.org'")" "cname_claimable old.zeta.org z.azurewebsites.net high open
cname_claimable www.zeta.org z.azurewebsites.net critical open" "a new domain is looked at with all names below it"

# ---- clearing, C-174 ----

uuid=$(sql "SELECT uuid FROM dangling_dns WHERE host = 'shop.acme.com'")
status() { sql "SELECT status, resolved_by_membership_uuid IS NULL FROM finding WHERE uuid = '$uuid'"; }
printf '{"host":"shop.acme.com","record_type":"CNAME","rcode":"NXDOMAIN","last_seen":"%s"}\n' "$(date -u -d "@$((T - 3600 - 43 * 3600))" +%Y-%m-%dT%H:%M:%SZ)" | store
detect_idle
is "$(status)" "open|t" "a record that was removed five hours later does not close the finding yet (C-174)"
dns shop.acme.com CNAME NXDOMAIN - 1 | store
detect_idle
is "$(status)" "resolved|t" "a record that is gone for a day closes the finding (C-174)"
{
	dns shop.acme.com CNAME NOERROR $EB 0
	dns $EB A NXDOMAIN - 0
} | store
detect_idle
is "$(status)" "open|t" "the record that is back opens the same finding (C-174)"
dns y.eu-west-1.elasticbeanstalk.com A NOERROR 192.0.2.1 0 | store
detect_idle
is "$(found "host = 'a.acme.com'")" "cname_claimable a.acme.com y.eu-west-1.elasticbeanstalk.com high resolved" "a target that resolves closes the finding"

# ---- wildcards, C-171 ----

{
	one=$(dns NAME.acme.com CNAME NOERROR w.westeurope.cloudapp.azure.com 3 2)
	seq -f 'w%g' 1 500 | while read -r name; do printf '%s\n' "${one%%NAME*}$name${one#*NAME}"; done
	dns '*.acme.com' CNAME NOERROR w.westeurope.cloudapp.azure.com 3 2
	dns w.westeurope.cloudapp.azure.com A NXDOMAIN - 2
} | store
detect_idle
is "$(found "target LIKE 'w.%'")" "cname_claimable *.acme.com w.westeurope.cloudapp.azure.com high open" "500 names under one wildcard give one finding (C-171)"

# ---- providers that change, C-175 ----

provider() { echo "[{\"service\":\"Names\",\"cname\":[\"names.example.net\"],\"fingerprint\":\"\",\"nxdomain\":true,\"status\":\"\",\"vulnerable\":$1}]" |
	ctl import takeovers - >/dev/null 2>"$W/err" || diag "$(cat "$W/err")"; }
provider true
{
	dns p.acme.com CNAME NOERROR p.names.example.net 3 2
	dns p.names.example.net A NXDOMAIN - 2
} | store
detect_idle
is "$(found "host = 'p.acme.com'")" "cname_claimable p.acme.com p.names.example.net high open" "a provider that an import added is recognised"
uuid=$(sql "SELECT uuid FROM dangling_dns WHERE host = 'p.acme.com'")
provider false
detect_idle
is "$(found "host = 'p.acme.com'") $(sql "SELECT uuid FROM dangling_dns WHERE host = 'p.acme.com'")" \
	"stale_record p.acme.com p.names.example.net low open $uuid" "a provider that prevents claims lowers the severity of the same finding (C-175)"
is "$(events p.acme.com)" "found changed" "the lowered finding has an event (C-175)"

# ---- addresses ----

{
	dns ip.acme.com A NOERROR 203.0.113.9 5 1
} | store
ctl import cloud-prefixes t/cli/data/lists/ip-ranges.json >/dev/null
# host FROM UNTIL NAME: the address shows a certificate of NAME
host()
{
	printf '{"ip":"203.0.113.9","last_seen":"%s","services":[{"port":443,"transport":"tcp","first_seen":"%s","last_seen":"%s","tls":{"certificate":{"fingerprint_sha256":"%s","names":["%s"],"self_signed":false}}}]}\n' \
		"$(ago "$2")" "$(ago "$1")" "$(ago "$2")" "$(printf %s "$3" | sha256sum | cut -c1-64)" "$3" |
		ctl import hosts --format ndjson --no-enrich - >/dev/null 2>"$W/err" || diag "$(cat "$W/err")"
}
host 9 4 www.acme.com
detect_idle
is "$(found "kind = 'address_released'")" "" "an address that shows the project's certificate gives none (C-173)"
host 3 3 www.other.org
detect_idle
is "$(found "kind = 'address_released'")" "" "one observation of another certificate gives no finding (C-173)"
host 3 1 www.other.org
detect_idle
is "$(found "kind = 'address_released'")" "address_released ip.acme.com 203.0.113.9 medium open" "another certificate for a day makes the address released (C-173)"
asset address 203.0.113.7 ',"metadata":{"allocated":true}'
detect_idle
is "$(found "kind = 'address_released'")" "address_released ip.acme.com 203.0.113.9 high open" "allocations that are declared at the provider raise the severity (C-844)"

# ---- pages ----

dns page.acme.com CNAME NOERROR b.surge.sh 3 2 | store
# page BODY DAY: a capture of the host
page()
{
	printf '{"url":"https://page.acme.com/","content_type":"text/html","body_base64":"%s","captured_at":"%s"}\n' \
		"$(printf %s "$1" | base64 -w0)" "$(ago "$2")" | ctl import content --project "$P" - >/dev/null 2>"$W/err"
}
page 'our shop' 2
detect_idle
is "$(found "host = 'page.acme.com'")" "" "a page of the project's own gives none"
page '<h1>project not found</h1>' 1
detect_idle
is "$(found "host = 'page.acme.com'")" "cname_page page.acme.com b.surge.sh high open" "a capture of a provider's page for unclaimed names makes a finding (C-169)"
page 'our shop' 0
detect_idle
is "$(found "host = 'page.acme.com'")" "cname_page page.acme.com b.surge.sh high resolved" "a newer capture without that page closes the finding (C-842)"

# Two stores answer unclaimed names with one text: the alias decides, and importing one does not hide the other.
store_of() { printf '{"service":"%s","cname":["%s"],"fingerprint":"The specified bucket does not exist","nxdomain":false,"status":"Vulnerable","vulnerable":true}' "$1" "$2"; }
printf '[%s,%s]' "$(store_of 'Store one' one.example.net)" "$(store_of 'Store two' two.example.net)" | ctl import takeovers - >/dev/null
for n in one two; do
	dns $n.acme.com CNAME NOERROR b.$n.example.net 3 2
	dns $n-s3.acme.com CNAME NOERROR $n.s3.amazonaws.com 3 2
done | store
for n in one two one-s3 two-s3; do
	printf '{"url":"https://%s.acme.com/","body_base64":"%s","captured_at":"%s"}\n' $n \
		"$(printf '<Code>NoSuchBucket</Code><Message>The specified bucket does not exist</Message>' | base64 -w0)" "$(ago 1)"
done | ctl import content --project "$P" - >/dev/null 2>"$W/err"
detect_idle
is "$(sql "SELECT string_agg(host || ' ' || provider, ', ' ORDER BY host) FROM dangling_dns WHERE kind = 'cname_page' AND status = 'open'")" \
	"one-s3.acme.com AWS S3, one.acme.com Store one, two-s3.acme.com AWS S3, two.acme.com Store two" \
	"a page that fits several providers is that of the provider to which the alias leads (C-842)"

# ---- a zone that its provider does not serve ----

for n in 1 2 3; do dns lame.acme.com NS NOERROR ns$n.digitalocean.com 4 2; done | store
dns lame.acme.com SOA REFUSED - 4 2 | store
detect_idle
is "$(found "kind = 'ns_lame'")" "ns_lame lame.acme.com ns1.digitalocean.com high open" "three servers of one forgotten zone give one finding (C-843)"
api GET "/projects/$P/esi/dangling-dns?kind=ns_lame"
is "$(field '.findings[0].chain|map(.name)|join(" ")')" "lame.acme.com ns1.digitalocean.com ns2.digitalocean.com ns3.digitalocean.com" \
	"the chain of a zone that is not served has each of its servers (C-843)"
before=$(sql "SELECT finding_key FROM finding WHERE title LIKE 'lame.acme.com %'")
for n in 2 3; do dns lame.acme.com NS NOERROR ns$n.digitalocean.com 1; done | store
dns lame.acme.com SOA REFUSED - 4 1 | store
detect_idle
is "$(found "kind = 'ns_lame'") $(sql "SELECT finding_key FROM finding WHERE title LIKE 'lame.acme.com %'")" \
	"ns_lame lame.acme.com ns2.digitalocean.com high open $before" "a zone with another first server keeps its finding"

# ---- a registry that answers that a domain is not registered ----

{
	dns free.acme.com CNAME NOERROR x.free.net 3 2
	dns free.net A NXDOMAIN - 3 2
} | store
detect_idle
is "$(found "host = 'free.acme.com'")" "cname_unregistered free.acme.com x.free.net high open" "NXDOMAIN alone does not show that a domain is free (C-841)"
printf '{"errorCode":404,"title":"Not Found"}' | ctl import whois --domain free.net --seen "$(ago 1)" - >/dev/null
detect_idle
is "$(found "host = 'free.acme.com'")" "cname_unregistered free.acme.com x.free.net critical open" "an RDAP answer 404 shows that the domain is free (C-841)"
is "$(sql "SELECT evidence -> 'reasons' -> 0 ->> 'code' FROM finding WHERE title LIKE 'free.acme.com %'")" domain_nxdomain_not_registered \
	"the finding names the registry's answer as its reason"
printf '{"domain":"free.net","whois":{"registrar":"R","expires_at":"%s"},"last_seen":"%s"}' "$(ago -300)" "$(ago 0)" |
	ctl import whois --format ndjson - >/dev/null
detect_idle
is "$(found "host = 'free.acme.com' AND status = 'open'")" "stale_record free.acme.com x.free.net low open" \
	"a registration that is seen later replaces the registry's answer"
