#!/bin/sh
# SPDX-License-Identifier: ISC
# Alert rules and destinations as records: create, read, replace, delete, list, and what the API refuses.
. t/lib.sh
pg_start
api_start
web_start
stranger_new

A=/projects/$P/alerting
faults() { printf '%s %s' "$STATUS" "$(field '.error.field_errors|map(.field+" "+.code)|join(",")')"; }

api POST "$A/destinations" '{"name":" Pager ","url":"https://hooks.example.com/in?x=1"}'
is "$STATUS $(field '.destination|"\(.name) \(.url) \(.enabled)"')" "201 Pager https://hooks.example.com/in?x=1 true" \
	"a destination is created with a trimmed name"
d=$(field .destination.uuid) secret=$(field .destination.secret)
like "$secret" '^whsec_[A-Za-z0-9+/]{43}=$' "the answer to a new destination has its secret"
is "$(header Location)" "/api/v1$A/destinations/$d" "Location has the path of the new destination"
for path in "/destinations/$d" /destinations; do
	api GET "$A$path"
	unlike "$BODY" secret "$path does not show the secret again (C-783)"
done
is "$(sql "SELECT count(*) FROM audit WHERE after::text LIKE '%whsec%' OR after ? 'secret'")" 0 \
	"the audit does not contain the secret"
ok "the role surfaced_api cannot read the secret" \
	sh -c '! psql -XqAt -U surfaced_api -c "SELECT secret FROM alert_destination" 2>/dev/null'
api POST "$A/destinations/$d/rotate-secret"
isnt "$(field .destination.secret)" "$secret" "rotate-secret returns another secret (C-783)"
is "$(sql "SELECT secret = '$(field .destination.secret)' FROM alert_destination")" t \
	"the database stores the rotated secret"
is "$(sql "SELECT action FROM audit WHERE subject_id = '$d' ORDER BY id DESC LIMIT 1")" alert_destination.rotate_secret \
	"the audit has the rotation of the secret"
api PUT "$A/destinations/$d" '{"name":"Pager","url":"https://8.8.8.8:8443/","enabled":false}'
is "$STATUS $(field '.destination|"\(.url) \(.enabled)"')" "200 https://8.8.8.8:8443/ false" \
	"PUT replaces a destination with the new values (C-787)"
api POST "$A/destinations" '{"name":"","url":"http://x","colour":1}'
is "$(faults)" "400 name too_short,colour unknown_field" "one answer names every fault of the schema"
api POST "$A/destinations" '{"name":"x\u2028y","url":"https://hooks.example.com/"}'
is "$(faults)" "400 name invalid_format" "a name with a line separator is refused"
while read -r url; do
	api POST "$A/destinations" "$(jq -nc --arg u "$url" '{name:"x",url:$u}')"
	is "$(faults)" "400 url not_allowed" "the URL $url of a destination is refused (C-782)"
done <<'END'
http://hooks.example.com/
ftp://hooks.example.com/
https://
https:///x
https://user@hooks.example.com/
https://@hooks.example.com/
https://localhost/
https://LOCALHOST/
https://intranet/
https://host.local/
https://host.internal/
https://router.home.arpa/
https://hooks.example.com./
https://127.0.0.1/
https://127.1/
https://2130706433/
https://0x7f.0.0.1/
https://0x7f000001/
https://0177.0.0.1/
https://10.0.0.1/
https://100.64.0.1/
https://169.254.169.254/
https://172.31.255.255/
https://192.168.0.1/
https://224.0.0.1/
https://255.255.255.255/
https://[::1]/
https://[::]/
https://[::ffff:8.8.8.8]/
https://[fe80::1]/
https://[fe80::1%25eth0]/
https://[fd00::1]/
https://[64:ff9b::8.8.8.8]/
https://[2002:0808:0808::1]/
https://[2001:db8::1]/
https://[2001:4860::1/
https://hooks.example.com:0/
https://hooks.example.com:65536/
https://hooks.example.com:/
https://hooks.example.com#x
https://hooks example.com/
https://höoks.example.com/
https://hooks%2eexample.com/
https://-x.example.com/
END
for url in https://hooks.example.com HTTPS://Hooks.Example.COM/x 'https://[2001:4860:4860::8888]:8443/' https://172.32.0.1/ https://1.example.com; do
	api POST "$A/destinations" "{\"name\":\"x\",\"url\":\"$url\"}"
	is "$STATUS" 201 "the URL $url of a destination is accepted"
done

