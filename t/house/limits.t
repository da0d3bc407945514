#!/bin/sh
# SPDX-License-Identifier: ISC
# The database enforces the limits of src/tbl/limits.h on stored values: its CHECK constraints contain the same
# numbers. A new limit needs a row in one of the two lists below.
. t/lib.sh
pg_start

"$BIN/surfaced" -D limits | cut -f1,2 >"$W/limits"
isnt "$(wc -l <"$W/limits")" 0 "surfaced -D limits prints limits"

# LIMIT CONSTRAINT: the definition of the constraint contains the number.
stored='SILENCE_REASON alert_silence_reason_check
QUERY alert_rule_query_check
RULE_DESTINATIONS alert_rule_destination_uuids_check
WEBHOOK_URL alert_destination_url_check
NAME label_check
START_URL_STORED browser_session_start_url_check
VIEWPORT_WIDTH_MIN browser_session_viewport_width_check
VIEWPORT_WIDTH_MAX browser_session_viewport_width_check
VIEWPORT_HEIGHT_MIN browser_session_viewport_height_check
VIEWPORT_HEIGHT_MAX browser_session_viewport_height_check
TAG_SLUG tag_slug_check
EMAIL person_email_check
AGENT sign_in_agent_check
KEY_PROJECTS api_key_projects_check
TAG_NAME tag_name_check
HOST_BYTES record_too_large
REQUEST_ID audit_request_id_check
RECORD_KEY rule_observation_record_key_check
FILTER asset_name_check
FILTER asset_service_service_key_check
FILTER finding_finding_key_check
EVIDENCE finding_evidence_check
REPORT_TEXT report_text_text_check
VERDICT_REASON indicator_verdict_reason_check
RULE_DESCRIPTION rule_description_check
RULE_AUTHOR rule_author_check
RULE_LICENCE rule_licence_check
RULE_TAGS rule_tags_check
RULE_TECHNIQUES rule_techniques_check
RULE_REFERENCES rule_reference_urls_check
RULE_PROJECTS rule_setting_project_uuids_check
WATCHED_WORDS watched_domain_words_check
WATCHED_ALLOWED watched_domain_allow_check'
# Of requests, answers and work, which no row holds; of categories a function tells, below.
passing=' PEOPLE_READS SIGN_IN_DAYS SIGN_INS LINK_FAILURES ROTATION_DAYS USAGE_KEYS STEP PASSKEYS LINK_TOKEN ORGANISATIONS TAG_CATEGORIES MEMBER_PROJECTS AGGREGATE_BODY QUERY_STRING QUERY_STRING_BESIDE_BODY AGGREGATIONS AGGREGATE_FIELD AGGREGATE_LIMIT AGGREGATE_LIMIT_DEFAULT BUCKET_COUNT
 BUCKET_VALUE BUCKET_LABEL ERROR_MESSAGE PAGE SEARCH_PAGE FIELDS PAGE_DEFAULT PAGE_BYTES HOST_SERVICES PAGE_SERVICES FRONT_BYTES BULK_BYTES BULK_IPS BULK_KEYS NAME_RECORDS
 LIMIT_PER_IP LIMIT_PER_IP_DEFAULT JSON_DEPTH QUERY_DEPTH QUERY_CLAUSES QUERY_SET CURSOR HISTORY IDEMPOTENCY_KEY
 REPORT_INDICATORS REPORT_SEARCHED REPORT_BODY REPORT_SENT REPORTS_PRIVATE VERDICTS LOOKUP_VALUES LOOKUP_REPORTS INDICATOR EVIDENCE_TICKET EVIDENCE_TICKET_LIFE TIMELINE_PAGE TIMELINE_PAGE_DEFAULT START_URL VIEWPORT_WIDTH_DEFAULT VIEWPORT_HEIGHT_DEFAULT STREAM_FRAME STREAM_TICKET STREAM_TICKET_LIFE STREAM_MESSAGE STREAM_RATE FINDING_STALE_DAYS FINDING_CLEAR_HOURS REPORT_REQUEST_DAYS EXPORT_RECORDS EXPORTS_LIVE EXPORT_DAYS EXPORT_ATTEMPTS STREAM_TEXT STREAM_FPS STREAM_QUALITY STREAM_TABS DOCUMENT_AGE TEXT LIST BANNER BODY SECRET_TEXT SECRETS DNS_NAME ANSWER
 TYPOSQUATTING_FINDINGS SERVICE_EXPOSURES AI_MODELS SECRET_LOCATIONS SECRET_FINDINGS DANGLING_HOPS DANGLING_FINDINGS DANGLING_NAMES
 WATCHED_DOMAINS WATCHED_WORD MIN_SCORE MIN_SCORE_ALONE CANDIDATE_DAYS PREVIEW PREVIEW_NAMES WATCHED_BODY
 TAGS_OWN OBSERVED_FIELDS OBSERVED_VALUE
 SUSPECT_SERVICES APEX_DOMAINS INVENTORY_ASSETS DIRECTORY_FILES DANGLING_RECORDS DANGLING_READ PREVIEW_CANDIDATES
 RULE_RETRY_HOURS RULE_OBSERVATIONS RULE_FINDINGS RULE_KEPT RULE_TAGGED
 RULES_OWN RULES_ENABLED RULES_UNANCHORED RULES_UNANCHORED_ALL RULE_MATCHES RULE_FALSE_POSITIVE RULE_TESTS RULE_RECORD RULE_TITLE RULE_RANK RULE_SAMPLE RULE_BODY RULE_IMPORT RULES_IMPORT RULES_EXPORT '

