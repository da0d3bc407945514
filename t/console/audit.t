#!/bin/sh
# SPDX-License-Identifier: ISC
# The audit log in the console names people, in words; members have the names that they have chosen; and a member meets no form
# that is refused at its end.
[ -n "${MODULES-}" ] || { MODULES=$(t/helper/npm) && export MODULES || exit 1; }
. t/lib.sh
. t/helper/console/start.sh
console_world
ANN=$(invitation owner ann@example.com Owner)
BOB=$(invitation member bob@example.org 'Bob Junior')
export ANN BOB
console_test audit.mjs
# Each kind of record has words in the console.
for subject in $(sed -n 's/^ACTION("\([a-z_]*\)".*/\1/p' src/tbl/audit_actions.h | sort -u); do
	ok "the audit log has words for the record $subject" grep -q "^	$subject: \"" nginx/html/console/audit-words.js
done