api POST "$A/rules" "{\"name\":\"High\",\"source\":\"finding\",\"min_severity\":\"high\",\"query\":\"finding_type:dangling_dns AND NOT title:test\",\"destination_uuids\":[\"$d\"]}"
is "$STATUS $(field '.rule|"\(.name) \(.source) \(.min_severity) \(.query) \(.destination_uuids|tojson) \(.enabled)"')" \
	"201 High finding high finding_type:dangling_dns AND NOT title:test [\"$d\"] true" \
	"a rule of findings is created with its members"
r=$(field .rule.uuid)
is "$(header Location)" "/api/v1$A/rules/$r" "Location has the path of the new rule"
api POST "$A/rules" '{"name":"New","source":"service","query":"port:22,3389 OR 192.0.2.0/24 OR tls_enabled:false"}'
is "$STATUS $(field '.rule|"\(.min_severity) \(.destination_uuids|tojson)"')" "201 null []" \
	"a rule of services is created without a severity"
api POST "$A/rules" '{"name":"All","source":"finding"}'
is "$STATUS $(field '.rule|"\(.min_severity) [\(.query)]"')" "201 info []" \
	"a rule without a query matches all findings"
api GET "$A/rules?source=service"
is "$(field '.rules|map(.name)|join(" ")')" New "the filter source selects the rule of services"
try() { api POST "$A/rules" "{\"name\":\"x\",$1}"; is "$(faults)" "$2" "a rule with $1 is refused"; }
try '"source":"finding","query":"port:22"' "400 query invalid_format"
try '"source":"finding","query":"title:("' "400 query invalid_format"
like "$(field '.error.field_errors[0].message')" '^character [0-9]+: ' \
	"the message of a bad query has position and reason"
try '"source":"service","min_severity":"high"' "400 min_severity not_allowed"
try '"source":"host"' "400 source not_allowed"
try '"source":"finding","min_severity":"bad"' "400 min_severity not_allowed"
try "\"source\":\"finding\",\"destination_uuids\":[\"$d\",\"$d\"]" "400 destination_uuids[1] duplicate"
try "\"source\":\"finding\",\"destination_uuids\":[\"$(uuid_new)\"]" "400 destination_uuids not_found"
try '"source":"finding","destination_uuids":["x"]' "400 destination_uuids[0] invalid_format"
foreign=$(sql "INSERT INTO alert_destination (project_uuid, name, url, secret) VALUES ('$PROJECT2', 'x', 'https://x.example.com', '$secret') RETURNING uuid")
try "\"source\":\"finding\",\"destination_uuids\":[\"$foreign\"]" "400 destination_uuids not_found"
try '"source":"finding","enabled":1' "400 enabled invalid_type"
api PUT "$A/rules/$r" "{\"name\":\"x\",\"source\":\"finding\",\"destination_uuids\":[\"$foreign\"]}"
is "$(faults)" "400 destination_uuids not_found" \
	"a replacement of a rule with a foreign destination is refused (C-784)"
api PUT "$A/rules/$r" "{\"name\":\"Higher\",\"source\":\"finding\",\"enabled\":false,\"destination_uuids\":[\"$d\"]}"
is "$STATUS $(field '.rule|"\(.name) \(.min_severity) \(.enabled) \(.updated_at > .created_at)"')" "200 Higher info false true" \
	"PUT replaces every member of a rule (C-787)"
api DELETE "$A/destinations/$d"
is "$STATUS" 200 "a destination is deleted with 200"
api GET "$A/destinations/$d"
is "$STATUS $(field .error.code)" "404 alert_destination_not_found" "a deleted destination is not found"
api GET "$A/rules/$r"
is "$(field '.rule.destination_uuids|tojson')" "[]" "a deleted destination leaves the rules that named it (C-784)"
api DELETE "$A/rules/$r"
is "$STATUS $(field .rule.uuid)" "200 $r" "a rule is deleted with 200"
for verb in GET DELETE; do
	api $verb "$A/rules/$r"
	is "$STATUS $(field .error.code)" "404 alert_rule_not_found" "$verb of a deleted rule gets 404"
done
is "$(sql "SELECT string_agg(action, ' ' ORDER BY id) FROM audit WHERE subject_id = '$r'")" \
	"alert_rule.create alert_rule.change alert_rule.change alert_rule.delete" \
	"the audit has every change of the rule"
key=$(key_new --scope alerts.rules.view)
api POST "$A/rules" '{"name":"x","source":"finding"}'
is "$STATUS" 403 "the scope to view rules does not allow creating one (C-009)"
key=$KEY
sql "DELETE FROM entitlement WHERE name = 'alerting' AND account_uuid = '$ACCOUNT'"
denied()
{
	api GET "$A/rules"
	[ "$STATUS" = 403 ]
}
world_until 15 denied
is "$(field .error.code)" entitlement_required "rules are refused without the entitlement (C-017)"