while read -r limit constraint; do
	value=$(awk -v n="$limit" '$1 == n { print $2 }' "$W/limits")
	like "$(sql "SELECT pg_get_constraintdef(oid) FROM pg_constraint WHERE conname = '$constraint'")" "[^0-9]${value:-none}([^0-9]|\$)" \
		"$constraint contains $value, the limit $limit"
done <<END
$stored
END
while read -r limit _; do
	case "$(printf '%s\n' "$stored" | sed 's/ .*/ /' | tr -d '\n') $(printf %s "$passing" | tr '\n' ' ')" in
	*" $limit "* | "$limit "*) ;;
	*) fail "$limit is in neither list of this test" ;;
	esac
done <"$W/limits"
for limit in $(printf '%s\n' "$stored" | cut -d' ' -f1) $passing; do
	grep -q "^$limit	" "$W/limits" || fail \
		"the list of this test has $limit, which src/tbl/limits.h lacks"
done

# Of spans of time, which functions of the database have.
while read -r limit unit function; do
	value=$(awk -v n="$limit" '$1 == n { print $2 }' "$W/limits")
	like "$(sql "SELECT prosrc FROM pg_proc WHERE proname = '$function'")" "interval '${value:-none} $unit'" \
		"$function contains $value $unit, the limit $limit"
done <<END
FINDING_STALE_DAYS days finding_is_stale
FINDING_CLEAR_HOURS hours finding_contradicted
END

# Of numbers of a document's members, which functions of the database have.
while read -r limit function; do
	value=$(awk -v n="$limit" '$1 == n { print $2 }' "$W/limits")
	like "$(sql "SELECT prosrc FROM pg_proc WHERE proname = '$function'")" "[>=] ${value:-none}[^0-9]" \
		"$function contains $value, the limit $limit"
done <<END
APEX_DOMAINS secret_owner
SUSPECT_SERVICES secret_look
END

# At their edges, where a definition alone says little.
refused() { ok "$1" sh -c "! psql -XqAt -v ON_ERROR_STOP=1 -c \"$2\" >/dev/null 2>&1"; }
taken() { ok "$1" sh -c "psql -XqAt -v ON_ERROR_STOP=1 -c \"$2\" >/dev/null"; }
r=$(rule_new)
silence() { echo "INSERT INTO alert_silence (project_uuid, rule_uuid, reason, starts_at, ends_at) VALUES ('$P', '$r', repeat('é', $1), now(), now() + interval '$2')"; }
taken "the database accepts a reason of 500 characters" "$(silence 500 '1 hour')"
refused "the database refuses a reason of 501 characters" "$(silence 501 '1 hour')"
taken "the database accepts a silence of one year" "$(silence 1 '1 year')"
refused "the database refuses a silence of more than one year" "$(silence 1 '1 year 1 second')"
rule() { echo "UPDATE alert_rule SET query = repeat('a', $1), destination_uuids = array_fill('$r'::uuid, ARRAY[$2]) WHERE uuid = '$r'"; }
taken "the database accepts a query and destinations at their limits" "$(rule 8192 16)"
refused "the database refuses a query of 8193 characters" "$(rule 8193 16)"
refused "the database refuses a rule with 17 destinations" "$(rule 8192 17)"
tag() { echo "INSERT INTO tag (slug, name, categories) VALUES ('t$1', 't', (SELECT array_agg('c' || n) FROM generate_series(1, $1) AS n))"; }
taken "the database accepts the highest number of categories of a tag" \
	"$(tag "$(awk '$1 == "TAG_CATEGORIES" { print $2 }' "$W/limits")")"
refused "the database refuses one category more than a tag may have" \
	"$(tag "$(awk '$1 == "TAG_CATEGORIES" { print $2 + 1 }' "$W/limits")")"
