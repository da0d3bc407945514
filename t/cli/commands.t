#!/bin/sh
# SPDX-License-Identifier: ISC
# surfacectl: records are created and listed, keys are shown once, and every change is audited.
. t/lib.sh
db_start
bin=$BIN/surfacectl dir=$W/tmp
export PGUSER=surfaced_admin

ctl() { "$bin" --database '' "$@" >"$dir/out" 2>"$dir/err"; }
exits() { # status title args...
	want=$1 what=$2
	shift 2
	ctl "$@"
	[ $? -eq "$want" ]; result $? "$what"
}
has() { jq -e "$1" "$dir/out" >"$dir/jq" 2>&1; result $? "$2"; }
get() { jq -r "$1" "$dir/out"; }

scopes=$(grep -c "^SCOPE(" src/tbl/scopes.h)
exits 0 "surfacectl creates a group" groups create Shared --json
exits 0 "surfacectl creates an account in a group" accounts create --json --group Shared "Example Ltd"
has '.account.entitlements == ["search"]' "a new account has the entitlement search"
has ".account.scopes | length == $scopes" "a new account allows every scope"
account=$(get .account.uuid)
exits 1 "surfacectl refuses an account name that is taken" accounts create "Example Ltd"
grep -q "of this name already" "$dir/err"; result $? "the refusal of an account names the taken name"
exits 3 "surfacectl exits with 3 for an unknown group" accounts create --group Nobody Other
exits 2 "surfacectl exits with 2 for an unknown entitlement" accounts create --entitlement fame Other
exits 0 "surfacectl creates an account with --bare" accounts create --json --bare Bare
has '.account.scopes == [] and .account.entitlements == []' \
	"an account made with --bare has no scope or entitlement"
exits 2 "surfacectl refuses a key without an account" keys create --name k
exits 3 "surfacectl refuses a key for an account without an owner" keys create --account Bare --name k
exits 0 \
	"surfacectl creates a member who is the owner" members create --account "$account" --email ann@example.org --owner Ann --json
ann=$(get .member.uuid)
exits 1 \
	"surfacectl refuses a second member with the same address" members create --account "$account" --email ANN@example.org Ann
exits 0 \
	"surfacectl creates a member with limited projects" members create --account "$account" --email bob@example.org --limited Bob --json
bob=$(get .member.uuid)
exits 0 "surfacectl creates a project of an account" projects create --account "$account" --json Web
project=$(get .project.uuid)
exits 0 "surfacectl grants a project to a member" projects grant --manager "$project" "$bob" --json
exits 3 "surfacectl refuses to grant a project to an unknown member" projects grant "$project" "$project"

exits 0 \
	"surfacectl creates a key for a project" keys create --account "$account" --name demo --scope all --project "$project" --expires 90d --json
has ".key.owner_uuid == \"$ann\" and (.key.scopes | length == $scopes) and .key.projects == [\"$project\"]" \
	"a new key belongs to the owner and has the requested scopes"
