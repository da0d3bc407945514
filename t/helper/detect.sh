# shellcheck shell=sh
# SPDX-License-Identifier: ISC
# Detection rules in a world: rules by SQL, hosts as rows of the table record, and the end of what surfaced-detect does.

# detect_rule DATASET SCOPE QUERY [COLUMN=VALUE...]: a stable rule of the account; prints its UUID. Values are of SQL.
detect_rule()
{
	_columns="id, dataset, scope, query, severity, status"
	_values="gen_random_uuid(), '$1', '$2', \$q\$$3\$q\$, 'high', 'stable'"
	shift 3
	for _word in "$@" "account_uuid='$ACCOUNT'" "name='rule'"; do
		case ", $_columns," in
		*", ${_word%%=*},"*) ;;
		*) _columns="$_columns, ${_word%%=*}" _values="$_values, ${_word#*=}" ;;
		esac
	done
	sql "INSERT INTO rule ($_columns) VALUES ($_values) RETURNING uuid"
}

# detect_host IP LAST-SEEN SERVICES [MEMBERS]: stores a host. SERVICES: objects between commas; MEMBERS: ,"os":"Linux"
detect_host()
{
	echo "{\"ip\":\"$1\",\"first_seen\":\"$2\",\"last_seen\":\"$2\"${4-},\"services\":[$3]}" |
		sed "s/\"transport\":\"tcp\"/&,\"first_seen\":\"$2\",\"last_seen\":\"$2\"/g" |
		{
			import --format ndjson --replace-ports 1-65535 -
			[ "$STATUS" -eq 0 ] || diag "$ERR"
		}
}

# detect_asset KIND NAME [PROJECT]: imports an asset.
detect_asset()
{
	printf '{"kind":"%s","name":"%s"}\n' "$1" "$2" | ctl import assets --project "${3:-$P}" - >"$W/out" 2>"$W/err" || diag "$(cat "$W/err")"
}

# observed RULE: its observations, a line each: record, state, reason, returns.
observed()
{
	sql "SELECT o.record_key || ' ' || o.state || ' ' || coalesce(o.gone_reason, '-') || ' ' || o.returns
		FROM rule_observation o JOIN rule_run n ON n.uuid = o.run_uuid WHERE n.rule_uuid = '$1'
		ORDER BY o.record_key, n.account_uuid, o.project_uuid"
}

# detect_idle: waits until surfaced-detect has seen everything that is committed now, and no work is due.
detect_idle()
{
	_now=$(sql "SELECT pg_current_xact_id()")
	world_until 60 detect_is_idle || {
		diag "$(sql "SELECT * FROM detect_cursor; SELECT * FROM detect_work; SELECT * FROM detector_work; SELECT * FROM rule_run")"
		diag "$(tail -5 "$W/log/surfaced-detect.log")"
	}
}

detect_is_idle()
{
	[ "$(sql "SELECT count(*) = 6 AND bool_and(pg_visible_in_snapshot('$_now', snapshot))
		AND NOT EXISTS (SELECT FROM detect_work WHERE due_at <= now())
		AND NOT EXISTS (SELECT FROM detector_work WHERE due_at <= now()) FROM detect_cursor")" = t ]
}
