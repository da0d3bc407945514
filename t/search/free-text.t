#!/bin/sh
# SPDX-License-Identifier: ISC
# What people type without a field: symbols, pasted URLs, ranges and sets (C-417); and values that no record can have (C-418).
. t/lib.sh
world_start

ctl import hosts --quiet - <<'END' || exit 1
{"ip":"192.0.2.1","country_code":"DE","services":[{"port":443,"transport":"tcp","http":{"title":"Party 😀 tonight"}}]}
{"ip":"192.0.2.2","country_code":"GB","services":[{"port":80,"transport":"tcp","http":{"title":"Party tonight"}}]}
{"ip":"192.0.2.3","services":[{"port":80,"transport":"tcp","banner":"Location: https://example.com:8443/a?b=c"}]}
{"ip":"192.0.2.4","services":[{"port":80,"transport":"tcp","banner":"Location: https://example.com:8443/aXb=c"}]}
{"ip":"192.0.2.5","services":[{"port":80,"transport":"udp","banner":"*** 😀😀 ###"}]}
{"ip":"192.0.2.6","services":[{"port":80,"transport":"tcp","banner":"=== https ==="}]}
END
hosts_wait 6

# found QUERY [DATASET]: sets FOUND to the last parts of the addresses, or to the error's code and position.
found()
{
	api GET "/search/${2:-hosts}?fields=ip&q=$(printf %s "$1" | jq -sRr @uri)"
	FOUND=$(field "if .error then .error.code else [.${2:-hosts}[].ip|split(\".\")[3]]|join(\" \") end")
}

while IFS='|' read -r query hosts title; do
	found "$query"
	is "$STATUS $FOUND" "200 $hosts" "the search for $query finds its hosts: $title (C-417)"
done <<'END'
"😀"|1 5|a phrase of symbols finds the texts that hold them
😀|1 5|a symbol without quotes finds the texts that hold it
"😀😀"|1 5|each symbol is a word
services.http.title:"😀"|1|a symbol is searched for in one field
services:("😀" port:443)|1|a symbol is searched for in one service
"tonight😀party"|1|symbols and words are wanted in any order
NOT "😀" port:80|2 3 4 6|symbols can be negated
"😁"||a symbol that no text holds finds nothing
https://example.com:8443/a?b=c|3|a pasted URL is text, in which ? is no pattern
"https://example.com:8443/a?b=c"|3|a quoted URL is text
https://example.com:8443/*|3 4|a star in a pasted URL is no pattern
HTTPS://EXAMPLE.COM:8443/a?b=c port:80|3|a pasted URL is compared without case and can be combined
services.banner:https://example.com:8443/a?b=c|3|a pasted URL is the value of a text field
END

found '"😀"' services
is "$STATUS $FOUND" "200 1 5" "a symbol finds services (C-417)"

# Characters count, not bytes.
while IFS='|' read -r query position; do
	api GET "/search/hosts?q=$(printf %s "$query" | jq -sRr @uri)"
	is "$STATUS $(field .error.code)" "400 invalid_search_query" "the query $query, which lacks a field, is refused (C-417)"
	like "$(field .error.message)" "Character $position([^0-9]|\$)" "the refusal of $query has its position (C-417)"
	like "$(field .error.message)" 'field' "the refusal of $query says that a field is needed (C-417)"
	api GET "/search/hosts/validate?q=$(printf %s "$query" | jq -sRr @uri)"
	is "$(field .error.position)" "$position" "validate has the position of $query (C-417)"
done <<'END'
:x|1
port:22 :x|9
"ü" :x|5
[1 TO 2]|1
port:22 [1 TO 2]|9
{1,2}|1
-{1,2}|2
(port:22 OR {1,2})|13
{1 TO 2}|1
END

api GET '/search/hosts?q=%22%23%23%23%22'
is "$STATUS $(field .error.code)" "400 invalid_search_query" "signs of ASCII alone cannot be searched for (C-417)"
like "$(field .error.message)" 'no letter, digit or symbol' "the refusal says what can be searched for (C-417)"

# ---- warnings ----

# warned QUERY [DATASET]: sets WARNED to the positions of validate's warnings; the search must have the same ones.
warned()
{
	_q=$(printf %s "$1" | jq -sRr @uri)
	api GET "/search/${2:-hosts}/validate?q=$_q"
	WARNED=$(field '[.warnings[]?.position]|join(" ")') _told=$(field '.warnings|tojson') VALID=$(field .valid)
	api GET "/search/${2:-hosts}?q=$_q"
	[ "$STATUS $(field '.warnings|tojson')" = "200 $_told" ] || WARNED="$WARNED, but the search: $STATUS $BODY"
}
while IFS='|' read -r query position total; do
	warned "$query"
	is "$VALID $WARNED $(field .total.value)" "true $position $total" "$query is valid with warnings at: ${position:-no place} (C-418)"
done <<'END'
country:Germany|9|0
NOT port:https|10|6
country:DE||1
country_code=Germany|14|0
country:(DE OR Germany)|16|1
services.transport:TCP||5
services.transport:quic|20|0
services:(transport:quic)|21|0
NOT country:Germany|13|6
port:https|6|0
END
warned transport:icmp services
is "$VALID $WARNED $(field .total.value)" "true 11 0" "a query of services is warned like one of hosts (C-418)"
warned transport:TCP services
is "$VALID $WARNED $(field .total.value)" "true  5" "a value in another case has no warning (C-418)"
warned port:https open-directories
is "$VALID $WARNED $(field .total.value)" "true 6 0" "the name of a port is warned of in each dataset (C-418)"
