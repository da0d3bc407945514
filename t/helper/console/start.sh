# shellcheck shell=sh
# SPDX-License-Identifier: ISC
# What the tests of the console share: a world with its web server on a port, people, and node with Chromium.

PASSWORD='eleven small green kettles'

# console_world: $ORIGIN is where the console is; passkeys and links know this name.
console_world()
{
	BROWSER=${BROWSER:-$(ls /usr/lib/chromium/chromium-headless-shell /usr/lib/chromium/chromium 2>/dev/null | head -1)}
	[ -n "$BROWSER" ] || skip_all "no Chromium"
	CONSOLE_PORT=$(world_ports 1)
	ORIGIN=https://localhost:$CONSOLE_PORT
	WORLD_CONF="public_url = $ORIGIN
${WORLD_CONF-}"
	pg_start
	index_start
	WORLD_WORKERS=${WORLD_WORKERS:-4}
	api_start
	web_start "$CONSOLE_PORT"
	hosts_wait 0
	export MODULES BROWSER ORIGIN PASSWORD W ACCOUNT
	export PROJECT="$P"
}

# project_world: findings of every area, a detector that failed, a watched domain, for pages of a project.
project_world()
{
	ctl import findings --project "$P" t/helper/console/findings.ndjson >/dev/null 2>&1
	sql "INSERT INTO detector_state (project_uuid, detector, enabled, last_pass_at, looked_at, error) VALUES
		('$P', 'secrets', true, now(), '{\"services\": 1204, \"open_directories\": 3}', 'the database did not answer in time'),
		('$P', 'rules', true, now(), '{\"services\": 5018, \"left_out\": 12}', 'the project has its 10000 findings'),
		('$P', 'threat-indicators', false, NULL, '{}', NULL) ON CONFLICT (project_uuid, detector) DO UPDATE SET
		enabled = excluded.enabled, last_pass_at = excluded.last_pass_at, looked_at = excluded.looked_at, error = excluded.error"
	api POST /reports/verdicts '{"type":"domain","value":"cdn.example.com","disposition":"ignored","reason":"A host of our own."}'
	api POST /reports/verdicts '{"type":"ipv4","value":"203.0.113.9","disposition":"indicator","reason":"<img src=x onerror=document.title=1>"}'
	api POST "/projects/$P/esi/typosquatting/domains" '{"domain":"example.com","words":["example-bank"],"allow":["example.*","example-careers.com"]}'
}

# datasets: forty records of each dataset beside hosts.
datasets()
{
	for _set in dns certificates whois open-directories reports; do
		PYTHONDONTWRITEBYTECODE=1 /usr/bin/python3 t/helper/docgen.py "$_set" --start 0 --documents 40 --seed 7 --change 0 |
			ctl import "$_set" --format ndjson - >/dev/null
	done
}

# invitation owner|member E-MAIL NAME [ACCOUNT]: prints the link of a new member.
invitation()
{
	_role=
	[ "$1" != owner ] || _role=--owner
	# shellcheck disable=SC2086 # an option or none
	_member=$(ctl --json members create --account "${4:-$ACCOUNT}" --email "$2" $_role "$3" 2>/dev/null | jq -er .member.uuid) &&
		ctl --json members link "$_member" 2>/dev/null | jq -er .member.link
}

# console_test SCRIPT: t/helper/console/SCRIPT, whose TAP is relayed.
console_test()
{
	timeout 600 node "t/helper/console/$1" >"$W/tap" 2>"$W/tap.err"
	is $? 0 "the script came to its end"
	relay "$W/tap"
	diag "$(cat "$W/tap.err")"
}
