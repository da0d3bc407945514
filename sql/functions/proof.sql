-- SPDX-License-Identifier: ISC
-- Passkeys and one-time codes of people (src/api/people/passkey.c, totp.c). Each change locks the row of
-- the person, so that two concurrent requests cannot remove the last two methods of signing in.

-- Finds and locks the passkey of a credential, so that the second of two sign-ins sees the counter
-- of the first. The person is locked first, as in passkey_remove. No row: the credential is
-- unknown.
CREATE OR REPLACE FUNCTION passkey_find(p_credential bytea, OUT uuid uuid, OUT person_uuid uuid, OUT spki bytea, OUT algorithm integer,
	OUT sign_count bigint, OUT rp_id text) LANGUAGE plpgsql
	SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
	PERFORM FROM person p WHERE p.uuid = (SELECT k.person_uuid FROM passkey k WHERE k.credential = p_credential) FOR SHARE;
	SELECT k.uuid, k.person_uuid, k.spki, k.algorithm, k.sign_count, k.rp_id
	  INTO uuid, person_uuid, spki, algorithm, sign_count, rp_id FROM passkey k WHERE k.credential = p_credential FOR UPDATE;
END
$$;

CREATE OR REPLACE FUNCTION passkey_used(p_passkey uuid, p_sign_count bigint, p_backed_up boolean) RETURNS void LANGUAGE sql
	SECURITY DEFINER SET search_path = public, pg_temp AS $$
	UPDATE passkey k SET sign_count = p_sign_count, backed_up = p_backed_up, last_used_at = now() WHERE k.uuid = p_passkey
$$;

-- Adds a passkey. outcome: made; over when the sign-in p_but has ended meanwhile; taken when the credential is registered
-- already; full when the person has the most passkeys allowed.
CREATE OR REPLACE FUNCTION passkey_add(p_person uuid, p_but uuid, p_name text, p_credential bytea, p_spki bytea, p_algorithm bigint,
	p_sign_count bigint, p_backed_up boolean, p_rp_id text, p_most bigint, OUT outcome text, OUT uuid uuid) LANGUAGE plpgsql
	SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
	outcome := 'over';
	IF NOT person_change_begin(p_person, p_but) THEN
		RETURN;
	END IF;
	outcome := 'full';
	IF (SELECT count(*) FROM passkey k WHERE k.person_uuid = p_person) >= p_most THEN
		RETURN;
	END IF;
	outcome := 'taken';
	INSERT INTO passkey AS k (person_uuid, name, credential, spki, algorithm, sign_count, backed_up, rp_id)
	VALUES (p_person, p_name, p_credential, p_spki, p_algorithm, p_sign_count, p_backed_up, p_rp_id)
	ON CONFLICT ON CONSTRAINT passkey_credential_taken DO NOTHING RETURNING 'made', k.uuid INTO outcome, uuid;
	outcome := coalesce(outcome, 'taken');
END
$$;

CREATE OR REPLACE FUNCTION passkey_rename(p_person uuid, p_passkey uuid, p_name text) RETURNS boolean LANGUAGE plpgsql
	SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
	UPDATE passkey k SET name = p_name WHERE k.uuid = p_passkey AND k.person_uuid = p_person;
	RETURN FOUND;
END
$$;

-- Removes a passkey. outcome: removed; none; or last when the person could not sign in any more. Every sign-in but one ends.
-- Only passkeys of the host p_rp_id can sign in. A passkey of another host may always be removed, and does not count as a way to sign in.
CREATE OR REPLACE FUNCTION passkey_remove(p_person uuid, p_passkey uuid, p_but uuid, p_rp_id text) RETURNS text LANGUAGE plpgsql
	SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
	has_password boolean;
	host text;
