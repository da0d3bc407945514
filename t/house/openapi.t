#!/bin/sh
# SPDX-License-Identifier: ISC
# C-122: openapi.json is generated from the tables, has version 1.0.0 and is accepted by an independent linter.
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=t/helper/tap.sh
. t/helper/tap.sh
bin=${TOP_BUILDDIR:-.}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

redocly() {
	modules=$(t/helper/npm) || return 1
	REDOCLY_TELEMETRY=off REDOCLY_SUPPRESS_UPDATE_NOTICE=true node "$modules/@redocly/cli/bin/cli.js" lint \
		--config t/helper/redocly.yaml "$work/openapi.json"
}

spectral() {
	modules=$(t/helper/npm) || return 1
	cp t/helper/spectral.yaml "$work" && (cd "$work" && node "$modules/@stoplight/spectral-cli/dist/index.js" lint \
		--fail-severity hint --ruleset spectral.yaml openapi.json)
}

typescript() {
	modules=$(t/helper/npm) || return 1
	node "$modules/openapi-typescript/bin/cli.js" "$work/openapi.json" --output "$work/openapi.ts" &&
		node "$modules/typescript/bin/tsc" --noEmit --strict "$work/openapi.ts"
}

names() { jq -r ".components.$1 | keys[]" "$work/openapi.json"; }

"$bin/surfaced" -D openapi >"$work/openapi.json"
jq -S . "$work/openapi.json" >"$work/sorted.json"
ok "surfaced -D openapi prints valid JSON" jq -e . "$work/openapi.json"
ok "openapi.json has version 1.0.0 (C-122)" \
	jq -e '.info.version == "1.0.0" and (.openapi | startswith("3.1"))' "$work/openapi.json"
ok "the generated openapi.json equals t/golden/openapi.json" \
	diff -u t/golden/openapi.json "$work/sorted.json"
ok "redocly accepts openapi.json without a warning" redocly
# Validators of Python refuse a schema that requires what it does not define.
none "each required member of a schema is one of its properties" \
	"$(jq -r '[.. | objects | select(.required | type == "array") | (.required - (.properties // {} | keys))[]] | unique[]' \
		"$work/openapi.json")"
# An address fits two paths when each segment is the same in both or a parameter in one. Where only one of them has the
# parameters, the other is chosen. A word is no UUID.
none "no two operations of one method have an address in common" "$(jq -r '
	[.paths | to_entries[] | .key as $p | .value | keys[] | {m: ., p: $p, s: ($p | split("/"))} | select(.p | contains("{"))]
	| . as $all | range(length) as $i | range($i + 1; length) as $j | $all[$i] as $a | $all[$j] as $b
	| select($a.m == $b.m and ($a.s | length) == ($b.s | length))
	| ([$a.s, $b.s] | transpose | map(select(.[0] != .[1]))) as $pairs
	| select($pairs | all(all(startswith("{")) or any(endswith("_uuid}")) == false))
	| ($pairs | map(map(startswith("{")))) as $differ
	| select(($differ | all(any)) and ($differ | any(.[0])) and ($differ | any(.[1])))
	| "\($a.m) \($a.p) \($b.p)"' "$work/openapi.json")"
ok "spectral accepts openapi.json without a warning or hint" spectral
ok "openapi-typescript makes types that compile" typescript
none "every answer has an example that its schema accepts" "$(/usr/bin/python3 t/helper/examples.py "$work/openapi.json")"
is "$(jq -r '[.paths[].post | objects | select(.["x-read-only"]) | .operationId | sub("[A-Z].*"; "")] | unique | join(" ")' "$work/openapi.json")" \
	"aggregate bulk" "aggregations and bulk look-ups change nothing, and openapi.json says so"
none "every tag of an operation is declared with a description" \
	"$(jq -r '([.tags[] | select(.description) | .name]) as $t | [.paths[][].tags[]] - $t | unique[]' "$work/openapi.json")"
none "every declared tag has an operation" "$(jq -r '[.tags[].name] - [.paths[][].tags[]] | .[]' "$work/openapi.json")"
none "names of schemas and responses are words without numbers or underscores" \
	"$({ names schemas && names responses; } | grep -vE '^([A-Z][a-z]+)+$')"
none "no name of a schema is a mangled plural" "$(names schemas | grep -E 'ie(List|Response)?$')"
done_testing
