#!/bin/sh
# SPDX-License-Identifier: ISC
# The members of a request that creates a session, and the messages of its faults: C-093, C-094, C-096 to C-099.
. t/lib.sh
pg_start
api_start
web_start

S=/projects/$P/sessions
sql "UPDATE session_policy SET caller_sessions = 1000, organisation_sessions = 1000"
refused() { is "$STATUS $(field .error.code) $(field '.error.field_errors|map(.field+" "+.code)|join(",")')" "400 invalid_request $1" "$2"; }
url() { api POST "$S" "{\"start_url\":\"$1\"}"; }
with() { api POST "$S" "{\"start_url\":\"https://example.com/\",$1}"; }

api GET "$S/capabilities"
is "$STATUS $(field '.capabilities.egress_countries|tojson')" '200 [{"code":"DE","name":"Germany"},{"code":"GB","name":"United Kingdom"}]' \
	"the capabilities list the countries with a route"
is "$(field '.capabilities|[.browser_profiles,.viewport,.limits]|tojson')" \
	'[["windows","macos","linux"],{"min_width":320,"max_width":3840,"default_width":1280,"min_height":240,"max_height":2160,"default_height":720},{"organisation_sessions":1000,"caller_sessions":1000,"lifetime_seconds":1800,"idle_seconds":300}]' \
	"the capabilities have profiles, viewport and limits"

# The rule of start URLs has its own vectors (t/unit/start_url.t); here each kind of fault reaches the client.
a2048=$(printf 'a%.0s' $(seq 2028))
url "https://example.com/$a2048"
is "$STATUS" 202 "a start URL of 2048 characters is accepted (C-093)"
url "https://example.com/${a2048}a"
refused "start_url too_long" "a start URL of 2049 characters is refused (C-093)"
url "https://example.com/$(printf 'é%.0s' $(seq 2028))"
is "$STATUS" 202 "the length of a start URL counts characters, not bytes (C-093)"
u=$(field .session.uuid)
sql "SELECT session_apply('$u', 'close', 'closed_by_creator'), session_apply('$u', 'end')" >/dev/null
api POST "$S/$u/replay"
is "$STATUS $(field '.session.start_url | length')" "202 12188" \
	"a session whose canonical URL is longer than 2048 can be replayed"
for bad in http://printer.localnet/ http://www.example.unknowntld/; do
	url "$bad"
	refused "start_url not_allowed" "the name under no public top-level domain is refused: $bad"
done
url "https://example.com/a/../caf\u00e9?\u00e9#\u00e9"
is "$STATUS $(field .session.start_url)" "202 https://example.com/caf%C3%A9?%C3%A9#%C3%A9" "the answer has the canonical form of the URL standard"
for bad in ftp://example.com/ javascript:alert http:/example.com 'http://exa mple.com/' 'http://example.com\\\\@a/' 'http://example.com:x/' 'http://0x7f000001/' 'http://2130706433/' 'http://127.1/' 'http://0177.0.0.1/'; do
	url "$bad"
	refused "start_url invalid_format" "the malformed start URL $bad is refused (C-093, C-094)"
done
for bad in 'http://u:p@example.com/' 'http://@example.com/' 'http://127.0.0.1/' 'http://10.0.0.1/' \
	'http://169.254.169.254/latest' 'http://[::1]/' 'http://[::ffff:8.8.8.8]/' 'http://[64:ff9b::1]/' \
	'http://[2002:7f00:1::]/' 'http://[2001::1]/' 'http://localhost/' 'http://a.local/' \
	'http://metadata.google.internal/' 'http://router.home.arpa./' 'http://intranet/' 'http://printer/' \
	'http://\uff11\uff12\uff17.0.0.1/' 'http://127.0.0.1.nip.io/' 'http://example.com:22/'; do
	url "$bad"
	refused "start_url not_allowed" "the start URL $bad is not allowed (C-093, C-094)"