BEGIN
	SELECT p.password IS NOT NULL INTO has_password FROM person p WHERE p.uuid = p_person FOR UPDATE;
	SELECT k.rp_id INTO host FROM passkey k WHERE k.uuid = p_passkey AND k.person_uuid = p_person;
	IF NOT FOUND THEN
		RETURN 'none';
	END IF;
	IF NOT has_password AND host = p_rp_id AND NOT EXISTS (SELECT FROM passkey k WHERE k.person_uuid = p_person AND k.uuid <> p_passkey
	    AND k.rp_id = p_rp_id) THEN
		RETURN 'last';
	END IF;
	DELETE FROM passkey k WHERE k.uuid = p_passkey;
	PERFORM sign_in_end_others(p_person, p_but, 'credentials_changed');
	RETURN 'removed';
END
$$;

-- Removes the password. Returns false when the person could not sign in any more. Every sign-in but
-- one ends.
CREATE OR REPLACE FUNCTION person_password_remove(p_person uuid, p_but uuid, p_rp_id text) RETURNS boolean LANGUAGE plpgsql
	SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
	PERFORM FROM person p WHERE p.uuid = p_person FOR UPDATE;
	IF NOT EXISTS (SELECT FROM passkey k WHERE k.person_uuid = p_person AND k.rp_id = p_rp_id) THEN
		RETURN false;
	END IF;
	PERFORM person_password_set(p_person, NULL, p_but);
	RETURN true;
END
$$;

-- ---- one-time codes ----

-- Stores a secret that becomes effective when a first code confirms it. Until then an earlier
-- secret stays effective.
CREATE OR REPLACE FUNCTION totp_begin(p_person uuid, p_sealed bytea) RETURNS void LANGUAGE sql
	SECURITY DEFINER SET search_path = public, pg_temp AS $$
	UPDATE person p SET totp_new = p_sealed, totp_new_at = now() WHERE p.uuid = p_person
$$;

-- Returns the unconfirmed secret, or null when none was stored in the last ten minutes.
CREATE OR REPLACE FUNCTION totp_unconfirmed(p_person uuid, OUT sealed bytea) LANGUAGE sql STABLE
	SECURITY DEFINER SET search_path = public, pg_temp AS $$
	SELECT p.totp_new FROM person p WHERE p.uuid = p_person AND p.totp_new_at > now() - interval '10 min'
$$;

-- Confirms a secret whose code was right. Returns false when another secret was stored meanwhile, or the sign-in p_but has ended.
-- When it replaces a confirmed secret, every sign-in but one ends.
CREATE OR REPLACE FUNCTION totp_confirm(p_person uuid, p_sealed bytea, p_step bigint, p_but uuid) RETURNS boolean LANGUAGE plpgsql
	SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
	had boolean;
BEGIN
	IF NOT person_change_begin(p_person, p_but) THEN
		RETURN false;
	END IF;
	SELECT p.totp_at IS NOT NULL INTO had FROM person p WHERE p.uuid = p_person AND p.totp_new = p_sealed;
	IF NOT FOUND THEN
		RETURN false;
	END IF;
	UPDATE person p SET totp = p_sealed, totp_new = NULL, totp_at = now(), totp_step = p_step WHERE p.uuid = p_person;
	IF had THEN
		PERFORM sign_in_end_others(p_person, p_but, 'credentials_changed');
	END IF;
	RETURN true;
END
$$;

-- Marks the code of a step as used, and stores the secret as it is sealed now. Returns false when
-- the step was used before, when the secret or the password has changed since the sign-in began, or
-- when the person is disabled.
CREATE OR REPLACE FUNCTION totp_use(p_person uuid, p_former bytea, p_sealed bytea, p_step bigint, p_began timestamptz)
	RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
	UPDATE person p SET totp_step = p_step, totp = p_sealed
	 WHERE p.uuid = p_person AND p.totp = p_former AND p.totp_at IS NOT NULL AND p.totp_step < p_step
	   AND p.disabled_at IS NULL AND p.password IS NOT NULL AND coalesce(p.password_at <= p_began, true);
	RETURN FOUND;
