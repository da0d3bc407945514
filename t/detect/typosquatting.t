#!/bin/sh
# SPDX-License-Identifier: ISC
# Watched domains and the detector typosquatting: C-178 to C-183.
. t/lib.sh
. t/helper/detect.sh
pg_start
index_start
api_start
web_start
stranger_new

D=/projects/$P/esi/typosquatting/domains
A=/projects/$P/esi/typosquatting

# dns HOST TYPE ANSWER|- RCODE SEEN [MEMBERS]: a record of DNS.
dns()
{
	printf '{"host":"%s","record_type":"%s",%s"rcode":"%s","first_seen":"%s","last_seen":"%s"%s}\n' "$1" "$2" \
		"$([ "$3" = - ] || printf '"answer":"%s",' "$3")" "$4" "$5" "$5" "${6-}"
}
put() { ctl import "$1" --format ndjson - >/dev/null; }
now() { date -u -d "${1:-now}" +%Y-%m-%dT%H:%M:%SZ; }
# certificate NAMES [DAYS-AGO] [FINGERPRINT-DIGIT]: NAMES with commas, each quoted.
certificate()
{
	printf '{"fingerprint_sha256":"%s","names":[%s],"not_before":"%s","not_after":"%s","last_seen":"%s"}\n' \
		"$(printf "%064d" "${3:-1}")" "$1" "$(now "-${2:-1} days")" "$(now "+90 days")" "$(now)"
}
found() { sql "SELECT evidence ->> 'found' || ' ' || (evidence ->> 'class') || ' ' || status FROM finding
	WHERE detector = 'typosquatting' AND project_uuid = '$P' ORDER BY 1"; }
watch() { api POST "$D" "$1"; field .domain.uuid; }

# ---- the record ----

api POST "$D" '{"domain":"PayPal.com","words":["Venmo"],"allow":["paypal-staff.com","braintree.*"]}'
is "$STATUS $(field '.domain|[.domain,.words,.allow,.min_score,.enabled]|tojson')" \
	'201 ["paypal.com",["venmo"],["paypal-staff.com","braintree.*"],70,true]' \
	"a watched domain has a canonical form, and needs a score of 70 before any import (C-845)"
one=$(field .domain.uuid)
api POST "$D" '{"domain":"paypal.com"}'
is "$STATUS $(field '.error.field_errors[0]|.field+" "+.code')" "400 domain duplicate" "a domain cannot be watched twice in a project"
for bad in com co.uk www.example.com nothing.invalid "" 'a b.com'; do
	api POST "$D" "{\"domain\":\"$bad\"}"
	is "$STATUS $(field '.error.field_errors[0].field')" "400 domain" "the domain '$bad' is refused"
done
api POST "$D" '{"domain":"example.org","words":["ab","a_b"],"allow":["*.*"],"min_score":101}'
is "$STATUS $(field '[.error.field_errors[].field]|sort|join(" ")')" "400 allow[0] min_score words[0] words[1]" \
	"all faults of a watched domain are in one answer"
api GET "$D/$one"
is "$STATUS $(field .domain.domain)" "200 paypal.com" "a watched domain can be read"
api PUT "$D/$one" '{"min_score":55,"allow":["paypal-staff.com"]}'
is "$STATUS $(field '.domain|[.words,.min_score]|tojson')" '200 [[],55]' "a PUT gives members that are not sent their defaults"
api GET "$D"
is "$STATUS $(field '[.domains[].domain]|join(" ")')" "200 paypal.com" "watched domains are a list"
api GET "/projects/$PROJECT2/esi/typosquatting/domains/$one"
is "$STATUS" 404 "a project that the key does not reach has no watched domains"
api DELETE "$D/$one"
is "$STATUS $(field .domain.domain)" "200 paypal.com" "a watched domain can be deleted"
api GET "$D/$one"
is "$STATUS $(field .error.code)" "404 typosquatting_domain_not_found" "a deleted watched domain is not found"
for n in $(seq 1 100); do
	api POST "$D" "{\"domain\":\"x$n.com\"}"
	field .domain.uuid
done >"$W/tmp/watched"
api POST "$D" '{"domain":"example.org"}'
is "$STATUS $(field .error.code)" "409 typosquatting_limit_exceeded" "a project has at most 100 watched domains"
while read -r uuid; do api DELETE "$D/$uuid"; done <"$W/tmp/watched"
api GET "$D"
is "$STATUS $(field '.domains|length')" "200 0" "all watched domains can be deleted"

# ---- what was known before ----

{
	for name in paypal-login.com paypa1.com xn--l-7sba6dbr.com paypal.com.evil.net www-paypal.evil.net tsa.gov \
		paypal-staff.com paypal-shop.com goggle.com paypal.com; do
		dns "$name" A 192.0.2.7 NOERROR "$(now)"
	done
	dns paypal-verify.com A - SERVFAIL "$(now)"
	dns paypal.com.wild.net A 192.0.2.8 NOERROR "$(now)" ',"wildcard":true'
	dns '*.wild2.net' A 192.0.2.8 NOERROR "$(now)"
	dns paypal.com.wild2.net A 192.0.2.8 NOERROR "$(now)"
	dns paypal-support.com A 192.0.2.9 NOERROR "$(now '-3 days')"
	dns paypal-support.com A - NXDOMAIN "$(now)"
	dns www.paypal.com CNAME paypal.com.edge.example.net NOERROR "$(now)"
	dns paypal.com.edge.example.net A 192.0.2.9 NOERROR "$(now)"
} | put dns
certificate '"paypal-secure.com","www.paypal-secure.com"' | put certificates
printf '{"ip":"192.0.2.30","last_seen":"%s","hostnames":["paypal-host.com"],"services":[]}\n' "$(now)" | put hosts
echo '{"kind":"domain","name":"paypal-shop.com"}' | ctl import assets --project "$P" - >/dev/null

api POST "$A/preview" '{"domain":"paypal.com","allow":["paypal-staff.com"]}'
is "$STATUS" 200 "a preview of a domain answers its look-alikes"
preview=$(field '[.candidates[]|.found+" "+.class]|sort|join("\n")')
is "$(field '[.candidates[]|.score == ([.reasons[].weight]|add)]|all')" true "the reasons of a candidate sum to its score (C-181)"
is "$(field '.counts|[.homoglyph,.typo,.combo,.tld,.subdomain]|tojson')" '[2,0,2,0,2]' "a preview counts by class"
is "$(sql "SELECT count(*) FROM finding")" 0 "a preview stores nothing"

is "$(sql "SELECT doc FROM lookalike_walk(1::smallint, '', 10)")" '{"names" : ["paypal-host.com"]}' "a walk reads the names of hosts"
detect_start
one=$(watch '{"domain":"paypal.com","allow":["paypal-staff.com"]}')
detect_idle
is "$(found)" "paypa1.com homoglyph open
paypal-login.com combo open
paypal-secure.com combo open
paypal.com.evil.net subdomain open
www-paypal.evil.net subdomain open
xn--l-7sba6dbr.com homoglyph open" "a new watched domain finds what was known before: C-178, C-179, C-180, C-182"
is "$(sql "SELECT (looked_at ->> 'names')::integer > 14 FROM detector_state WHERE detector = 'typosquatting' AND project_uuid = '$P'")" t "the names of hosts are looked through, too"
is "$(found | sed 's/ open$//' | sort)" "$(printf '%s\n' "$preview" | sort)" "a preview equals what watching finds (C-183)"
api GET "$A?class=homoglyph"
is "$STATUS $(field '[.findings[].found_unicode]|sort|join(" ")')" "200 paypa1.com раураl.com" "the area has the findings, with the name as people see it"
api GET "$A?class=combo"
is "$(field '[.findings[]|select(.found == "paypal-login.com")][0]|[.watched,.found,.class,.edit,.score,(.score == ([.reasons[].weight]|add)),.addresses,.severity]|tojson')" \
	'["paypal.com","paypal-login.com","combo",null,95,true,["192.0.2.7"],"high"]' "the members of a look-alike are in the area (C-181)"
api GET "$A?min_score=76&watched=PayPal.com"
is "$(field '[.findings[].found]|sort|join(" ")')" "paypal-login.com paypal-secure.com xn--l-7sba6dbr.com" "the filters min_score and watched compare"

# ---- new names ----

dns paypal-wallet.com A 192.0.2.7 NOERROR "$(now)" | put dns
certificate '"paypal-secure.com","www.paypal-secure.com","a.paypal.com.cert.net","paypal.cert2.net"' 1 2 | put certificates
detect_idle
is "$(found | grep -c 'paypal-wallet.com combo open')" 1 "a name of DNS that becomes known is found"
is "$(found | grep -c 'paypal.com.cert.net subdomain open')" 1 "a certificate for the watched domain below another one is enough"
is "$(found | grep -c 'paypal.cert2.net subdomain open')" 0 "a certificate alone gives a mere label below another domain too low a score"
dns paypal.cert2.net A 192.0.2.7 NOERROR "$(now)" | put dns
detect_idle
is "$(found | grep -c 'paypal.cert2.net subdomain open')" 1 "a label below another domain with a certificate of its own and an address is found"
is "$(sql "SELECT evidence ->> 'certificate_sha256' FROM finding WHERE finding_key = 'typosquatting/paypal.com/paypal.cert2.net'")" \
	"$(printf '%064d' 2)" "a finding keeps the certificate that was seen earlier"
rows=$(sql "SELECT count(*), max(id) FROM finding_event")
before=$(sql "SELECT md5(string_agg(f::text, ',' ORDER BY uuid)) FROM finding f")
for i in 1 2 3 4 5; do
	for severity in low info; do # changed settings ask for a look at all names
		api PUT "/projects/$P/esi/detectors/typosquatting" "{\"min_severity\":\"$severity\"}"
		detect_idle
	done
done
is "$(sql "SELECT md5(string_agg(f::text, ',' ORDER BY uuid)) FROM finding f") $(sql "SELECT count(*), max(id) FROM finding_event")" \
	"$before $rows" "ten passes over unchanged data change no finding (C-127, C-179)"

# ---- what ends ----

dns paypal-wallet.com A - NXDOMAIN "$(now '+2 hours')" | put dns
detect_idle
is "$(found | grep -c 'paypal-wallet.com combo open')" 1 "an answer that a name does not exist closes nothing within 24 hours (C-129)"
dns paypal-wallet.com A - NXDOMAIN "$(now '+26 hours')" | put dns
detect_idle
is "$(found | grep -c 'paypal-wallet.com combo resolved')" 1 "after 24 hours it closes the finding (C-129)"

# A registry that answers that a name is not registered is no registration of it.
printf '{"errorCode":404,"title":"Not Found"}' | ctl import whois --domain paypal-nobody.com --seen "$(now)" - >/dev/null
detect_idle
is "$(found | grep -c paypal-nobody.com)" 0 "a domain of which the registry says that it is not registered is no look-alike (C-847)"

# ---- settings and far times ----

for i in rules inventory dangling-dns secrets threat-indicators typosquatting; do
	api PUT "/projects/$P/esi/detectors/$i" '{"min_severity":"low"}'
	[ "$STATUS" = 200 ] || diag "$i: $STATUS $BODY"
done
detect_idle
is "$(sql "SELECT count(*) FROM detector_state WHERE project_uuid = '$P' AND min_severity = 'low' AND error IS NULL") $(found | grep -c 'paypa1.com homoglyph open')" "6 1" \
	"changed settings of every detector apply, and surfaced-detect goes on (C-838)"
printf '{"fingerprint_sha256":"%064d","names":["paypal-epoch.com"],"not_before":"1970-01-01T00:00:00Z","not_after":"%s","first_seen":"%s","last_seen":"%s"}\n' \
	6 "$(now '+90 days')" "$(now '-2 days')" "$(now)" | put certificates
detect_idle
is "$(sql "SELECT first_seen_at::date = current_date - 2, last_seen_at::date = current_date FROM finding
	WHERE finding_key = 'typosquatting/paypal.com/paypal-epoch.com'")" "t|t" \
	"a name that only a certificate has was first seen with the certificate, not when its validity began in 1970 (C-847)"
printf '{"fingerprint_sha256":"%064d","names":["paypal-late.com"],"not_before":"9999-12-20T00:00:00Z","not_after":"9999-12-31T00:00:00Z","last_seen":"%s"}\n' 7 "$(now)" | put certificates
detect_idle
is "$(sql "SELECT count(*) FROM detector_work WHERE tries > 0")" 0 "a certificate of the year 9999 asks for no look that cannot be printed"
dns paypal-mailing.com MX '10 mx.example.net' NOERROR "$(now '-3 days')" | put dns
dns paypal-mailing.com A 192.0.2.7 NOERROR "$(now '-3 days')" | put dns
detect_idle
is "$(found | grep -c 'paypal-mailing.com combo open')" 1 "a name with a mail exchanger is found"
dns paypal-mailing.com A - NXDOMAIN "$(now)" | put dns
detect_idle
is "$(found | grep -c 'paypal-mailing.com combo resolved')" 1 "NXDOMAIN is newer than a mail exchanger that nobody has asked for again, and closes the finding"
is "$(sql "SELECT count(*) FROM detector_finding WHERE subject LIKE '%#%'")" 0 "the subject of a finding does not contain the key of a certificate"

api PUT "$D/$one" '{"allow":["paypal-staff.com","paypal-l*.com"]}'
detect_idle
api PUT "/projects/$P/esi/detectors/typosquatting" '{"min_severity":"info"}'
detect_idle
is "$(found | grep -c 'paypal-login.com combo resolved')" 1 \
	"a name that allow has closes, and changed settings do not open it (C-180)"
api PUT "$D/$one" '{"allow":[]}'
detect_idle
is "$(found | grep -E -c 'paypal-(login|staff).com combo open')" 2 "a name that is taken out of allow is found within a pass (C-180)"
printf 'xn--l-7sba6dbr.com\n' | ctl import rankings - >/dev/null
detect_idle
is "$(sql "SELECT evidence -> 'reasons' @> '[{\"code\":\"ranked\",\"weight\":-30}]' FROM finding
	WHERE finding_key = 'typosquatting/paypal.com/xn--l-7sba6dbr.com'") $(sql "SELECT score, reported FROM lookalike_candidate WHERE found = 'xn--l-7sba6dbr.com'")" \
	"t 55|t" "an imported ranking lowers the score, and a finding stays until it has ten points less than are asked for (C-846)"
# A name by its suffix alone, 12 days old, with a new certificate and an address.
printf '{"domain":"paypal.de","whois":{"created_at":"%s","expires_at":"%s"},"first_seen":"%s","last_seen":"%s"}\n' \
	"$(now '-12 days')" "$(now '+300 days')" "$(now)" "$(now)" | put whois
dns paypal.de A 192.0.2.7 NOERROR "$(now)" | put dns
certificate '"paypal.de"' 1 9 | put certificates
detect_idle
is "$(found | grep -c 'paypal.de tld open')" 1 "the same label below another suffix is found when its registration and certificate are new"
api GET "$D/$one"
is "$(field .domain.min_score)" 60 "with an imported ranking a score of 60 is needed (C-845)"
seq 1 5000 | jq -cR --arg now "$(now)" '{host: "paypal-login\(.).com", record_type: "A", answer: "192.0.2.7", rcode: "NOERROR",
	first_seen: $now, last_seen: $now}' | put dns
detect_idle
dns paypal-toomany.com A 192.0.2.7 NOERROR "$(now)" | put dns
detect_idle
is "$(found | grep -c paypal-toomany) $(found | grep -c 'paypal-staff.com combo open')" "0 1" \
	"a project with 5000 findings of typosquatting gets no new one, and keeps those it has (C-837)"
api GET "/projects/$P/esi/detectors"
like "$(field '.detectors[]|select(.name == "typosquatting").error')" 'has 5000 findings of typosquatting' "the state of the detector says that findings are left out"
api DELETE "$D/$one"
detect_idle
is "$(found | grep -c open)" 0 "the findings of a domain close when it is no longer watched (C-846)"
finish
