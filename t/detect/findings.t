#!/bin/sh
# SPDX-License-Identifier: ISC
# Rules for every detector (C-127 to C-129, C-165, C-167): what people decide stays, when data clear a finding, how imports and detectors share
# one, and its alert. A row of this table is a detector: the type of its findings, the dataset that it reads, the function below
# that writes its documents, and what the names of its subjects look like. The inventory makes assets and no findings.
. t/lib.sh
. t/helper/detect.sh

rows()
{
	cat <<.
dangling-dns dangling_dns dns cname n%s.acme.com
typosquatting typosquatting dns lookalike paypal-n%s.com
secrets exposed_secret hosts banner 192.0.2.1%s
threat-indicators threat_indicator reports indicator 192.0.2.2%s
rules exposed_service hosts service 192.0.2.3%s
inventory - dns name n%s.example.org
.
}
# Each detector has a subject for each of these cases.
FALSE=1 RISK=2 PERSON=3 GONE=4 OLD=5 NOTED=6 FIRST=7 CASES=7

pg_start
index_start
api_start
web_start
alert_start
echo 'detect_poll = 50' >>"$W/etc/surfaced-detect.conf"

# at HOURS: the time so many hours from the begin of this script, which stands.
T=$(date +%s)
at() { date -u -d "@$((T + $1 * 3600))" +%Y-%m-%dT%H:%M:%SZ; }

# ---- documents: N NAME HOURS [else], of data so many hours from now that show the finding, or contradict it ----

dns() { printf '{"host":"%s","record_type":"%s","rcode":"%s"%s,"first_seen":"%s","last_seen":"%s"}\n' "$1" "$2" "$3" "${5:+,\"answer\":\"$5\"}" "$4" "$4"; }
cname()
{
	if [ -n "${4-}" ]; then
		dns "$2" CNAME NXDOMAIN "$(at "$3")"
	else
		dns "$2" CNAME NOERROR "$(at "$3")" "n$1.eu-west-1.elasticbeanstalk.com"
		dns "n$1.eu-west-1.elasticbeanstalk.com" A NXDOMAIN "$(at "$3")"
	fi
}
lookalike()
{
	if [ -n "${4-}" ]; then dns "$2" A NXDOMAIN "$(at "$3")"; else dns "$2" A NOERROR "$(at "$3")" 192.0.2.99; fi
}
name() { [ -n "${4-}" ] || dns "$2" A NOERROR "$(at "$3")" 198.51.100.9; }
host()
{
	_time=$(at "$2")
	printf '{"ip":"%s","first_seen":"%s","last_seen":"%s","services":[{"port":%s,"transport":"tcp","first_seen":"%s","last_seen":"%s"%s}]}\n' \
		"$1" "$_time" "$_time" "$3" "$_time" "$_time" "$4"
}
banner()
{
	_said=none
	[ -n "${4-}" ] || _said=$(sed -n "$1p" "$W/secrets")
	host "$2" "$3" 8080 ",\"banner\":\"token $_said\""
}
service() { host "$2" "$3" 6379 ",\"product\":\"$([ -n "${4-}" ] && echo KeyDB || echo Redis)\""; }
# Statements. A report that is withdrawn contradicts its findings at the present time: their data become older instead.
indicator()
{
	if [ -n "${4-}" ]; then
		echo "UPDATE finding SET last_seen_at = now() - interval '$(($3 + 72)) hours' WHERE finding_key = 'indicator/ipv4/$2';
			UPDATE detector_work SET due_at = now() WHERE subject = '$2';
			SELECT report_withdraw('$ACCOUNT', uuid) FROM report WHERE source_ref LIKE '$2/%' AND status = 'published';"
	else
		echo "SELECT report_put(jsonb_build_object('uuid', u, 'account_uuid', '$ACCOUNT', 'source_kind', 'native', 'source_ref', '$2/' || u, 'status', 'published',
			'revision', 1, 'title', 'Report', 'threat_actors', e, 'malware_families', e, 'sectors', e, 'techniques', e, 'cves', e,
			'countries', e, 'tags', e, 'imported_at', now(), 'updated_at', now(), 'first_seen', t, 'last_seen', t,
			'truncated', false, 'published_at', t, 'digest', '\\x' || repeat('00', 32)), NULL,
			jsonb_build_array(jsonb_build_object('uuid', gen_random_uuid(), 'type', 'ipv4', 'value', '$2',
				'disposition', 'indicator', 'confidence', 90, 'occurrences', 1, 'defanged', false, 'labels', e)), '[]',
			decode('7fffffffffffffff', 'hex') || uuid_send(u), '{\"visibility\":\"*\",\"uuid\":\"' || u || '\"}')
			FROM (SELECT md5('$2/$3')::uuid AS u, '{}'::text[] AS e, '$(at "$3")'::timestamptz AS t) AS x;"
	fi
}

