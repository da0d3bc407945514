# shellcheck shell=sh
# SPDX-License-Identifier: ISC
# What the tests of people share, behind t/lib.sh. A person is a cookie and a CSRF token in two variables:
#
#   person_new ann owner                   joins the world's account as the member "ann"; sets ann_cookie and ann_csrf
#   as ann POST /projects '{"name":"x"}'   a request of this person, like api

PASSWORD='eleven small green kettles'

# nginx takes the client's address from X-Real-IP, so that a test can come from any network.
people_web_start()
{
	WORLD_SITE="set_real_ip_from unix:; real_ip_header X-Real-IP; ${WORLD_SITE-}"
	web_start
}

# visit METHOD PATH [BODY] [curl options]: a request of somebody who is not signed in.
visit()
{
	key=none api "$@"
}

# cookie_of: the cookie that the last answer set.
cookie_of()
{
	header Set-Cookie | sed 's/;.*//'
}

# signed_in NAME: takes cookie and token of the last answer, which signed this person in.
signed_in()
{
	eval "$1_cookie=\$(cookie_of) $1_csrf=\$(field .csrf_token)"
}

# as NAME METHOD PATH [BODY] [curl options]: with the cookie and the CSRF token of this person.
as()
{
	_name=$1
	shift
	eval "_cookie=\$${_name}_cookie _csrf=\$${_name}_csrf"
	# shellcheck disable=SC2154 # set by eval
	key=none api "$@" -H "Cookie: $_cookie" -H "X-CSRF-Token: $_csrf"
}

# link_new ROLE E-MAIL NAME [ACCOUNT]: invites a member and prints the token of the link.
link_new()
{
	_limited=
	[ "$1" != limited ] || _limited=--limited
	[ "$1" != owner ] || _limited=--owner
	# shellcheck disable=SC2086 # an option or none
	_member=$(ctl --json members create --account "${4:-$ACCOUNT}" --email "$2" $_limited "$3" | jq -r .member.uuid) || return 1
	ctl --json members link "$_member" 2>/dev/null | jq -r '.member | .token // (.link | sub(".*/"; ""))'
}

# join TOKEN NAME E-MAIL [PASSWORD]: uses a link as a new person.
join()
{
	visit POST /auth/links/use "{\"token\":\"$1\",\"name\":\"$2\",\"email\":\"$3\",\"password\":\"${4:-$PASSWORD}\"}"
}

# person_new NAME ROLE [ACCOUNT]: ROLE: owner, member or limited.
person_new()
{
	join "$(link_new "$2" "$1@example.com" "$1" "${3:-$ACCOUNT}" 2>/dev/null)" "$1" "$1@example.com"
	[ "$STATUS" = 201 ] || diag "$1 could not join: $STATUS $BODY"
	signed_in "$1"
}

# sign_in NAME [PASSWORD] [curl options]
sign_in()
{
	_who=$1 _word=${2:-$PASSWORD}
	shift
	[ $# -eq 0 ] || shift
	visit POST /auth/sign-in/password "{\"email\":\"$_who@example.com\",\"password\":\"$_word\"}" "$@"
}

# answered: status and code of the last answer.
answered()
{
	echo "$STATUS $(field '.error.code // empty')"
}

# hold_row TABLE WHERE: a transaction locks the row until two others wait for locks, so that each of these has looked before
# either acts. Sets HOLDER, to be waited for.
hold_row()
{
	_table=$1
	psql -XAtq -c "BEGIN; SELECT FROM $_table WHERE $2 FOR UPDATE" \
		-c "DO \$\$ BEGIN FOR i IN 1 .. 2000 LOOP PERFORM pg_sleep(0.01); PERFORM pg_stat_clear_snapshot();
			EXIT WHEN (SELECT count(*) >= 2 FROM pg_locks WHERE NOT granted); END LOOP; END \$\$" -c COMMIT >/dev/null &
	HOLDER=$!
	ok "another transaction has locked the row of $_table" world_until 20 row_is_held
}

row_is_held()
{
	[ "$(sql "SELECT count(*) > 0 FROM pg_locks l JOIN pg_class c ON c.oid = l.relation
		WHERE c.relname = '$_table' AND l.mode = 'RowShareLock' AND l.granted")" = t ]
}
