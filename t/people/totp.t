#!/bin/sh
# SPDX-License-Identifier: ISC
# One-time codes: they are set up, asked for after the password, and each counts once (C-317, C-323, C-325).
. t/lib.sh
# shellcheck source=t/people/lib.sh
. t/people/lib.sh
pg_start
api_start
people_web_start

# code NAME [STEPS]: the code of this person's secret, so many steps from now.
code()
{
	eval "t/helper/totp \"\$$1_secret\" ${2:-0}"
}

# step_new NAME: the token of a half-open sign-in, whose password was right.
step_new()
{
	sign_in "$1" >/dev/null
	field .step.token
}

# finish_step TOKEN CODE [curl options]
finish_step()
{
	_token=$1 _code=$2
	shift 2
	visit POST /auth/sign-in/totp "{\"step\":\"$_token\",\"code\":\"$_code\"}" "$@"
}

# forget_code: as if no code of Ann had been used yet.
forget_code()
{
	sql "UPDATE person SET totp_step = 0 WHERE email = 'ann@example.com'"
}

# set_up NAME: begins with codes and confirms the first one.
set_up()
{
	as "$1" POST /auth/totp '{}'
	eval "$1_secret=\$(field .totp.secret)"
	as "$1" POST /auth/totp/confirm "{\"code\":\"$(code "$1")\"}"
}

person_new ann owner
person_new bob member

# ---- setting up ----

as ann POST /auth/totp '{}'
is "$STATUS" 201 "a person begins with one-time codes"
ann_secret=$(field .totp.secret)
like "$ann_secret" '^[A-Z2-7]{32}$' "the secret is 160 bits in base32"
is "$(field .totp.uri)" "otpauth://totp/surfaced:ann%40example.com?secret=$ann_secret&issuer=surfaced" "the URI is one that apps read"
is "$(field '.totp.qr | (.rows | length) == .size and (.rows | all(test("^[01]+$"))) and (.rows | all(length == 57 or length > 20))')" \
	true "the QR code is a square of modules"
sign_in ann
is "$STATUS" 201 "the password is enough until a code is confirmed"
signed_in ann
as ann POST /auth/totp/confirm '{"code":"12345x"}'
is "$(answered) $(field .error.field_errors[0].field)" "400 invalid_request code" "a code of other characters is refused and named"
as ann POST /auth/totp/confirm "{\"code\":\"$(code ann 5)\"}"
is "$(answered)" "401 sign_in_failed" "a wrong code confirms nothing"
as ann GET /auth/session
is "$(field .person.has_totp)" false "a wrong code leaves the person without codes"
sign_in ann
signed_in spare
as ann POST /auth/totp/confirm "{\"code\":\"$(code ann)\"}"
is "$STATUS $(field .person.has_totp)" "200 true" "the first right code confirms the secret"
as spare GET /auth/session
is "$STATUS" 200 "confirming first codes ends no other sign-in"

# ---- signing in ----

sign_in ann
is "$STATUS $(field '.step.methods | join(",")') $(header Set-Cookie)" "202 totp " \
	"the right password of a person with codes gives a step and no cookie (C-317)"
step=$(field .step.token)
sign_in ann 'eleven small green kettle'
is "$(answered)" "401 sign_in_failed" "a wrong password does not show that there are codes"
used=$(code ann 1)
finish_step "$step" "$used"
is "$STATUS $(field '.session | (.methods | join(",")), .strong' | paste -sd ' ')" "201 password,totp true" \
	"a right code ends the sign-in, which is strong (C-317)"
signed_in ann
finish_step "$(step_new ann)" "$used"
is "$(answered)" "401 sign_in_failed" "the same code is refused in another sign-in (C-317)"
forget_code
finish_step "$step" "$(code ann)"
is "$(answered)" "401 sign_in_failed" "a half-open sign-in is used once, whatever the code (C-866)"
forget_code
finish_step "$(step_new ann)" "$(code ann -2)"
is "$(answered)" "401 sign_in_failed" "a code of two steps ago is refused (C-317)"
set_up bob
finish_step "$(step_new bob)" "$(code ann)"
is "$(answered)" "401 sign_in_failed" "a code of Ann's ends no sign-in of Bob's (C-317)"
finish_step "$(step_new ann | tr 'A-Za-z' 'B-ZAb-za')" "$(code ann)"
is "$(answered)" "401 sign_in_failed" "a step that was changed is refused (C-317)"
visit POST /auth/challenge '{"purpose":"sign_in"}'
is "$(answered)" "409 passkey_not_offered" "without public_url there are no challenges (C-324)"
visit GET /auth/methods
is "$STATUS $(field .methods.passkey)" "200 false" "without public_url no passkeys are offered (C-324)"
step=$(step_new ann)
as ann PUT /auth/password "{\"password\":\"$PASSWORD and one cup\"}"
if [ "$STATUS" = 200 ]; then
	forget_code
	finish_step "$step" "$(code ann)"
	is "$(answered)" "401 sign_in_failed" "a password that was changed ends the half-open sign-ins of the former one (C-866)"
	as ann PUT /auth/password "{\"password\":\"$PASSWORD\"}"
fi

# ---- guessing: from other addresses each time, since a network has a bucket of its own ----

forget_code
step=$(step_new ann)
for i in 1 2 3 4 5; do
	finish_step "$step" 000000 -H "X-Real-IP: 198.51.100.$i"
	is "$(answered)" "401 sign_in_failed" "wrong code $i of five is refused"
