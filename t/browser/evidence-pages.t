#!/bin/sh
# SPDX-License-Identifier: ISC
# A session with the highest number of network events: the pages contain each event once, each page is as fast as
# the first, and the HAR is complete. EVENTS: their number (3000); their documents have the 32 MiB of a session.
. t/lib.sh
EVENTS=${EVENTS:-3000}
pg_start
api_start
web_start
dispatch_start
S=/projects/$P/sessions
u=$(session_new "https://example.com/?shots=0&events=1")
session_at "$u" running
one() { [ "$(sql "SELECT network_events FROM session_evidence WHERE session_uuid = '$u'")" = 1 ]; }
world_until 20 one
api DELETE "$S/$u"
ok "the session with one event is terminal" session_at "$u" terminal
sql "INSERT INTO network_event (session_uuid, seq, uuid, at, doc)
	SELECT session_uuid, seq + i, gen_random_uuid(), at + i / 7 * interval '1 ms', doc || jsonb_build_object('tab', i % 3 + 1,
		'failure', CASE WHEN i % 1000 = 1 THEN 'net::ERR_FAILED' END, 'request_headers', jsonb_build_array(jsonb_build_object(
		'name', 'X', 'value', repeat('y', (33554432 / $EVENTS - octet_length(doc::text) - 130)::integer))))
	  FROM network_event, generate_series(1, $EVENTS - 1) AS i WHERE session_uuid = '$u'"
sql "ANALYZE network_event"

# pages QUERY: reads all pages; writes the microseconds of each answer to W/took.
pages()
{
	: >"$W/ids"
	: >"$W/took"
	_next=
	while :; do
		_from=$(date +%s%N)
		api GET "$S/$u/network-events?limit=100$1${_next:+&cursor=$_next}"
		echo $((($(date +%s%N) - _from) / 1000)) >>"$W/took"
		[ "$STATUS" = 200 ] || return 1
		printf %s "$BODY" | jq -r '.network_events[].id' >>"$W/ids"
		_next=$(field .next_cursor)
		[ "$_next" != null ] || return 0
	done
}
ids() { sql "SELECT uuid FROM network_event WHERE session_uuid = '$u' AND $1 ORDER BY at, uuid"; }

ok "every page of events gets 200" pages || diag "$STATUS $BODY"
ids true >"$W/all"
is "$(wc -l <"$W/all")" "$EVENTS" "the session has the configured number of events"
ok "the pages contain every event once and in order" cmp "$W/all" "$W/ids"
diag "microseconds of a page: first $(head -1 "$W/took"), median $(sort -n "$W/took" | sed -n "$(($(wc -l <"$W/took") / 2 + 1))p"), last $(tail -1 "$W/took"), most $(sort -n "$W/took" | tail -1)"
ok "every page of failed events gets 200" pages "&failed=true"
ids "doc ->> 'failure' IS NOT NULL" | cmp - "$W/ids"
result $? "the pages of failed events contain each of them in order"
diag "microseconds of a page of them: $(head -1 "$W/took")"
like "$(psql -XqAt -c "SET plan_cache_mode = force_generic_plan; $("$BIN/surfaced" -D sql | sed -n 's/^list_events	/PREPARE p AS /p');

	EXPLAIN EXECUTE p ('$u', -1, NULL, NULL, now(), '$u', 100)")" 'Index Scan using network_event_page' \
		"a page begins in the index where the previous one ended"

_from=$(date +%s%N)
api GET "$S/$u/network-events.har"
diag "milliseconds of a HAR of $(wc -c <"$W/body") bytes: $((($(date +%s%N) - _from) / 1000000))"
is "$STATUS $(field '.log.entries|length')" "200 $EVENTS" "the HAR contains every event of the session"
