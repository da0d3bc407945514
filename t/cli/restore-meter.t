#!/bin/sh
# SPDX-License-Identifier: ISC
# surfacectl restore where the shared counters outlived the database: each host brings what it knows of the
# time since the backup back with it, once, and no quota is passed on the way (C-067 to C-069, C-077).
. t/lib.sh

pg_start
api_start
web_start
host2_start
SUPER="host=$W/db dbname=surfaced user=postgres"
before=$(accounts_new 1 1000 100000)
after=$(accounts_new 1 1000 100000)
near=$(accounts_new 1 100 100000)

# ask KEY N [CURL-OPTIONS]: the statuses of N requests, counted.
ask()
{
	# shellcheck disable=SC2086 # a list of options
	curl -sS ${3-$CURL} -o /dev/null -w '%{http_code}\n' -H "X-API-Key: $1" "$BASE_URL/search/schemas#[1-$2]" | tally
}

quiet()
{
	"$@" >"$W/out"
}

# used KEY: what is stored of its usage, and of its account's quota.
used()
{
	sql "SELECT (SELECT coalesce(sum(requests), 0) FROM usage_daily WHERE key_uuid = k.uuid),
		(SELECT coalesce(sum(used), 0) FROM quota_used WHERE owner_uuid = k.account_uuid)
		FROM api_key k WHERE prefix = '$(echo "$1" | cut -d _ -f 1-2)'"
}

stores()
{
	[ "$(used "$1")" = "$2" ]
}

# No more was leased than there is, and no less than hosts hold.
sound()
{
	sql "SELECT count(*) FROM quota_month q JOIN account_limit a ON a.account_uuid = q.owner_uuid
		WHERE charged > quota OR charged < (SELECT sum(used) FROM quota_used u WHERE u.owner_uuid = q.owner_uuid)"
}

is "$(ask "$before" 30)" "30 200" "requests before the backup"
flushed
ok "the backup" quiet $CTL backup --evidence "$W/evidence" "$W/backup"
is "$(ask "$before" 50) $(ask "$after" 40) $(ask "$near" 20)" "50 200 40 200 20 200" "requests after it"
is "$(ask "$near" 10 "$CURL2")" "10 200" "on the other host too"
flushed
is "$(used "$before") $(used "$after") $(used "$near")" "80|80 40|40 30|30" "all of them are stored"

for host in : host2; do
	[ $host = : ] && host=
	for name in surfaced surfaced-meter surfaced-index; do $host world_kill "$name" 2>/dev/null; done
done
ok "the backup takes the place of the rows" quiet $CTL --database "$SUPER" restore --replace --evidence "$W/evidence" --sql-dir "$SQL" "$W/backup"
is "$(used "$before") $(used "$after") $(used "$near")" "30|30 0|0 0|0" "which know nothing later"

world_api_start
host2 world_api_start
ok "what was counted since is stored again, once" world_until 10 stores "$before" "80|80"
ok "of an account that had no lease then, too" world_until 10 stores "$after" "40|40"
ok "from both hosts" world_until 10 stores "$near" "30|30"
is "$(sound)" 0 "and what hosts hold is leased to them"
for i in 1 2; do
	ask "$near" 60 >"$W/near.1$i" &
	ask "$near" 60 "$CURL2" >"$W/near.2$i" &
done
wait
is "$(cat "$W"/near.* | tr ' ' '\n' | paste -d ' ' - - | awk '$2 == 200 { n += $1 } END { print n + 0 }')" 70 \
	"what was left of a quota is what two hosts admit"
ok "and all of it is stored" world_until 10 stores "$near" "100|100"
is "$(sound)" 0 "in leases"

# ---- a host whose counters are gone with it ----

for name in surfaced surfaced-meter; do world_kill "$name"; done
host2 world_kill surfaced
host2 world_kill surfaced-meter
ok "restored again" quiet $CTL --database "$SUPER" restore --replace --evidence "$W/evidence" --sql-dir "$SQL" "$W/backup"
rm -f "$W/run/meter.map" "$W2/run/meter.map"
world_api_start
leased=$(sql "SELECT sum(granted - surrendered) FROM quota_lease")
is "$(ask "$before" 5)" "5 200" "hosts without counters begin new ones"
ok "usage goes on from the backup, what was leased then counts as used" world_until 20 stores "$before" "35|$((leased + 5))"
