#!/bin/sh
# SPDX-License-Identifier: ISC
# surfacectl import whois --format rdap, whoisjson: registrations as registries and WhoisXML write them (C-404).
. t/lib.sh
pg_start

import() { import_records whois "$@"; }
# show DOMAIN JQ: prints members of the stored registration.
show() { sql "SELECT doc FROM record WHERE dataset = 4 AND doc::jsonb ->> 'domain' = '$1'" | jq -c "$2"; }
clear() { sql "DELETE FROM record" >/dev/null; }
C=t/fuzz/corpus

# ---- RDAP: RFC 9083, with the jCards of RFC 7095 and the redactions of RFC 9537 ----

import --format rdap "$C/rdap/rfc9083-domain"
is "$STATUS $OUT" "0 1 read, 1 new, 0 changed, 0 unchanged, 0 bad, 0 skipped" "an answer over many lines is one registration (C-404)"
hash=$(printf %s holder@example.com | sha256sum | cut -c1-64)
is "$(show example.com .)" "$(jq -c . <<END
{"domain":"example.com","tld":"com","whois":{"registrar":"Example Registrar, Inc.","registrar_iana_id":376,
"status":["clientTransferProhibited","linked","ok","serverRecoverProhibited"],"dnssec":true,"nameservers":["a.iana-servers.net","b.iana-servers.net"],
"registrant":{"organisation":"Example Holder","country_code":"CA","email_hash":"$hash"},
"created_at":"1995-08-14T04:00:00.000000Z","updated_at":"2026-08-14T05:01:44.000000Z","expires_at":"2027-08-13T04:00:00.000000Z"},
"first_seen":"2026-10-01T12:00:00.000000Z","last_seen":"2026-10-01T12:00:00.000000Z"}
END
)" "a domain has the members of its answer in their canonical forms"
import --format rdap "$C/rdap/rfc9083-domain"
is "$OUT" "1 read, 0 new, 0 changed, 1 unchanged, 0 bad, 0 skipped" "the same answer twice changes nothing (C-404)"

import --format rdap --seen 2026-11-01T00:00:00Z "$C/rdap/rfc9083-search"
is "$STATUS $OUT" "0 5 read, 5 new, 0 changed, 0 unchanged, 0 bad, 0 skipped" "each element of a search result is a registration"
is "$(show nic.cz '[.whois, .last_seen]')" '[{"registrar":"REG-CZNIC","status":["ok"]},"2026-11-01T00:00:00.000000Z"]' \
	"a registrar without a jCard is its handle, and only digits of the exact type are its number"
is "$(show afnic.fr .whois)" '{"registrant":{"organisation":"Association Example","country_code":"FR"}}' \
	"an empty organisation is the name of the contact, the country may be a parameter, and a missing delegationSigned is no value"
is "$(show redacted.example .whois)" \
	'{"status":["ok"],"dnssec":false,"registrant":{"country_code":"US"},"updated_at":"2026-01-02T03:04:05.000000Z","expires_at":"2027-01-01T00:00:00.000000Z"}' \
	"redacted values are no values (C-934)"
is "$(show person.example .whois)" null "the name of a person and an unknown country are not stored"
is "$(show org.example .whois)" '{"registrant":{"organisation":"Some Society"}}' "the name of a contact that is an organisation is stored, and the first registrant counts"

import --format rdap "$C/rdap/rfc9083-others"
is "$STATUS $OUT" "1 9 read, 1 new, 0 changed, 0 unchanged, 8 bad, 0 skipped" "an answer that is no domain is a bad record"
is "$(printf '%s\n' "$ERR" | sed 's/.*others:[0-9]*: //; s/element [0-9]* at byte [0-9]*: //' | sort | uniq -c | sed 's/^ *//')" "2 domain: is missing or no domain name
1 must be an object
1 no link has the URL of the query; name it with --domain
4 objectClassName: must be domain" "each answer that is no domain is reported with its fault"
is "$(show odd.example .whois)" null "members of a wrong type are left out"
jq -c . "$C/rdap/rfc9083-domain" "$C/rdap/rfc9083-search" >"$W/lines"
import --format rdap --seen 2026-11-01T00:00:00Z "$W/lines"
is "$STATUS $OUT" "0 6 read, 0 new, 0 changed, 6 unchanged, 0 bad, 0 skipped" "answers on one line each are the same answers, and the time of the server goes before --seen"
clear

# A domain that is not registered: RDAP answers 404, and the request's URL names the domain if the answer has links.
cat >"$W/free" <<'END'
{"rdapConformance":["rdap_level_0"],"errorCode":404,"title":"Not Found","links":[{"value":"https://rdap.example/v1/domain/free.example","rel":"self","href":"https://rdap.example/v1/domain/free.example"}]}
{"errorCode":404,"notices":[{"title":"Terms","links":[{"value":"https://rdap.example/domain/terms.example?x=1","rel":"terms-of-service","href":"https://registry.example/domain/policy"}]}]}
{"errorCode":404,"title":"Not Found","links":[{"rel":"about","href":"https://registry.example/domain/other.example"}]}
{"errorCode":429,"title":"Too Many Requests","links":[{"value":"https://rdap.example/domain/busy.example"}]}
{"errorCode":404,"links":[{"value":"https://rdap.example/nameserver/ns.example"}]}
END
import --seen 2026-11-01T00:00:00Z "$W/free"
is "$STATUS $OUT" "1 5 read, 2 new, 0 changed, 0 unchanged, 3 bad, 0 skipped" "answers 404 that name their domain are stored, and their format is guessed"
is "$(show free.example '[.whois, .last_seen]') $(show terms.example .whois)" \
	'[{"status":["notRegistered"]},"2026-11-01T00:00:00.000000Z"] {"status":["notRegistered"]}' "a domain that is not registered has that status and nothing else (C-934)"
