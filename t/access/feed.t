#!/bin/sh
# SPDX-License-Identifier: ISC
# The feed of the audit log while four writers commit in an order that differs from the order of their first writes: each
# line arrives once, and none behind a cursor that a client holds (C-213).
. t/lib.sh
pg_start
api_start
web_start

LINES=2500 WRITERS=4

# The transactions of a writer: 1 to 20 lines, then work of random length, then COMMIT or, for one in ten, ROLLBACK.
cat >"$W/writer.py" <<'END'
import random, subprocess, sys
number, lines, account = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
dice = random.Random(number)
out = ["SET synchronous_commit = off;"]
at = 0
while at < lines:
    n = min(dice.randint(1, 20), lines - at)
    out.append("BEGIN;")
    for i in range(n):
        out.append("INSERT INTO audit (actor, action, subject, subject_id, account_uuid)"
            " VALUES ('os:writer', 'tag.change', 'tag', '%d-%d', '%s');" % (number, at + i, account))
    # Other writers run while this transaction is open.
    out.append("SELECT count(*) FROM generate_series(1, %d) \\g /dev/null" % dice.randint(0, 20000))
    out.append("ROLLBACK;" if dice.random() < 0.1 else "COMMIT;")
    if out[-1] == "COMMIT;":
        at += n
print("\n".join(out))
END
pids=''
for n in $(seq $WRITERS); do
	/usr/bin/python3 "$W/writer.py" "$n" "$LINES" "$ACCOUNT" >"$W/writer.$n"
	psql -Xq -v ON_ERROR_STOP=1 -f "$W/writer.$n" >"$W/writer.$n.out" 2>&1 &
	pids="$pids $!"
done

# follow: reads pages until one is empty; appends their lines to $W/read.
after=''
follow()
{
	while :; do
		api GET "/access/audit/feed${after:+?after=$after}"
		[ "$STATUS" = 200 ] || { diag "$STATUS $BODY"; return 1; }
		printf '%s' "$BODY" | jq -r '(.entries[] | .uuid + " " + .subject_id), .next_cursor' >"$W/page"
		after=$(tail -n 1 "$W/page")
		head -n -1 "$W/page" >>"$W/read"
		[ "$(wc -l <"$W/page")" -eq 101 ] || return 0
	done
}
running()
{
	for _pid in $pids; do
		! kill -0 "$_pid" 2>/dev/null || return 0
	done
	return 1
}
: >"$W/read"
api GET /access/audit/feed
first=$(field .next_cursor) begun=$(field '.entries | length')
isnt "$first" null "a page of the feed has a cursor"
rounds=0
while running; do
	follow || break
	rounds=$((rounds + 1))
done
failed=0
for pid in $pids; do
	wait "$pid" || failed=1
done
is "$failed" 0 "four writers have written their lines"
caught_up()
{
	follow && [ "$(grep -c ' [1-4]-[0-9]' "$W/read")" -ge $((LINES * WRITERS)) ]
}
ok "the feed comes to the last line" world_until 30 caught_up
diag "the feed was read $rounds times while the writers wrote"
is "$(cut -d' ' -f1 "$W/read" | sort | uniq -d | wc -l)" 0 "no line of 10,000 arrives twice (C-213)"
is "$(grep -o ' [1-4]-[0-9]*$' "$W/read" | sort -u | wc -l)" $((LINES * WRITERS)) "each line of 10,000 arrives (C-213)"
sql "SELECT uuid FROM audit WHERE account_uuid = '$ACCOUNT' ORDER BY changed, id" >"$W/order"
cut -d' ' -f1 "$W/read" >"$W/order.read"
ok "the lines arrive in the order of transactions, which never goes back (C-213)" \
	sh -c "head -n \"\$(wc -l <'$W/order.read')\" '$W/order' | cmp - '$W/order.read'"

# An open transaction holds back what is written after it, and nothing is lost.
mkfifo "$W/open"
psql -Xq -v ON_ERROR_STOP=1 <"$W/open" >"$W/open.out" 2>&1 &
exec 9>"$W/open"
printf '%s\n' "BEGIN; INSERT INTO audit (actor, action, subject, subject_id, account_uuid)
	VALUES ('os:slow', 'tag.change', 'tag', 'held', '$ACCOUNT') RETURNING 'ready';" >&9
ready() { grep -q ready "$W/open.out"; }
ok "a slow transaction has written its line" world_until 60 ready
sql "INSERT INTO audit (actor, action, subject, subject_id, account_uuid) VALUES ('os:quick', 'tag.change', 'tag', 'later', '$ACCOUNT')"
: >"$W/read"
follow
is "$(cut -d' ' -f2 "$W/read" | grep -xE 'held|later')" "" "lines after an open transaction wait for its end (C-213)"
echo "COMMIT;" >&9
exec 9>&-
both() { follow && [ "$(cut -d' ' -f2 "$W/read" | grep -cxE 'held|later')" -eq 2 ]; }
ok "both lines arrive after its end" world_until 60 both
is "$(cut -d' ' -f2 "$W/read" | grep -xE 'held|later' | tr '\n' ' ')" "held later " "the earlier transaction comes first (C-213)"

api GET "/access/audit/feed?after=$first"
is "$(field '.entries[].uuid')" "$(sed -n "$((begun + 1)),$((begun + 100))p" "$W/order.read")" \
	"a cursor of the beginning gives the lines behind it: it does not age (C-213)"
api GET "/access/audit/feed?after=x"
is "$STATUS $(field .error.code)" "400 invalid_pagination" "a cursor that is none is refused"

# A position of a line that is another now comes from before a restore (t/cli/backup.t restores a backup).
sql "ALTER TABLE audit DISABLE TRIGGER audit_stands; UPDATE audit SET uuid = gen_random_uuid()
	WHERE uuid = '$(sed -n "${begun}p" "$W/order.read")'; ALTER TABLE audit ENABLE TRIGGER audit_stands"
api GET "/access/audit/feed?after=$first"
is "$STATUS $(field .error.code)" "400 invalid_pagination" "a position is refused when its number belongs to another line (C-928)"
