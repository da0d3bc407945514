#!/bin/sh
# SPDX-License-Identifier: ISC
# Operations that take long run in surfaced_heavy, and an organisation waits for the reports of no other one.
. t/lib.sh
export WORLD_WORKERS=1 WORLD_HEAVY_WORKERS=2
pg_start
api_start
web_start
other=$(ctl --json accounts create --entitlement reports Other | jq -r .account.uuid)
ctl members create --account "$other" --email owner@example.net --owner Owner >/dev/null
OTHER=$(ctl --json keys create --account "$other" --name all --scope all | jq -r .key.key)

# add KEY TEXT: adds a report; prints the status, the code and whether there is a Retry-After.
add()
{
	key=$1 api POST /reports "{\"title\":\"Report\",\"text\":\"The loader calls $2.\"}"
	echo "$STATUS $(field '.error.code // empty') $(header Retry-After | sed 's/[1-9][0-9]*/later/')"
}
# behind NAME COMMAND...: in the background, with an answer of its own.
behind()
{
	_to=$1
	shift
	(
		_at=$W
		W=$W/tmp/$_to
		mkdir -p "$W"
		"$@" >"$_at/tmp/$_to.answer"
	) &
	ALL="${ALL-} $!"
}

# Another transaction has the lock of the other organisation until the test ends it: its reports take as long.
mkfifo "$W/hold"
psql -Xq -v ON_ERROR_STOP=1 <"$W/hold" >"$W/hold.out" 2>&1 &
holder=$!
exec 9>"$W/hold"
printf '%s\n' "BEGIN; SELECT pg_advisory_xact_lock(hashtext('report'), hashtext('$other')), 'held';" >&9
held() { grep -q held "$W/hold.out"; }
ok "the reports of an organisation are held up" world_until 60 held
behind first add "$OTHER" 203.0.113.1
waiting() { [ "$(sql "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%report_lock%'")" = "$1" ]; }
ok "a worker waits for them" world_until 60 waiting 1
heavy_alone() { [ "$(ctl --json workers | jq -c '[.pools[] | select(.busy > 0).pool]')" = '["surfaced_heavy"]' ]; }
ok "the worker is one of surfaced_heavy, and the only one of surfaced_api is free" world_until 60 heavy_alone
key=$KEY api GET /access/self
is "$STATUS" 200 "a request of another organisation is answered meanwhile"
is "$(add "$KEY" 203.0.113.2)" "201  " "a report of another organisation is stored meanwhile"
key=$KEY api POST /reports/extract '{"text":"The loader calls 203.0.113.3."}'
is "$STATUS $(field '.indicators[0].value')" "200 203.0.113.3" "a text is read in surfaced_heavy as well"
many=$(seq -f '203.0.113.%.0f' 1 60 | paste -sd ' ')
report=$(key=$KEY && api POST /reports "{\"title\":\"Many\",\"text\":\"The loader calls $many.\"}" && field .report.uuid)
key=$KEY api POST /reports/extract "{\"text\":\"The loader calls $many.\"}" -H 'Accept-Encoding: gzip'
is "$STATUS $(header Content-Encoding)" "200 " "the answer of surfaced_heavy to a change or a look at a text is not compressed"
key=$KEY api GET "/reports/$report/text" -H 'Accept-Encoding: gzip'
is "$STATUS $(header Content-Encoding)" "200 gzip" "an answer of surfaced_heavy to GET is compressed"
for i in 2 3 4 5 6 7 8; do
	behind "more$i" add "$OTHER" "203.0.113.1$i"
done
busy() { cat "$W"/tmp/more*.answer 2>/dev/null | grep -q .; }
ok "the organisation has as much work waiting as it may" world_until 60 busy
is "$(sort -u "$W"/tmp/more*.answer | grep .)" "503 service_busy later" "one more long request of the organisation is refused, with Retry-After (C-067)"
key=$KEY api GET /access/self
is "$STATUS" 200 "requests of another organisation are still answered"
echo 'COMMIT;' >&9
exec 9>&-
# shellcheck disable=SC2086 # a list of processes
wait $holder $ALL
unlike "$(cat "$W"/tmp/*.answer)" '^[45][^0]|^500' "each report is stored, or refused because it would take too long"