# give N HOURS [else]: writes the document of a case for each detector; store reads them all in.
give()
{
	rows | while read -r _detector _type _dataset _document _format; do
		# shellcheck disable=SC2059 # the table has formats
		"$_document" "$1" "$(printf "$_format" "$1")" "$2" ${3+"$3"} >>"$W/give.$_dataset"
	done
}
store()
{
	for _dataset in dns hosts; do
		[ ! -s "$W/give.$_dataset" ] || ctl import "$_dataset" --format ndjson - <"$W/give.$_dataset" >/dev/null 2>"$W/err" || diag "$(cat "$W/err")"
		: >"$W/give.$_dataset"
	done
	{ echo "BEGIN;"; cat "$W/give.reports"; echo "COMMIT;"; } >"$W/sql"
	: >"$W/give.reports"
	sql "$(cat "$W/sql")" >/dev/null
	detect_idle
}
# Every detector looks at everything again.
again()
{
	sql "SELECT detector_ask_all(d, '$P') FROM unnest('{inventory,dangling-dns,typosquatting,secrets,threat-indicators}'::text[]) AS d;
		UPDATE record SET doc = doc" >/dev/null
	detect_idle
}
# each EXPRESSION N WANTED TITLE: an assertion for each detector with findings, about column or expression of its finding.
each()
{
	sql "SELECT s.detector || '|' || coalesce($1, '-') FROM subject s LEFT JOIN finding f ON f.project_uuid = '$P' AND f.finding_key = s.finding_key
		WHERE s.n = $2 ORDER BY s.detector" >"$W/each"
	rows | while read -r _detector _type _; do
		[ "$_type" = - ] || echo "$_detector"
	done >"$W/detectors"
	while read -r _detector; do
		is "$(sed -n "s/^$_detector|//p" "$W/each")" "$3" "$_detector: $4"
	done <"$W/detectors"
}
decide()
{
	for _uuid in $(sql "SELECT uuid FROM finding f JOIN subject s USING (finding_key) WHERE s.n = $1"); do
		api POST "/projects/$P/esi/findings/$_uuid/$2"
		[ "$STATUS" = 200 ] || diag "$2: $STATUS $BODY"
	done
}
settled() { [ "$(sql "SELECT count(*) FROM alert_change")" = 0 ]; }

# ---- the first time ----

is "$(rows | cut -d' ' -f1 | sort | paste -sd ' ')" "$(sed -n 's/^DETECTOR([^"]*"[^"]*",[^"]*"\([^"]*\)".*/\1/p' src/tbl/detectors.h | sort | paste -sd ' ')" \
	"the table of this test has every detector"
sql "INSERT INTO asset (project_uuid, kind, name, metadata, first_seen_at, last_seen_at)
	SELECT '$P'::uuid, kind, name, metadata, '2026-01-01'::timestamptz, '2026-01-01'::timestamptz
	  FROM (SELECT 'domain', 'example.org', '{\"seed\":true}'::jsonb UNION ALL SELECT 'domain', 'acme.com', '{}'
		UNION ALL SELECT 'address', '192.0.2.' || n, '{}' FROM generate_series(10, 39) AS n) AS v (kind, name, metadata);
	INSERT INTO watched_domain (project_uuid, domain, min_score) VALUES ('$P', 'paypal.com', 20)"
