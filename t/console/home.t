#!/bin/sh
# SPDX-License-Identifier: ISC
# Home with several projects: each tile and each row leads to the project that it is about, and the numbers are those of the page
# behind it.
[ -n "${MODULES-}" ] || { MODULES=$(t/helper/npm) && export MODULES || exit 1; }
. t/lib.sh
. t/helper/console/start.sh
console_world
EMPTY=$(ctl --json projects create --account "$ACCOUNT" 'An empty project' | jq -er .project.uuid)
jq -cn 'range(9)|{kind: "host", name: "h\(.).example.com", first_seen_at: "2026-08-01T00:00:00Z", last_seen_at: "2026-11-25T00:00:00Z"}' |
	ctl import assets --project "$P" - >/dev/null 2>&1
jq -cn 'range(9)|{finding_key: "k\(.)", finding_type: "exposed_service", title: "Finding \(.)", severity: (["high", "medium", "low"][. % 3]), asset_kind: "host",
	asset_name: "h\(. % 2).example.com", first_seen_at: "2026-08-01T00:00:00Z", last_seen_at: "2026-11-25T00:00:00Z"}' |
	ctl import findings --project "$P" - >/dev/null 2>&1
ANN=$(invitation owner ann@example.com Ann)
export ANN EMPTY
console_test home.mjs