key=$(get .key.key) prefix=$(get .key.prefix)
[ "${#key}" -eq 56 ] && [ "${key%"${key#?????????????}"}" = "${prefix}_" ]
result $? "a new key has 56 characters and begins with its prefix"
exits 0 \
	"surfacectl creates a key for a member without scopes" keys create --account "$account" --name none --member bob@example.org
! grep -q 'search' "$dir/out"; result $? "a key made without --scope has no scope"
exits 2 \
	"surfacectl exits with 2 for an unknown scope" keys create --account "$account" --name x --scope search
exits 2 \
	"surfacectl exits with 2 for a malformed --expires" keys create --account "$account" --name x --expires soon
exits 1 \
	"surfacectl refuses an expiry in the past" keys create --account "$account" --name x --expires 2001-01-01
ctl members create --account Bare --email cid@example.org --owner Cid
exits 1 \
	"surfacectl refuses a scope that the account does not allow" keys create --account Bare --name x --scope rules.view
grep -q 'does not allow the scope rules.view' "$dir/err"
result $? "the refusal names the scope that the account does not allow (C-790)"
exits 0 "surfacectl lists the keys of an account" keys list --account "$account" --json
has '.keys | length == 2' "the list of keys has both keys"
! grep -q "${key#sfk_????????_}" "$dir/out"; result $? "the list of keys contains no secret (C-007)"
! PGUSER=postgres pg_dump -a | grep -q "${key#sfk_????????_}"
result $? "the database contains no secret of a key (C-007)"
[ "$(PGUSER=postgres psql -X -A -t -c "SELECT encode(sha256, 'hex') FROM api_key WHERE prefix = '$prefix'")" = \
	"$(printf %s "$key" | sha256sum | cut -d' ' -f1)" ]
result $? "the database contains the hash of the whole key (C-006)"
exits 0 "surfacectl revokes a key by its prefix" keys revoke "$prefix" --json
has '.key.state == "revoked"' "the state of the key is revoked"
when=$(get .key.revoked_at)
exits 0 "surfacectl accepts a second revocation of a key" keys revoke "$prefix" --json
has ".key.revoked_at == \"$when\"" "a second revocation does not change the time of the first"
exits 3 "surfacectl exits with 3 for an unknown key" keys revoke sfk_00000000
exits 2 "surfacectl refuses a whole key on the command line" keys revoke "$key"
! grep -q "${key#sfk_????????_}" "$dir/err"
result $? "the refusal of a whole key does not repeat it (C-007)"

exits 0 "surfacectl denies scopes to an account" accounts deny "$account" rules.view rules.manage
exits 0 "surfacectl suspends an account by its uuid" accounts suspend "$account" --json
has ".account.state == \"suspended\" and (.account.scopes | length == $((scopes - 2)))" \
	"the account is suspended and has two scopes fewer"
exits 0 \
	"surfacectl grants an entitlement that expires" entitlements grant --account "$account" --expires 30d browser
exits 0 "surfacectl revokes an entitlement of an account" entitlements revoke --account "$account" search
exits 3 \
	"surfacectl exits with 3 for an entitlement already revoked" entitlements revoke --account "$account" search
exits 0 "surfacectl lists the entitlements of an account" entitlements list --account "$account" --json
has '[.entitlements[].name] == ["browser"]' "the list of entitlements has only the granted one"
exits 0 \
	"surfacectl sets the categories of a tag" tags set mine --category a/b --category a/c --classification suspicious --json
has '.tag.categories == ["a","a/b","a/c"]' "a tag gets the parents of its categories"
exits 1 \
	"surfacectl refuses a tag with five categories" tags set mine --category a/b --category a/c --category d/e
exits 2 "surfacectl exits with 2 for an unknown option" tags set mine --colour red
exits 2 "surfacectl exits with 2 for an unknown command" tags paint
exits 2 "surfacectl exits with 2 without a command"
exits 0 "surfacectl prints the help of a command" keys create --help
exits 0 "surfacectl prints the audit as JSON" audit --limit 1000 --json
# shellcheck disable=SC2016 # the dollar is jq's
has '[.audit[].action] as $a | ["account_group.create","account.create","account.change","member.create","project.create",
	"project_member.create","api_key.create","api_key.revoke","account_scope.delete","entitlement.create",
	"entitlement.delete","tag.create"] - $a == []' "the audit has every kind of change of this test"
has "all(.audit[]; .actor == \"os:$(id -un)\" and .program == \"surfaced_admin\")" \
	"the audit names the system user and the role"
has '[.audit[] | select(.action == "account.change") | .before.state + ">" + .after.state] == ["active>suspended"]' \
	"the audit has the state before and after the suspension"
! grep -q sha256 "$dir/out"; result $? "the audit contains no hash of a key"
# audited TITLE JQ FILTER...: all lines that fit the filters fit JQ, which is one of the log's changes; there is one at least.
audited()
{
	_audited=$1 _jq=$2
	shift 2
	exits 0 "surfacectl filters the audit by $_audited" audit --json --limit 1000 "$@"
	has "(.audit | length > 0) and all(.audit[]; $_jq)" "the filtered audit has lines of that $_audited alone (C-214)"
}
audited action '.action == "account.change"' --action account.change
audited subject '.action | startswith("api_key.")' --subject api_key
audited actor ".actor == \"os:$(id -un)\"" --actor "$(id -un)"
audited account ".account_uuid == \"$account\"" --account "$account"
subject=$(sql "SELECT subject_id FROM audit WHERE action = 'api_key.create' ORDER BY id LIMIT 1")
audited "subject's identity" ".subject_id == \"$subject\"" --subject api_key --subject-id "$subject"
audited project '.action == "project.create" or .action == "project_member.create"' --project "$project"
sql "INSERT INTO audit (actor, action, subject, subject_id, request_id) VALUES ('key:' || (SELECT prefix FROM api_key ORDER BY prefix LIMIT 1), 'rule.create', 'rule', 'x', 'r-1')"
prefix=$(sql "SELECT prefix FROM api_key ORDER BY prefix LIMIT 1")
audited request '.request_id == "r-1"' --request-id r-1
audited "key by its UUID" ".actor == \"key:$prefix\"" --actor "$(sql "SELECT uuid FROM api_key WHERE prefix = '$prefix'")"
audited "key by its owner" ".actor == \"key:$prefix\"" --actor "$(sql "SELECT owner_uuid FROM api_key WHERE prefix = '$prefix'")" --request-id r-1
middle=$(sql "SELECT to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.US\"Z\"') FROM audit ORDER BY id OFFSET 3 LIMIT 1")
audited "beginning" ".at >= \"$middle\"" --since "$middle"
has "any(.audit[]; .at == \"$middle\")" "--since includes its time"
audited "end" ".at < \"$middle\"" --until "$middle"
exits 0 "surfacectl joins filters of the audit" audit --json --action account.change --subject api_key
has '.audit == []' "a line has to fit all filters (C-214)"
exits 2 "surfacectl refuses an action that no change has" audit --action account.paint
exits 2 "surfacectl refuses an end of the audit before its beginning" audit --since 1h --until 2h
exits 2 "surfacectl refuses a project of the audit that is no UUID" audit --project x
world_pg_kill
exits 4 "surfacectl exits with 4 without a server" accounts list
world_pg_resume
