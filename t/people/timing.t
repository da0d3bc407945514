#!/bin/sh
# SPDX-License-Identifier: ISC
# A refused sign-in takes as long whoever it is for (C-303): the medians of twenty attempts of each kind, taken in turns, differ
# by a fifth at most. Other work on the machine may disturb one measurement, so the best of three counts.
. t/lib.sh
# shellcheck source=t/people/lib.sh
. t/people/lib.sh
export WORLD_CONF='password_memory = 32768
password_passes = 2'
pg_start
api_start
people_web_start
for name in ann dora nopass; do
	person_new $name member
done
ctl people disable dora@example.com >/dev/null
sql "UPDATE person SET password = NULL, password_at = NULL WHERE email = 'nopass@example.com'"

# attempt KIND E-MAIL PASSWORD: its milliseconds, as a line of $W/tmp/KIND. Each attempt comes from a network of its own.
attempt()
{
	N=$((N + 1))
	printf '{"email":"%s","password":"%s"}' "$2" "$3" >"$W/tmp/in"
	# shellcheck disable=SC2086 # CURL is a list of options
	curl -sS $CURL -o "$W/tmp/$1.answer" -w '%{time_total} %{http_code}\n' -H 'Content-Type: application/json' \
		-H "X-Real-IP: 203.0.$((N / 250)).$((N % 250))" --data-binary "@$W/tmp/in" "$BASE_URL/auth/sign-in/password" >>"$W/tmp/$1"
}

measure()
{
	rm -f "$W"/tmp/*
	for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
		attempt wrong ann@example.com 'not the pass phrase at all'
		attempt unknown nobody@example.com 'not the pass phrase at all'
		attempt disabled dora@example.com "$PASSWORD"
		attempt without nopass@example.com "$PASSWORD"
		sql "TRUNCATE throttle"
	done
	for kind in wrong unknown disabled without; do
		sort -n "$W/tmp/$kind" | sed -n 10p
	done >"$W/tmp/medians"
	sort -n "$W/tmp/medians" | awk 'NR == 1 { least = $1 } { most = $1 } END { print int(100 * most / least) }'
}

N=0
for _ in 1 2 3; do
	spread=$(measure)
	[ "$spread" -gt 120 ] || break
done
is "$(cut -d ' ' -f 2 "$W"/tmp/wrong "$W"/tmp/unknown "$W"/tmp/disabled "$W"/tmp/without | sort | uniq -c | tr -s ' ')" " 80 401" \
	"each of the eighty attempts is refused with 401"
for kind in unknown disabled without; do
	is "$(jq -c 'del(.error.request_id)' "$W/tmp/$kind.answer")" "$(jq -c 'del(.error.request_id)' "$W/tmp/wrong.answer")" \
		"the answer of the kind $kind is that of a wrong password (C-303)"
done
ok "the medians of the four kinds differ by a fifth at most (C-303)" [ "$spread" -le 120 ]
diag "the slowest takes $spread % of the fastest: $(paste -sd ' ' "$W/tmp/medians")"
