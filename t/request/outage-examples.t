#!/bin/sh
# SPDX-License-Identifier: ISC
# C-122: what openapi.json shows for 500, 502 and 503 is what a client gets when a part of the service is away. Each
# answer is valid against the schema of its operation and status; where it has the code of the example, it is equal
# to the example but for its request_id.
. t/lib.sh
WORLD_CONF='meter_wait = 200'
pg_start
api_start
web_start
stranger_new
ctl entitlements grant --account "$ACCOUNT2" search >/dev/null
api GET /openapi.json
printf '%s' "$BODY" >"$W/openapi.json"

# answers OPERATION STATUS CODE example|valid TITLE: compares the last answer with the document.
answers()
{
	printf '%s' "$BODY" >"$W/answer"
	is "$STATUS $(field .error.code) $(/usr/bin/python3 t/helper/examples.py "$W/openapi.json" "$1" "$2" "$W/answer" 2>&1)" \
		"$2 $3 $4" "$5"
}
silence='{"rule_uuid":"3f0b6a52-5d0c-4c3a-9a55-0f6d1c2b7e91","reason":"x","ends_at":"2099-01-01T00:00:00Z"}'

# There is no index yet.
api GET '/search/hosts/count?q=port:22'
answers countHosts 503 search_upstream_failed valid "a search without an index is answered as documented"

# nginx cannot store a body that does not fit into its buffer.
mv "$W/tmp/body" "$W/tmp/body.away"
{
	printf '%s' "$silence"
	head -c 70000 /dev/zero | tr '\0' ' '
} >"$W/large"
api POST "/projects/$P/alerting/silences" --data-binary "@$W/large"
answers createAlertSilence 500 internal_error example "a change that nginx cannot store is answered as in the example"
api POST /search/hosts/aggregate --data-binary "@$W/large"
answers aggregateHosts 500 internal_error example "a search that nginx cannot store is answered as in the example"
mv "$W/tmp/body.away" "$W/tmp/body"

world_kill surfaced-meter
rm "$W/run/meter.map"
api GET '/search/hosts/count?q=port:22'
answers countHosts 503 api_metering_unavailable example "a search without surfaced-meter is answered as in the example"
api GET "/projects/$P/alerting/silences"
answers listAlertSilences 503 api_metering_unavailable valid "a list without surfaced-meter is answered as documented"

world_pg_stop
key=$KEY2 # the worker has not seen it before
api GET '/search/hosts/count?q=port:22'
answers countHosts 503 authentication_unavailable valid "a search without the database is answered as documented"
api GET "/projects/$P/alerting/silences"
answers listAlertSilences 503 authentication_unavailable valid "a list without the database is answered as documented"

world_kill surfaced
api GET '/search/hosts/count?q=port:22'
answers countHosts 502 search_upstream_failed example "a search without workers is answered as in the example"
api GET "/projects/$P/alerting/silences"
answers listAlertSilences 503 service_unavailable example "a list without workers is answered as in the example"
api GET /openapi.json
answers getOpenapi 503 service_unavailable example "openapi.json without workers is answered as in the example"
finish
