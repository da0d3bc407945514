#!/bin/sh
# SPDX-License-Identifier: ISC
# Assets and services are imported and read: C-054, C-115, C-116, C-119, C-120.
. t/lib.sh
pg_start
api_start
web_start
stranger_new

E=/projects/$P/esi
# import KIND [OPTIONS]: imports standard input; prints the summary.
import()
{
	_kind=$1
	shift
	ctl --json import "$_kind" --project "${project:-$P}" "$@" - 2>"$W/err"
}

is "$(import assets <<'END'
{"kind":"domain","name":"Example.COM.","first_seen_at":"2026-01-02T00:00:00Z","last_seen_at":"2026-02-02T00:00:00Z","metadata":{"registrar":"x"}}
{"kind":"address","name":"2001:DB8:0::1"}

{"kind":"certificate","name":"AB","source_name":"ct"}
{"kind":"host","name":"www.example.com","colour":"red"}
{"kind":"domain","name":"example.com","first_seen_at":"2026-01-01T00:00:00+00:00","last_seen_at":"2026-01-05T00:00:00Z","source_name":"whois","metadata":{"a":1}}
END
)" '{"read":5,"new":2,"changed":0,"reopened":0,"bad":2}' "an import of assets counts new and bad lines"
is "$(cut -d: -f2- "$W/err" | tr '\n' ';')" \
	"4: a certificate is named by its SHA-256, 64 hexadecimal digits;5: colour is not a known member;" \
	"an import names the line and the fault of a bad record"
api GET "$E/assets?kind=domain"
is "$STATUS $(field '.assets|length') $(field '.assets[0]|"\(.name) \(.first_seen_at) \(.last_seen_at) \(.source_name) \(.source_ref)"')" \
	"200 1 example.com 2026-01-01T00:00:00.000000Z 2026-02-02T00:00:00.000000Z whois null" \
	"records of one name make one asset with the first and last times"
a=$(field '.assets[0].uuid')
echo '{"kind":"domain","name":"EXAMPLE.com","first_seen_at":"2026-01-03T00:00:00Z","last_seen_at":"2026-01-04T00:00:00Z"}' | import assets >/dev/null
api GET "$E/assets/$a"
is "$(field '.asset|"\(.first_seen_at) \(.last_seen_at) \(.metadata|tojson)"')" \
	'2026-01-01T00:00:00.000000Z 2026-02-02T00:00:00.000000Z {"a":1}' \
	"an import of intermediate times does not change first and last seen"
api GET "$E/assets?name=2001:db8::1"
is "$(field '.assets[0].kind')" address "an address is found in any spelling"

fp=$(printf '0%.0s' $(seq 64))
is "$(import services <<END
{"ip":"192.0.2.10","port":443,"protocol":"TCP","hostname":"www.example.com","tls_enabled":true,"technologies":["nginx","php"],"confidence":0.9,"http_status_code":200,"http_title":"Hello","tls_certificate_sha256":"$fp","metadata":{"k":{"n":9007199254740993}},"first_seen_at":"2026-03-01T00:00:00Z","last_seen_at":"2026-03-02T00:00:00Z"}
{"service_key":"bare","asset_kind":"domain","asset_name":"example.com"}
{"ip":"192.0.2.10","port":0}
{"ip":"192.0.2.10","port":65536}
{"ip":"192.0.2.10","port":1,"confidence":1.5}
{"ip":"192.0.2.10","port":1,"tls_enabled":"yes"}
{"port":1}
END
)" '{"read":7,"new":3,"changed":0,"reopened":0,"bad":4}' "an import of services counts new and bad lines"
api GET "$E/services?port=443"
is "$(field '.services|length')" 1 "the filter port selects one service"
s=$(field '.services[0].uuid')
api GET "$E/services/$s"
is "$STATUS $(field '.service|"\(.service_key) \(.protocol) \(.hostname) \(.ip) \(.port) \(.endpoint) \(.http_status_code)"')" \
	"200 192.0.2.10:443/tcp tcp www.example.com 192.0.2.10 443 192.0.2.10:443 200" \
	"a service has key, protocol, host, address, port and status"