done
finish_step "$step" "$(code ann)" -H 'X-Real-IP: 198.51.100.6'
is "$(answered)" "429 sign_in_rate_limit_exceeded" "the sixth code of a half-open sign-in is refused, although it is right (C-317)"
like "$(header Retry-After)" '^[0-9]+$' "the refusal of a sixth code says when to try again"
for i in 1 2 3 4 5; do
	finish_step "$(step_new ann)" 000000 -H "X-Real-IP: 198.51.100.$i"
done
finish_step "$(step_new ann)" "$(code ann)" -H 'X-Real-IP: 203.0.113.9'
is "$(answered)" "429 sign_in_rate_limit_exceeded" "a new sign-in with the right password does not allow more guesses of codes"
finish_step "$(step_new ann)" "$(code ann)"
is "$STATUS" 201 "the person can meanwhile sign in from a network that they used before (C-316)"
signed_in ann

# ---- the secret ----

is "$(sql "SELECT count(*) FROM person WHERE email = 'ann@example.com' AND position(decode('$(printf %s "$ann_secret" | base32 -d | od -An -tx1 | tr -d ' \n')', 'hex') in totp) > 0")" \
	0 "the database has the secret in no readable form (C-325)"
unlike "$(sql 'SELECT * FROM audit')$(cat "$W"/log/*.log)" "$ann_secret|$(printf %s "$ann_secret" | base32 -d | od -An -tx1 | tr -d ' \n')" \
	"neither the audit log nor a journal has the secret (C-325)"
before=$(sql "SELECT encode(totp, 'hex') FROM person WHERE email = 'ann@example.com'")
# keys_of: the keys in their order, with the secrets that each has sealed.
keys_of()
{
	ctl --json sign-in-keys list | jq -r '.sign_in_keys[] | "\(.kid) \(.signs) \(.secrets)"' | paste -sd ' '
}
old_kid=$(cut -d: -f1 "$W/etc/sign-in-keys")
is "$(keys_of)" "$old_kid true 2" "sign-in-keys list counts the secrets that the key has sealed"
for _turn in 1 2 3; do
	ctl sign-in-keys rotate
done
new_kid=$(head -1 "$W/etc/sign-in-keys" | cut -d: -f1)
is "$(keys_of | sed 's/^[^ ]* true 0 [^ ]* false 0/NEW FORMER/')" "NEW FORMER $old_kid false 2" \
	"a rotation keeps the former key, and an older one while secrets need it"
is "$(stat -c %a "$W/etc/sign-in-keys")" 600 "a rotation keeps the mode of the file"
forget_code
finish_step "$(step_new ann)" "$(code ann)"
is "$STATUS" 201 "codes still work after a rotation of sign_in_keys"
signed_in ann
isnt "$(sql "SELECT encode(totp, 'hex') FROM person WHERE email = 'ann@example.com'")" "$before" "using a code seals its secret with the newest key"
is "$(keys_of | sed 's/^\([^ ]*\) true/\1/' | cut -d' ' -f1,2)" "$new_kid 1" "the stored secret has the id of the new key"
sed -i "/^$old_kid:/d" "$W/etc/sign-in-keys"
is "$(ctl --json doctor --etc "$W/etc" 2>/dev/null | jq -r '.checks[] | select(.check == "sealed") | .state, .advice_name' | paste -sd ' ')" \
	"failed RESTORE_SIGN_IN_KEYS" "doctor finds a secret whose key the file lacks"
is "$(ctl --json doctor --etc "$W/etc" 2>/dev/null | jq -r '.checks[] | select(.check == "public_url") | .state, .advice_name' | paste -sd ' ')" \
	"warning SET_PUBLIC_URL" "doctor names public_url where it is not set (C-324)"

# ---- another secret, and the end ----

forget_code
finish_step "$(step_new ann)" "$(code ann)"
signed_in spare
old_secret=$ann_secret
as ann POST /auth/totp '{}'
new_secret=$(field .totp.secret)
forget_code
finish_step "$(step_new ann)" "$(code ann 1)"
is "$STATUS" 201 "while a second secret is not confirmed, the first one counts (C-866)"
ann_secret=$new_secret
as ann POST /auth/totp/confirm "{\"code\":\"$(code ann)\"}"
is "$STATUS" 200 "a second secret takes the place of the first one"
as spare GET /auth/session
is "$(answered)" "401 session_expired" "a second secret ends every other sign-in of the person (C-866)"
ann_secret=$old_secret
finish_step "$(step_new ann)" "$(code ann 1)"
is "$(answered)" "401 sign_in_failed" "a code of the replaced secret is refused"
sql "UPDATE sign_in SET authenticated_at = now() - interval '1 hour'" >/dev/null
as ann DELETE /auth/totp
is "$(answered)" "401 reauthentication_required" "codes are ended by a recent sign-in alone (C-308)"
as ann POST /auth/totp '{}'
is "$(answered)" "401 reauthentication_required" "codes are begun by a recent sign-in alone (C-308)"
sql "UPDATE sign_in SET authenticated_at = now()" >/dev/null
as ann DELETE /auth/totp
is "$STATUS $(field .person.has_totp)" "200 false" "a person ends their codes"
sign_in ann
is "$STATUS" 201 "without codes the password is enough again"
