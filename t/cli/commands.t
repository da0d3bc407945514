#!/bin/sh
# SPDX-License-Identifier: ISC
# surfacectl: what it makes, says and answers; keys are shown once; every change is audited.
. t/lib.sh
db_start
bin=$BIN/surfacectl dir=$W/tmp
export PGUSER=surfaced_admin

ctl() { "$bin" --database '' "$@" >"$dir/out" 2>"$dir/err"; }
exits() { # status what args...
	want=$1 what=$2
	shift 2
	ctl "$@"
	[ $? -eq "$want" ]; result $? "$what"
}
has() { jq -e "$1" "$dir/out" >"$dir/jq" 2>&1; result $? "$2"; }
get() { jq -r "$1" "$dir/out"; }

exits 0 "a group" groups create Shared --json
exits 0 "an account in it" accounts create --json --group Shared "Example Ltd"
has '.account.entitlements == ["search"]' "a new account has search"
has '.account.scopes | length == 16' "and allows every scope"
account=$(get .account.uuid)
exits 1 "a name that is taken" accounts create "Example Ltd"
grep -q "of this name already" "$dir/err"; result $? "and the reason is said"
exits 3 "a group that is not there" accounts create --group Nobody Other
exits 2 "an unknown entitlement" accounts create --entitlement fame Other
exits 0 "a bare account" accounts create --json --bare Bare
has '.account.scopes == [] and .account.entitlements == []' "has nothing"
exits 2 "a key without an account" keys create --name k
exits 3 "a key where no owner is" keys create --account Bare --name k
exits 0 "an owner" members create --account "$account" --email ann@example.org --owner Ann --json
ann=$(get .member.uuid)
exits 1 "the same address twice" members create --account "$account" --email ANN@example.org Ann
exits 0 "a limited member" members create --account "$account" --email bob@example.org --limited Bob --json
bob=$(get .member.uuid)
exits 0 "a project" projects create --account "$account" --json Web
project=$(get .project.uuid)
exits 0 "granted" projects grant --manager "$project" "$bob" --json
exits 3 "not to a stranger" projects grant "$project" "$project"

exits 0 "a key" keys create --account "$account" --name demo --scope all --project "$project" --expires 90d --json
has ".key.owner_uuid == \"$ann\" and (.key.scopes | length == 16) and .key.projects == [\"$project\"]" "is the owner's"
key=$(get .key.key) prefix=$(get .key.prefix)
[ "${#key}" -eq 56 ] && [ "${key%"${key#?????????????}"}" = "${prefix}_" ]; result $? "begins with its prefix"
exits 0 "a key without scopes" keys create --account "$account" --name none --member bob@example.org
! grep -q 'search' "$dir/out"; result $? "has none"
exits 2 "an unknown scope" keys create --account "$account" --name x --scope search
exits 2 "an expiry that is no time" keys create --account "$account" --name x --expires soon
exits 1 "an expiry in the past" keys create --account "$account" --name x --expires 2001-01-01
ctl members create --account Bare --email cid@example.org --owner Cid
exits 1 "a scope the account does not allow" keys create --account Bare --name x --scope rules.view
grep -q 'does not allow the scope rules.view' "$dir/err"; result $? "and the reason is said (SPEC 5.5)"
exits 0 "the list of keys" keys list --account "$account" --json
has '.keys | length == 2' "has both"
! grep -q "${key#sfk_????????_}" "$dir/out"; result $? "and no secret (C-007)"
! PGUSER=postgres pg_dump -a | grep -q "${key#sfk_????????_}"; result $? "nor has the database (C-007)"
[ "$(PGUSER=postgres psql -X -A -t -c "SELECT encode(sha256, 'hex') FROM api_key WHERE prefix = '$prefix'")" = \
	"$(printf %s "$key" | sha256sum | cut -d' ' -f1)" ]; result $? "but the hash of it whole (C-006)"
exits 0 "a revocation by prefix" keys revoke "$prefix" --json
has '.key.state == "revoked"' "is final"
when=$(get .key.revoked_at)
exits 0 "again" keys revoke "$prefix" --json
has ".key.revoked_at == \"$when\"" "changes nothing"
exits 3 "a key that is not there" keys revoke sfk_00000000
exits 2 "a whole key belongs on no command line" keys revoke "$key"
! grep -q "${key#sfk_????????_}" "$dir/err"; result $? "and is not echoed (C-007)"

exits 0 "deny" accounts deny "$account" rules.view rules.manage
exits 0 "suspend" accounts suspend "$account" --json
has '.account.state == "suspended" and (.account.scopes | length == 14)' "both took effect"
exits 0 "entitlement" entitlements grant --account "$account" --expires 30d browser
exits 0 "revoked" entitlements revoke --account "$account" search
exits 3 "not twice" entitlements revoke --account "$account" search
exits 0 "entitlements" entitlements list --account "$account" --json
has '[.entitlements[].name] == ["browser"]' "are what is left"
exits 0 "a tag" tags set mine --category a/b --category a/c --classification suspicious --json
has '.tag.categories == ["a","a/b","a/c"]' "gets the parents of its paths"
exits 1 "five paths" tags set mine --category a/b --category a/c --category d/e
exits 2 "an unknown option" tags set mine --colour red
exits 2 "an unknown command" tags paint
exits 2 "no command"
exits 0 "help" keys create --help
exits 0 "the audit" audit --limit 1000 --json
# shellcheck disable=SC2016 # the dollar is jq's
has '[.audit[].action] as $a | ["account_group.create","account.create","account.change","member.create","project.create",
	"project_member.create","api_key.create","api_key.change","account_scope.delete","entitlement.create",
	"entitlement.delete","tag.create"] - $a == []' "has every kind of change"
has "all(.audit[]; .actor == \"os:$(id -un)\" and .program == \"surfaced_admin\")" "with who did it"
has '[.audit[] | select(.action == "account.change") | .before.state + ">" + .after.state] == ["active>suspended"]' "before and after"
! grep -q sha256 "$dir/out"; result $? "and no hash"
world_pg_kill
exits 4 "without a server" accounts list
world_pg_resume