like "$ERR" 'errorCode: only 404 is an answer about a domain' "an answer that the server is busy says nothing about the domain (C-934)"
like "$ERR" 'no link has the URL of the query; name it with --domain' "a 404 that does not name its domain is reported"
echo '{"errorCode":404,"title":"Not Found"}' >"$W/bare"
import --domain bare.example "$W/bare"
is "$STATUS $(show bare.example .whois)" '0 {"status":["notRegistered"]}' "the option --domain names the domain of an answer 404"
import --format ndjson --domain bare.example "$W/bare"
is "$STATUS" 2 "the option --domain is one of the format rdap"
echo '{"WhoisRecord":{"domainName":"vendor.example","domainAvailability":"AVAILABLE","dataError":"MISSING_WHOIS_DATA"}}' >"$W/vendor"
import "$W/vendor"
is "$(show vendor.example .whois)" '{"status":["notRegistered"]}' "a domain that WhoisXML calls available is not registered"
clear

# ---- WhoisXML: WhoisService v1, and the history ----

import --format whoisjson "$C/whoisjson/whoisservice-v1"
is "$STATUS $OUT" "1 6 read, 3 new, 0 changed, 0 unchanged, 1 bad, 1 skipped" "records, an error and a domain without a registration are counted (C-404)"
like "$ERR" "whoisservice-v1:20: domainName: must be a string" "an answer that is an error is named by its line"
hash=$(printf %s dns-admin@google.com | sha256sum | cut -c1-64)
is "$(show google.com .)" "$(jq -c . <<END
{"domain":"google.com","tld":"com","whois":{"registrar":"MarkMonitor, Inc.","registrar_iana_id":292,
"status":["clientTransferProhibited","clientUpdateProhibited","serverHold"],"nameservers":["ns1.google.com","ns2.google.com"],
"registrant":{"organisation":"Google LLC","country_code":"US","email_hash":"$hash"},
"created_at":"1997-09-15T07:00:00.000000Z","updated_at":"2018-02-21T18:45:07.000000Z","expires_at":"2020-09-14T04:00:00.000000Z"},
"first_seen":"2019-02-08T02:42:10.000000Z","last_seen":"2019-02-09T02:42:10.123000Z"}
END
)" "a record of WhoisXML has the members of WhoisRecord"
is "$(show thin.example .whois)" \
	'{"registrar":"Thin Registrar","status":["RegisteredUntilExpiryDate."],"nameservers":["ns.example.com"],"registrant":{"country_code":"CA"},"created_at":"2010-02-03T00:00:00.000000Z","expires_at":"2027-01-01T00:00:00.000000Z"}' \
	"members that the registrar did not tell are those of registryData"
is "$(show old.example '[.whois, .first_seen, .last_seen]')" \
	'[{"registrar":"New Registrar","created_at":"2020-01-01T00:00:00.000000Z"},"2015-01-01T00:00:00.000000Z","2020-06-01T00:00:00.000000Z"]' \
	"the latest record of a history replaces the earlier ones wholly"
import --format whoisjson "$C/whoisjson/whoisservice-v1"
is "$OUT" "6 read, 0 new, 0 changed, 3 unchanged, 1 bad, 1 skipped" "the same file of WhoisXML twice changes nothing (C-404)"

# Times as some registrars write them.
echo '{"domainName":"small.example","createdDate":"2025-10-11t00:00:00-0700","updatedDate":"2025-10-11 00:00:00 utc"}' >"$W/small"
import --format whoisjson "$W/small"
is "$(show small.example '[.whois.created_at, .whois.updated_at]')" '["2025-10-11T07:00:00.000000Z","2025-10-11T00:00:00.000000Z"]' \
	"times with a small t or utc are read"

# ---- the format is guessed, from plain and from compressed files ----

# guess FILE COUNTS: imports the file without --format.
guess()
{
	clear
	import "$1"
	is "${OUT%% changed*}" "$2" "the format of ${1##*/} is guessed"
}
guess "$C/rdap/rfc9083-domain" "1 read, 1 new, 0"
guess "$C/rdap/rfc9083-search" "5 read, 5 new, 0"
guess "$C/rdap/rfc9083-others" "9 read, 1 new, 0"
guess "$C/whoisjson/whoisservice-v1" "6 read, 3 new, 0"
gzip -c "$C/rdap/rfc9083-search" >"$W/search.gz"
guess "$W/search.gz" "5 read, 5 new, 0"
