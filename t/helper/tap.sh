# shellcheck shell=sh
# SPDX-License-Identifier: ISC
# Tests of files and tables, which need no world (t/lib.sh is for those that do). The plan comes last: done_testing.

case $0${TEST_RUN-} in
*.t) exec t/helper/failures "$0" "$@" ;; # without prove a test has its time limit, too
esac
n=0

# ok TITLE COMMAND...: passes when the command does; if not, what it said follows.
ok()
{
	n=$((n + 1)) _title=$1
	shift
	if _said=$("$@" 2>&1); then
		echo "ok $n - $_title"
	else
		echo "not ok $n - $_title"
		printf '%s\n' "$_said" | head -40 | sed 's/^/# /'
	fi
}

# is GOT WANTED TITLE
is()
{
	ok "$3" same "$1" "$2"
}

same()
{
	printf 'got:    %s\nwanted: %s\n' "$1" "$2"
	[ "$1" = "$2" ]
}

nothing()
{
	printf '%s\n' "$1"
	[ -z "$1" ]
}

# none TITLE BREACHES: passes when the list of breaches is empty.
none()
{
	ok "$1" nothing "$2"
}

done_testing()
{
	echo "1..$n"
}
