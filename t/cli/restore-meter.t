#!/bin/sh
# SPDX-License-Identifier: ISC
# surfacectl restore while the shared counters survive: each host stores once more what it has counted since the
# backup, and no quota is exceeded meanwhile (C-067 to C-069, C-077).
. t/lib.sh

pg_start
api_start
web_start
host2_start
SUPER="host=$W/db dbname=surfaced user=postgres"
before=$(accounts_new 1 1000 100000)
after=$(accounts_new 1 1000 100000)
near=$(accounts_new 1 100 100000)

# ask KEY N [CURL-OPTIONS]: sends N requests and prints their statuses, counted.
ask()
{
	# shellcheck disable=SC2086 # a list of options
	curl -sS ${3-$CURL} -o /dev/null -w '%{http_code}\n' -H "X-API-Key: $1" "$BASE_URL/search/schemas#[1-$2]" | tally
}

quiet()
{
	"$@" >"$W/out"
}

# used KEY: prints the stored usage of the key and of its account's quota.
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

# The number of quotas with more units leased than exist, or fewer than the hosts have used.
sound()
{
	sql "SELECT count(*) FROM quota_month q JOIN account_limit a ON a.account_uuid = q.owner_uuid
		WHERE charged > quota OR charged < (SELECT sum(used) FROM quota_used u WHERE u.owner_uuid = q.owner_uuid)"
}

is "$(ask "$before" 30)" "30 200" "thirty requests succeed before the backup"
flushed
ok "a backup is made while counters are shared" quiet $CTL backup --evidence "$W/evidence" "$W/backup"
is "$(ask "$before" 50) $(ask "$after" 40) $(ask "$near" 20)" "50 200 40 200 20 200" \
	"requests of three keys succeed after the backup"
is "$(ask "$near" 10 "$CURL2")" "10 200" "requests to the other host succeed after the backup"
flushed
is "$(used "$before") $(used "$after") $(used "$near")" "80|80 40|40 30|30" \
	"all requests of both hosts are stored"

for host in : host2; do
	[ $host = : ] && host=
	for name in surfaced surfaced-meter surfaced-index; do $host world_kill "$name" 2>/dev/null; done
done
ok "restore replaces the rows with those of the backup" \
	quiet $CTL --database "$SUPER" restore --replace --evidence "$W/evidence" --sql-dir "$SQL" "$W/backup"
is "$(used "$before") $(used "$after") $(used "$near")" "30|30 0|0 0|0" \
	"the restored rows have the usage of the backup"

world_api_start
host2 world_api_start
ok "a host stores once more what it counted since the backup" world_until 10 stores "$before" "80|80"
ok "usage of an account without a lease in the backup is stored" world_until 10 stores "$after" "40|40"
ok "usage of both hosts is stored after the restore" world_until 10 stores "$near" "30|30"
is "$(sound)" 0 "the hosts hold leases for all that they have used"
for i in 1 2; do
	ask "$near" 60 >"$W/near.1$i" &
	ask "$near" 60 "$CURL2" >"$W/near.2$i" &
done
wait
is "$(cat "$W"/near.* | tr ' ' '\n' | paste -d ' ' - - | awk '$2 == 200 { n += $1 } END { print n + 0 }')" 70 \
	"two hosts admit exactly the rest of the quota"
ok "all admitted requests are stored as used" world_until 10 stores "$near" "100|100"
is "$(sound)" 0 "the leases equal the used units in the end"

# ---- a host loses its counters ----

for name in surfaced surfaced-meter; do world_kill "$name"; done
host2 world_kill surfaced
host2 world_kill surfaced-meter
ok "restore replaces the rows a second time" \
	quiet $CTL --database "$SUPER" restore --replace --evidence "$W/evidence" --sql-dir "$SQL" "$W/backup"
rm -f "$W/run/meter.map" "$W2/run/meter.map"
world_api_start
leased=$(sql "SELECT sum(granted - surrendered) FROM quota_lease")
is "$(ask "$before" 5)" "5 200" "hosts without counters serve requests with new ones"
ok "units leased in the backup count as used after the loss of counters" \
	world_until 20 stores "$before" "35|$((leased + 5))"