is "$(field '.service|"\(.technologies|tojson) \(.metadata|type) \(.confidence) \(.tls_enabled) \(.port|type)"')" \
	'["nginx","php"] object 0.9 true number' "the members of a service have the right types (C-119)"
like "$BODY" '9007199254740993[^0-9.]' "a large integer in metadata keeps all its digits (C-121)"
is "$(field '.service|keys|join(" ")')" "asset_uuid confidence created_at discovery_channel discovery_provider endpoint exposures first_seen_at hostname http_status_code http_title ip last_observed_at last_seen_at metadata port product protocol service_key service_name source_name source_ref technologies tls_certificate_asset_uuid tls_enabled updated_at url uuid version" \
	"a service has exactly its members, and exposures (C-054, C-200)"
cert=$(field .service.tls_certificate_asset_uuid) host=$(field .service.asset_uuid)
api GET "$E/assets/$cert"
is "$(field '.asset|"\(.kind) \(.name)"')" "certificate $fp" \
	"the certificate of a service is stored as an asset"
api GET "$E/assets/$host"
is "$(field '.asset|"\(.kind) \(.name)"')" "host www.example.com" \
	"the host of a service is stored as an asset"
api GET "$E/services?hostname=WWW.example.com&ip=192.0.2.0/24&technology=php&tls_enabled=true&protocol=tcp&asset_uuid=$host"
is "$(field '.services|map(.uuid)|join(" ")')" "$s" "all filters together select the service"
api GET "$E/services?ip=192.0.3.0/24"
is "$STATUS $(field '.services|tojson') $(field .has_more)" "200 [] false" \
	"a filter without matches gets an empty list"
for bad in ip=x port=-1 port=65536 tls_enabled=yes asset_uuid=1 nothing=1 protocol=; do
	api GET "$E/services?$bad"
	is "$STATUS $(field .error.code)" "400 invalid_request" "the filter $bad is refused"
done
api GET "$E/services?limit=1"
is "$(field '.services|length') $(field .has_more)" "1 true" \
	"a page of services has limit entries and has_more"
sb=$(sql "SELECT uuid FROM asset_service WHERE service_key = 'bare'")
api GET "$E/services/$sb"
is "$(field '.service|"\(.technologies|tojson) \(.metadata|tojson) \(.confidence) \(.port) \(.tls_enabled) \(.http_status_code) \(.ip)"')" \
	'[] {} null null null null null' "unknown values are null except technologies and metadata (C-119)"
is "$(sql "SELECT count(*) FROM asset_service WHERE confidence < 0 OR confidence > 1 OR port < 0 OR port > 65535")" 0 \
	"confidence and port are within their bounds (C-119)"
api GET "$E/services?port=0"
is "$(field '.services|length')" 1 "port 0 is a valid port (C-119)"

# An older observation only widens the times; a newer one replaces the values.
echo '{"ip":"192.0.2.10","port":443,"product":"old","first_seen_at":"2026-01-01T00:00:00Z","last_seen_at":"2026-01-02T00:00:00Z"}' | import services >/dev/null
api GET "$E/services/$s"
is "$(field '.service|"\(.product) \(.first_seen_at) \(.last_seen_at)"')" "null 2026-01-01T00:00:00.000000Z 2026-03-02T00:00:00.000000Z" \
	"an older observation widens the times only"
echo '{"ip":"192.0.2.10","port":443,"product":"new","last_seen_at":"2026-04-01T00:00:00Z"}' | import services >/dev/null
api GET "$E/services/$s"
is "$(field '.service|"\(.product) \(.http_title) \(.first_seen_at) \(.last_seen_at)"')" \
	"new null 2026-01-01T00:00:00.000000Z 2026-04-01T00:00:00.000000Z" \
	"a newer observation replaces the values of the service"