detect_rule services surface 'port:6379 product:redis' account_uuid=NULL "content_sha256='$(printf x | sha256sum | cut -c1-64)'" \
	"produces='{\"area\":\"service\",\"exposure_kind\":\"database\",\"rank\":1,\"title\":\"Redis at {ip}\"}'" >/dev/null
for n in $(seq "$CASES"); do
	python3 t/helper/secrets.py github "$n"
done >"$W/secrets"
rows | while read -r _ type _; do
	[ "$type" = - ] || echo "$type"
done >"$W/types"
while read -r type; do
	api POST "/projects/$P/alerting/rules" "{\"name\":\"$type\",\"source\":\"finding\",\"query\":\"finding_type:$type\",\"destination_uuids\":[]}"
	[ "$STATUS" = 201 ] || diag "$STATUS $BODY"
done <"$W/types"
for n in $(seq "$CASES"); do
	give "$n" "$([ "$n" = "$OLD" ] && echo -696 || echo -72)"
done
: >>"$W/give.reports"
detect_start
store

# What was found, by the names of the subjects.
rows | while read -r detector type _ _ format; do
	for n in $(seq "$CASES"); do
		# shellcheck disable=SC2059 # the table has formats
		echo "('$detector', '$type', $n, '$(printf "$format" "$n")'),"
	done
done | sed '$s/,$//' >"$W/values"
sql "CREATE TABLE subject AS SELECT v.detector, v.n, f.finding_key FROM (VALUES $(cat "$W/values")) AS v (detector, type, n, name)
	JOIN finding f ON f.detector = v.detector AND f.finding_type = v.type AND (f.finding_key LIKE '%' || name || '%' OR f.evidence::text LIKE '%' || name || '%')"
for n in $(seq "$CASES"); do
	[ "$(sql "SELECT count(*) FROM subject WHERE n = $n")" = "$(wc -l <"$W/types")" ] || diag "case $n: $(sql "SELECT * FROM subject WHERE n = $n")"
done
is "$(sql "SELECT count(*) FROM subject") $(sql "SELECT count(*) FROM finding")" "$((CASES * $(wc -l <"$W/types"))) $((CASES * $(wc -l <"$W/types")))" \
	"each detector but the inventory has found each subject, and nothing else"
is "$(sql "SELECT count(*) FROM asset WHERE name LIKE 'n_.example.org'") $(sql "SELECT count(*) FROM finding WHERE detector = 'inventory'")" "$CASES 0" \
	"the inventory adds an asset for each of its subjects, and makes no finding"
again
world_until 30 settled
while read -r type; do
	is "$(sql "SELECT count(*), count(DISTINCT source_uuid), max(raised_count) FROM alert a JOIN alert_rule r ON r.uuid = a.rule_uuid WHERE r.name = '$type'")" "$CASES|$CASES|1" \
		"$type: an existing rule raises one alert for each finding, also when it is found again (C-167)"
done <"$W/types"

# ---- what people decide (C-128), contradictions and missing data (C-129), imports (C-165) ----

decide $FALSE false-positive
decide $RISK accept-risk
decide $PERSON resolve
give $FALSE -47 else
give $RISK -1
give $PERSON -1
give $GONE -60 else
# An import of what is there, and one of a finding that the detector makes later.
sql "SELECT json_build_object('finding_key', finding_key, 'finding_type', finding_type, 'title', 'Ours', 'severity', 'low', 'status_note', 'ours',
	'last_seen_at', '$(at -71)') FROM finding JOIN subject USING (finding_key) WHERE n IN ($NOTED, $FIRST)" >"$W/ours"
