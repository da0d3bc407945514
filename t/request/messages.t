#!/bin/sh
# SPDX-License-Identifier: ISC
# Messages of common mistakes name the part of the request that is wrong and the right one. They repeat no value
# that was sent, only names of parameters and members, escaped and cut, and words of a query (C-062).
. t/lib.sh
pg_start
index_start
api_start
web_start

# says METHOD PATH BODY WHAT
says()
{
	if [ -n "$3" ]; then api "$1" "$2" "$3"; else api "$1" "$2"; fi
	is "$(field .error.message)" "$4" \
		"the message explains $1 ${2##"/projects/$P"} $3"
}

asked() { says GET "/search/hosts?q=$(printf %s "$1" | jq -sRr @uri)" "" "Character $2"; }
asked 'contry:GB' '1 of the query: unknown field "contry"; did you mean "country"?'
asked 'ssl:true' '1 of the query: unknown field "ssl"; /search/schemas lists them, and text with : or = needs quotes'
asked 'port:22-80' '6 of the query: services.port takes an integer, or a range such as [1 TO 9], not "22-80"'
asked 'port : 22' '6 of the query: no white space can stand before : and other operators'
asked 'port:22 && country:GB' '9 of the query: write AND'

says GET '/search/hosts?page=2' "" \
	"The query parameters are not valid. page: is unknown; the operation takes q, limit, fields, cursor."
says GET '/search/hosts?Limt=2' "" \
	"The query parameters are not valid. Limt: is unknown; the operation takes q, limit, fields, cursor; did you mean limit?"
says GET '/search/schemas?q=x' "" "The query parameters are not valid. q: is unknown; the operation takes no parameter."
says GET '/usage?days=7' "" "The request is not valid. days: is unknown; the operation takes window."
is "$(field '.error.field_errors[0]|"\(.field) \(.code)"')" "days unknown_field" "the field error has the name"
says GET '/usage?%3Cb%3E%C3%A9%20%09=7' "" \
	"The request is not valid. %3Cb%3E%C3%A9%20%09: is unknown; the operation takes window."
says GET "/usage?$(printf '%041d' 0)=7" "" \
	"The request is not valid. $(printf '%040d' 0)...: is unknown; the operation takes window."
says GET '/usage?=7' "" "The query string has a parameter without a name."
says GET '/usage?window=14d' "" "The request is not valid. window: must be one of 7d, 30d, 90d, 180d."
says GET '/usage?window=7d&window=7d' "" "The request is not valid. window: is repeated."
is "$(field '.error.field_errors[0]|"\(.field) \(.code)"')" "window duplicate" \
	"the field error of a repeated window names field and code"
says GET '/search/hosts?limit=1500' "" "The pagination parameters are not valid. limit: must be from 1 to 1000."
says GET "/projects/$P/esi/services?hostname=" "" "The request is not valid. hostname: must have from 1 to 500 characters."
says GET "/projects/$P/sessions/x" "" "The request is not valid. session_uuid: must be a UUID."
is "$(field '.error.field_errors[0]|"\(.field) \(.code)"')" "session_uuid invalid_format" \
	"the field error of a malformed UUID names field and code"
says GET /search/host "" "No such operation; openapi.json lists all operations."
says PUT /usage "" "The path does not have this method; the header Allow lists its methods."

agg="is no aggregatable field of the dataset"
counted() { says POST /search/hosts/aggregate "{\"aggregations\":[{\"field\":\"$1\"}]}" "aggregations[0].field: $2"; }
counted country "$agg; did you mean country_code?"
counted services.http.titel "$agg; did you mean services.http.title?"
counted last_seen "$agg; GET /search/schemas lists them."
counted nonsense "$agg; GET /search/schemas lists them."
says POST /search/hosts/aggregate '[]' "The body must be a JSON object."

says POST "/projects/$P/alerting/silences" \
	"{\"rule_uuid\":\"$(uuid_new)\",\"reason\":\"x\",\"ends_at\":\"2990-01-01T00:00:00Z\",\"start_at\":1}" \
	"The request is not valid. start_at: is not a known member; did you mean starts_at?"
says POST "/projects/$P/alerting/silences" \
	"{\"rule_uuid\":\"$(uuid_new)\",\"reason\":\"x\",\"ends_at\":\"2020-01-01T00:00:00Z\"}" \
	"The request is not valid. ends_at: must be in the future."
key=$(key_new --scope search.view) says GET /search/hosts/count "" "The API key lacks the scope search.aggregate."