cat >"$W/nmap.xml" <<'END'
<?xml version="1.0"?>
<nmaprun scanner="nmap" start="1700000000"><host starttime="1700000000" endtime="1700000100"><status state="up"/>
<address addr="192.0.2.20" addrtype="ipv4"/><hostnames><hostname name="mail.example.com" type="user"/></hostnames>
<ports><port protocol="tcp" portid="25"><state state="open"/><service name="smtp" product="Postfix smtpd" version="3.7"/></port>
<port protocol="udp" portid="53"><state state="open"/><service name="domain"/></port></ports></host></nmaprun>
END
is "$(import services --format nmap <"$W/nmap.xml")" '{"read":2,"new":2,"changed":0,"reopened":0,"bad":0}' \
	"an import of nmap's XML creates its services"
api GET "$E/services?ip=192.0.2.20&port=25"
is "$(field '.services[0]|"\(.service_key) \(.service_name) \(.product) \(.hostname) \(.source_name) \(.last_seen_at)"')" \
	"192.0.2.20:25/tcp smtp Postfix smtpd mail.example.com nmap 2023-11-14T22:15:00.000000Z" \
	"a service of nmap has name, product and time of the scan"
is "$(sql "SELECT string_agg(action || ' ' || (after ->> 'new'), ',' ORDER BY id) FROM audit WHERE subject = 'project' AND action LIKE 'project.import%'" | cut -d, -f1,3)" \
	"project.import_assets 2,project.import_services 3" "an import has one audit entry with its counts"

# The latest observation wins in any order of imports; members that it lacks are filled in from others.
printf '%s\n' '{"kind":"domain","name":"order.example","last_seen_at":"2026-02-01T00:00:00Z","metadata":{"a":2,"b":2}}' | import assets >/dev/null
printf '%s\n' '{"service_key":"order","asset_kind":"domain","asset_name":"order.example"}' | import services >/dev/null
printf '%s\n' '{"kind":"domain","name":"order.example","last_seen_at":"2026-01-20T00:00:00Z","metadata":{"a":1,"c":1}}' | import assets >/dev/null
is "$(sql "SELECT metadata FROM asset WHERE name = 'order.example'")" '{"a": 2, "b": 2, "c": 1}' \
	"older metadata never overwrite newer metadata"
printf '%s\n' '{"kind":"domain","name":"order.example","last_seen_at":"2026-02-02T00:00:00Z","metadata":{"a":3}}' | import assets >/dev/null
is "$(sql "SELECT metadata FROM asset WHERE name = 'order.example'")" '{"a": 3, "b": 2, "c": 1}' \
	"newer metadata replace older ones, whenever a service was seen"
printf '%s\n' '{"kind":"address","name":"::ffff:192.0.2.30"}' '{"kind":"address","name":"192.0.2.30"}' | import assets >/dev/null
is "$(sql "SELECT string_agg(name, ' ') FROM asset WHERE kind = 'address' AND name LIKE '%192.0.2.30'")" 192.0.2.30 \
	"an IPv4-mapped address is stored as IPv4"

# C-115, C-116
project=$PROJECT2
echo '{"kind":"domain","name":"example.net"}' | import assets >/dev/null
foreign=$(sql "SELECT uuid FROM asset WHERE project_uuid = '$PROJECT2'")
api GET "$E/assets/$foreign"
is "$STATUS $(field .error.code)" "404 asset_not_found" "an asset of another account is not found (C-115)"
api GET "/projects/$PROJECT2/esi/assets/$foreign"
is "$STATUS $(field .error.code)" "404 project_not_found" \
	"a project of another account is not found (C-116)"
ctl import assets --project "$(uuid_new)" /dev/null 2>/dev/null
is $? 3 "an import into an unknown project exits with status 3"
key=$(key_new --scope esi.inventory.view)
api GET "$E/services/$s"
is "$STATUS" 403 "the scope of the inventory does not allow reading services (C-009)"
