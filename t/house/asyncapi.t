#!/bin/sh
# SPDX-License-Identifier: ISC
# asyncapi.json is generated from the list of the stream's messages, an independent parser accepts it, and
# surfaced-stream-messages(7) names every message and member.
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=t/helper/tap.sh
. t/helper/tap.sh
bin=${TOP_BUILDDIR:-.}
page=man/surfaced-stream-messages.7
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$bin/surfaced" -D asyncapi >"$work/asyncapi.json"
jq -S . "$work/asyncapi.json" >"$work/sorted.json"
ok "the generated asyncapi.json equals t/golden/asyncapi.json" \
	diff -u t/golden/asyncapi.json "$work/sorted.json"

# Every message of the list is in the document; messages of the client allow no unknown members.
rows=$(grep -cE '^(CLIENT|SERVER)\(' src/tbl/stream_messages.h)
ok "asyncapi.json has every message of the list and the frame" jq -e --argjson rows "$rows" \
	'.components.messages | length == $rows + 1' "$work/asyncapi.json"
ok "messages of the client are closed, messages of the server allow unknown members" jq -e \
	'[.components.messages | to_entries[] | select(.key != "frame") |
	(.value.payload.additionalProperties == false) == (.key | startswith("client_"))] | all' "$work/asyncapi.json"

modules=$(t/helper/npm) || modules=none
ok "the parser of AsyncAPI accepts asyncapi.json" \
	env MODULES="$modules" node t/helper/asyncapi.mjs "$work/asyncapi.json"

# The close codes of refusals come from one table.
ok "the close codes of refusals are in asyncapi.json" sh -c \
	'sed -nE "s/^STREAM_REFUSAL\(([A-Z_]+),[[:space:]]*([0-9]+),[[:space:]]*\"(.*)\"\)/\2, \3;/p" src/tbl/stream_refusals.h |
	while read -r row; do jq -e --arg row "$row" ".channels.stream.bindings.ws.query.properties.refusal.description | contains(\$row)" "$1" >/dev/null || exit 1; done' \
	_ "$work/asyncapi.json"
sed -nE 's/^STREAM_REFUSAL\(([A-Z_]+),[[:space:]]*([0-9]+),[[:space:]]*"(.*)"\)/\2 \L\1/p' src/tbl/stream_refusals.h >"$work/refusals"
ok "the table of refusals has seven rows at least" test "$(wc -l <"$work/refusals")" -ge 7
while read -r code name; do
	ok "surfaced-stream-messages(7) names the close code $code $name" \
		sh -c "grep -A1 -xF '.It $code' $page | grep -qxF '.Li $name :'"
done <"$work/refusals"

# The section of one side in the page, and the words that it marks as messages and members.
part() {
	sed -n "/^\\.Ss From the $1\$/,/^\\.S[sh] [^F]/p" "$page" | sed '2,${/^\.Ss From/,$d;}' >"$work/part"
}
members() {
	jq -r --arg key "$1" '
		def walk(prefix): .properties // {} | to_entries[] | select(prefix != "" or .key != "type") |
			(prefix + .key), (.key as $k | .value, (.value.items // {}) | walk(prefix + $k + "."));
		.components.messages[$key].payload | walk("")' "$work/asyncapi.json"
}
for side in client:viewer server:browser; do
	part "${side#*:}"
	for key in $(jq -r '.components.messages | keys[]' "$work/asyncapi.json" | grep "^${side%:*}_"); do
		name=${key#*_}
		sed -n "/^\\.It Ic $name\$/,/^\\.It Ic /p" "$work/part" >"$work/message"
		ok "surfaced-stream-messages(7) documents the message $key" test -s "$work/message"
		for member in $(members "$key"); do
			ok "surfaced-stream-messages(7) documents $member of $key" \
				grep -qxF ".It Li $member" "$work/message"
		done
	done
	ok "surfaced-stream-messages(7) documents no other message of the ${side#*:}" \
		test "$(grep -c '^\.It Ic ' "$work/part")" -eq \
		"$(grep -c "^$(echo "${side%:*}" | tr a-z A-Z)(" src/tbl/stream_messages.h)"
done
done_testing