done
unlike "$BODY" 'example.com:22' "the refusal does not repeat the start URL"
url http://192.168.1.1/admin
is "$(field '.error.field_errors[0].message')" "192.168.1.1 is not public; sessions reach the public Internet only" \
	"the refusal names the private address and the reachable networks (C-094)"
url http://printer.local:631/
is "$(field '.error.field_errors[0].message')" "printer.local is a name of a local network; sessions reach the public Internet only" \
	"the refusal names the local name without port and path (C-094)"
url "http://$(head -c 190 /dev/zero | tr '\\0' 'a')"
like "$(field '.error.field_errors[0].message')" '^.{1,512}$' "the refusal cuts a host that is too long"

# C-096
for bad in gb Gb 'GB\n' G1 ÄÖ; do
	with "\"egress_country\":\"$bad\""
	refused "egress_country $(case $bad in GB*) echo too_long ;; *) echo invalid_format ;; esac)" \
		"the malformed country $bad is refused (C-096)"
done
with '"egress_country":"FR"'
refused "egress_country not_allowed" "a country without a route is refused (C-096)"
ctl routes disable "$(sql "SELECT uuid FROM egress_route WHERE country = 'GB'")" >/dev/null
with '"egress_country":"GB"'
refused "egress_country not_allowed" "a country with a disabled route is refused (C-096)"
sql "UPDATE egress_route SET enabled = true, answered = country = 'DE'"
with '"egress_country":"GB"'
refused "egress_country not_allowed" "a country whose route did not answer is refused (C-096)"

# C-097
for bad in '{}' '{"width":800}' '{"height":600}'; do
	with "\"viewport\":$bad"
	like "$STATUS $(field '.error.field_errors|map(.field+" "+.code)|join(",")')" '^400 viewport\.(width|height) required' \
		"the incomplete viewport $bad is refused (C-097)"
done
with '"viewport":{"width":319,"height":2161}'
refused "viewport.width out_of_range,viewport.height out_of_range" \
	"a viewport out of bounds is refused (C-097)"
with '"viewport":{"width":"800","height":600.5}'
refused "viewport.width invalid_type,viewport.height invalid_type" \
	"a viewport that is not of integers is refused (C-097)"
with '"viewport":{"width":800,"height":600,"scale":2}'
refused "viewport.scale unknown_field" "a viewport with another member is refused (C-097)"
with '"viewport":[800,600]'
refused "viewport invalid_type" "a viewport that is no object is refused (C-097)"
with '"viewport":{"width":320.0,"height":2160}'
is "$STATUS $(field .session.viewport.width)" "202 320" "a viewport at its bounds is accepted"

# C-098, C-099
api POST "$S" '{"start_url":"http://localhost/","browser_profile":"beos","egress_country":"FR","viewport":{"width":1},"uuid":"x"}'
refused "browser_profile not_allowed,viewport.width out_of_range,viewport.height required,uuid unknown_field,start_url not_allowed,egress_country not_allowed" \
	"one answer names every fault of the request (C-098)"
for m in uuid state creator project_uuid expires_at replayed_from_session_uuid; do
	with "\"$m\":\"x\""
	refused "$m unknown_field" "the member $m is refused as unknown (C-099)"
done
api POST "$S" '{}'
refused "start_url required" "a session needs no member but start_url"
api POST "$S" '{"start_url":null,"egress_country":null}'
refused "start_url invalid_type,egress_country invalid_type" "a member of null is refused (C-028)"
with '"account_uuid":"x"'
is "$STATUS $(field .error.code)" "400 api_key_account_override" \
	"an account override in the body is refused (C-011)"

sql "UPDATE egress_route SET enabled = false"
api GET "$S/capabilities"
is "$STATUS $(field '.capabilities.egress_countries|tojson')" "200 []" \
	"the capabilities list no country without an enabled route"
url https://example.com/
is "$STATUS $(field .error.code)" "503 service_unavailable" \
	"no session of this test was started (C-091)"
is "$(sql "SELECT count(*) FROM browser_session WHERE state NOT IN ('queued', 'terminal')")" 0 \
	"no session of this test was started (C-091)"
