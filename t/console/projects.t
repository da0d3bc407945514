#!/bin/sh
# SPDX-License-Identifier: ISC
# The console's pages of a project: alerts with their rules, silences, destinations and deliveries; findings, inventory, detection rules.
[ -n "${MODULES-}" ] || { MODULES=$(t/helper/npm) && export MODULES || exit 1; }
. t/lib.sh
. t/helper/hooks.sh
. t/helper/console/start.sh
console_world
hooks_start
hooks_alert
project_world
world_until 30 hooks_settled
rule=$(hooks_rule "$(hook ok)")
hooks_import 1 4
{
	seq 60 | sed 's/.*/{"kind":"host","name":"host-&.example.com","first_seen_at":"2026-08-01T00:00:00Z","last_seen_at":"2026-11-25T00:00:00Z"}/'
	echo '{"kind":"domain","name":"a.example.com","first_seen_at":"2026-08-01T00:00:00Z","last_seen_at":"2026-11-25T00:00:00Z"}'
} |
	ctl import assets --project "$P" - >/dev/null 2>&1
ok "the webhooks of the alerts are sent" world_until 30 hooks_settled
ANN=$(invitation owner ann@example.com Ann)
BOB=$(invitation member bob@example.com Bob)
export ANN BOB
console_test projects.mjs
is "$(sql "SELECT count(*) FILTER (WHERE state = 'acknowledged'), count(*) FILTER (WHERE state = 'closed') >= 2 FROM alert")" "1|t" \
	"the moves that the console showed are those of the database"
is "$(sql "SELECT count(*) FROM alert_silence WHERE rule_uuid = '$rule' AND reason = 'maintenance'")" 1 \
	"the silence that the console showed is in the database"
