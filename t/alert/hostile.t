#!/bin/sh
# SPDX-License-Identifier: ISC
# Hostile receivers: each costs no more than the time of its attempt and a bounded amount of memory, and none
# delays the others. Redirects and names are tested in alert/webhooks.t.
. t/lib.sh
. t/helper/hooks.sh
pg_start
api_start
web_start
hooks_start

all=''
for kind in slowbody drip heads badheads line hundreds trailers chunks bomb informed switch nine nothing stall ok; do
	all="$all $(hook $kind)"
done
name=$(hook ok hooks.example.net)
tickets=$(hook ok tickets.example.com)
sql "UPDATE alert_destination SET name = 'name' WHERE uuid = '$name'; UPDATE alert_destination SET name = 'tickets' WHERE uuid = '$tickets'"
cp "$H/secrets/ok" "$H/secrets/name"
# shellcheck disable=SC2086 # a list of UUIDs
set -- $all "$name" "$tickets"
# A rule has sixteen destinations at most.
hooks_rule "$1" "$2" "$3" "$4" "$5" "$6" "$7" "$8" "$9" >"$W/rule"
shift 9
hooks_rule "$@" >"$W/rule"
hooks_alert "webhook_attempts = 2" "webhook_project = 64" "webhook_timeout = 4000"
hooks_import 1 1
# state KIND: prints the state of its deliveries with attempts, status and failure.
state()
{
	sql "SELECT string_agg(DISTINCT d.state || ' ' || attempts || ' ' || coalesce(http_status_code::text, '-') || ' ' || coalesce(failure, '-'), ' | ')
		FROM alert_delivery d JOIN alert_destination t ON t.uuid = d.destination_uuid WHERE t.name = '$1'"
}
made() { [ "$(state ok)" = "delivered 1 200 -" ]; }
ok "a well-behaved receiver gets its delivery beside hostile ones" world_until 30 made
settled() { hooks_settled && [ "$(sql "SELECT count(*) FROM alert_delivery")" -eq 17 ]; }
ok "every delivery to a hostile receiver is settled" world_until 20 settled
is "$(state slowbody)" "delivered 1 200 -" "an answer whose body does not end in time counts by its status"
is "$(state heads)" "delivered 1 200 -" "an answer 200 whose head does not end counts as delivered"
is "$(state badheads)" "failed 2 500 the receiver answered 500" \
	"an answer 500 whose head is malformed counts as a failure"
is "$(state trailers), $(state chunks)" "delivered 1 200 -, delivered 1 200 -" \
	"endless trailers and chunks do not fail a delivery"
is "$(state bomb)" "delivered 1 200 -" "a compressed body is not decompressed"
is "$(state informed)" "delivered 1 200 -" "the interim answers 100 and 103 precede the final one"
is "$(state hundreds)" "failed 2 - the receiver gave no valid answer" \
	"the interim answers 100 and 103 alone fail a delivery"
is "$(state switch)" "failed 2 - the receiver gave no valid answer" "the answer 101 alone fails a delivery"
is "$(state drip)" "failed 2 - the receiver did not answer in time" \
	"a delivery fails if the head arrives too slowly"
like "$(state line)" "^failed 2 - " "a delivery fails if a line does not end"
is "$(state nine)" "failed 2 - the receiver gave no valid answer" \
	"a delivery fails if the answer is HTTP/0.9"
is "$(state nothing)" "failed 2 - the receiver gave no valid answer" \
	"a delivery fails if the receiver closes without an answer"
like "$(cat "$W/log/surfaced-alert.log")" "detail=.*HTTP/0.9" \
	"the log has the reason of libcurl for the administrator"
is "$(state name)" "failed 2 - the receiver's certificate could not be verified" \
	"a delivery fails if the certificate has another name"
like "$(state tickets)" "^(failed 2|delivered 1) " "endless session tickets of TLS do not block the engine"
worker=$(pgrep -P "$(world_pid surfaced-alert)")
peak=$(sed -n 's/^VmHWM:[^0-9]*\([0-9]*\) kB/\1/p' "/proc/$worker/status")
ok "the engine needs at most 100 MB ($peak kB)" test "$peak" -lt 100000
is "$(cat "$H/private" 2>/dev/null)" "" "no request reached a private address"