END
$$;

CREATE OR REPLACE FUNCTION totp_remove(p_person uuid, p_but uuid) RETURNS void LANGUAGE plpgsql
	SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
	UPDATE person p SET totp = NULL, totp_new = NULL, totp_at = NULL, totp_step = 0
	 WHERE p.uuid = p_person AND p.totp_at IS NOT NULL;
	IF FOUND THEN
		PERFORM sign_in_end_others(p_person, p_but, 'credentials_changed');
	END IF;
END
$$;

-- Stores the e-mail by which the company's proxy knows a person. The person's own e-mail is not verified: the first user of an
-- invitation typed it. So when the proxy or an operator names the person by an e-mail that was not theirs before, all former ways
-- to sign in are removed and all sign-ins end, unless the person is signed in (p_signed_in) in the very browser that the proxy
-- knows.
CREATE OR REPLACE FUNCTION person_proxy_bind(p_person uuid, p_identity text, p_signed_in uuid) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
	was text;
BEGIN
	SELECT p.proxy_identity INTO was FROM person p WHERE p.uuid = p_person FOR UPDATE;
	UPDATE person p SET proxy_identity = p_identity WHERE p.uuid = p_person;
	IF p_identity IS NOT NULL AND lower(was) IS DISTINCT FROM lower(p_identity) AND p_person IS DISTINCT FROM p_signed_in THEN
		PERFORM person_proofs_remove(p_person);
	END IF;
END
$$;

-- For surfacectl people bind. p_identity null: the person is found by their own e-mail once more.
CREATE OR REPLACE FUNCTION person_bind(p_email text, p_identity text) RETURNS void LANGUAGE sql
	SECURITY DEFINER SET search_path = public, pg_temp AS $$
	SELECT person_proxy_bind(p.uuid, p_identity, NULL) FROM person p WHERE lower(p.email) = lower(p_email)
$$;

-- Returns the person whom the company's proxy identifies by this e-mail, or null when there is
-- none, or the person is disabled or not a member. The first sign-in finds the person by their
-- e-mail and stores it as the identity at the proxy. From then on only this identity counts, even
-- if the person changes their e-mail. p_signed_in: the person who is signed in in this browser.
CREATE OR REPLACE FUNCTION person_of_proxy(p_email text, p_signed_in uuid) RETURNS uuid LANGUAGE plpgsql
	SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
	who person;
BEGIN
	SELECT * INTO who FROM person p
	 WHERE lower(p.proxy_identity) = lower(p_email) OR (p.proxy_identity IS NULL AND lower(p.email) = lower(p_email))
	 ORDER BY p.proxy_identity IS NULL LIMIT 1;
	IF who.disabled_at IS NOT NULL OR NOT EXISTS
	    (SELECT FROM member m WHERE m.person_uuid = who.uuid AND m.removed_at IS NULL) THEN
		RETURN NULL;
	END IF;
	IF who.proxy_identity IS NULL THEN
		PERFORM set_config('surfaced.actor', 'person:' || who.uuid, true);
		PERFORM FROM person p WHERE p.uuid = who.uuid AND coalesce(lower(p.proxy_identity) = lower(p_email), true) FOR UPDATE;
		IF NOT FOUND THEN -- surfacectl people bind was faster
			RETURN NULL;
		END IF;
		PERFORM person_proxy_bind(who.uuid, p_email, p_signed_in);
	END IF;
	RETURN who.uuid;
END
$$;

REVOKE EXECUTE ON FUNCTION person_proxy_bind, person_bind FROM PUBLIC;
GRANT EXECUTE ON FUNCTION person_bind TO surfaced_admin;
GRANT EXECUTE ON FUNCTION passkey_find, passkey_used, passkey_add, passkey_rename, passkey_remove, person_password_remove, totp_begin,
	totp_unconfirmed, totp_confirm, totp_use, totp_remove, person_of_proxy TO surfaced_api;