sql "DELETE FROM finding WHERE finding_key IN (SELECT finding_key FROM subject WHERE n = $FIRST)" >/dev/null
ctl import findings --project "$P" - <"$W/ours" >/dev/null
each "status_note || ' ' || title || ' ' || (f.detector = s.detector)" $NOTED "ours Ours true" "an import of a key that the detector has found is the same finding (C-165)"
each "status_note || ' ' || title || ' ' || coalesce(f.detector, 'nobody')" $FIRST "ours Ours nobody" "an import of a key of its making is a finding before the detector finds it (C-165)"
give $NOTED -1
give $FIRST -1
store
each status $FALSE false_positive "a false positive that data contradict for a day stays one (C-128)"
each status $RISK accepted_risk "an accepted risk that newer data show stays one (C-128)"
each "status || ' ' || (last_seen_at > now() - interval '1 day')" $RISK "accepted_risk true" "what newer data show of an accepted risk is stored (C-128)"
each status $PERSON resolved "data older than a person's decision do not reopen a finding (C-128)"
each status $GONE open "data that contradict a finding for 12 hours do not clear it (C-129)"
for n in $NOTED $FIRST; do
	each "status || ' ' || status_note || ' ' || (title <> 'Ours') || ' ' || (f.detector = s.detector)" $n "open ours true true" \
		"the detector finds what was imported, and leaves its status_note (C-165)"
done
is "$(sql "SELECT count(*) FROM finding")" "$((CASES * $(wc -l <"$W/types")))" "imports and detectors have made no second finding of a key (C-165)"
give $PERSON 1
give $GONE -47 else

# Two days pass for what nobody has seen again: its data become so much older.
older="- interval '2 days'"
sql "UPDATE finding SET first_seen_at = first_seen_at $older, last_seen_at = last_seen_at $older WHERE finding_key IN (SELECT finding_key FROM subject WHERE n = $OLD);
	UPDATE report SET published_at = published_at $older, first_seen = first_seen $older, last_seen = last_seen $older WHERE last_seen < now() - interval '20 days';
	UPDATE secret_seen SET seen_at = seen_at $older WHERE seen_at < now() - interval '20 days';
	UPDATE secret_place SET first_seen_at = first_seen_at $older, last_seen_at = last_seen_at $older WHERE last_seen_at < now() - interval '20 days';
	UPDATE record SET doc = replace(doc, '$(at -696 | tr -d Z)', '$(at -744 | tr -d Z)')"
store
each status $PERSON open "data newer than a person's decision reopen a finding (C-128)"
each "status || ' ' || (resolved_by_membership_uuid IS NULL)" $GONE "resolved true" "data that contradict a finding for 25 hours clear it (C-129)"
again
again
each status $FALSE false_positive "a false positive stays one when everything is looked at again (C-128)"
each status $RISK accepted_risk "an accepted risk stays one when everything is looked at again (C-128)"
each "status || ' ' || (last_seen_at < now() - interval '30 days')" $OLD "open true" "a finding that no data show or contradict for 30 days stays open (C-129)"
api GET "/projects/$P/esi/findings?stale=true&limit=100"
is "$(field '[.findings[].detector]|sort|join(" ")')" "$(sort "$W/detectors" | paste -sd ' ')" "one finding of each detector is stale after 30 days without data (C-129)"
is "$(sql "SELECT count(*) FROM asset WHERE name LIKE 'n_.example.org'")" "$CASES" "missing and contradicting data remove no asset that the inventory added"
world_until 30 settled
is "$(sql "SELECT string_agg(n::text, ' ') FROM (SELECT count(*) AS n FROM alert WHERE source_uuid IN (SELECT uuid FROM finding f JOIN subject s USING (finding_key)
	WHERE s.n = $NOTED) GROUP BY source_uuid) AS x")" "$(sed 's/.*/1/' "$W/types" | paste -sd ' ')" "a finding that is imported and found again keeps its one alert (C-167)"
