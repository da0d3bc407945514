-- SPDX-License-Identifier: ISC
-- People who sign in (access/person.h). surfaced_api may not read passwords, secrets and hashes of
-- tokens, so it calls these functions. Where nobody is signed in yet, they set the actor and the
-- request for the audit log themselves.

-- Finds the sign-in of a token. state: unknown, over, or live with the other columns. idle: the
-- seconds after which an unused sign-in ends. passkeys: the number for the host p_rp_id; passkeys
-- of a former public_url cannot be used, so no rule counts them. An expired sign-in is ended here.
CREATE OR REPLACE FUNCTION sign_in_find(token bytea, idle bigint, p_rp_id text, OUT state text, OUT uuid uuid, OUT person_uuid uuid,
	OUT name text, OUT email text, OUT has_password boolean, OUT has_totp boolean, OUT passkeys bigint, OUT methods text[],
	OUT strong boolean, OUT created_at timestamptz, OUT authenticated_at timestamptz, OUT seen_at timestamptz,
	OUT expires_at timestamptz) LANGUAGE plpgsql
	SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
	s sign_in;
	p person;
BEGIN
	SELECT * INTO s FROM sign_in i WHERE i.sha256 = token;
	IF NOT FOUND THEN
		state := CASE WHEN EXISTS (SELECT FROM sign_in_former f WHERE f.sha256 = token) THEN 'over' ELSE 'unknown' END;
		RETURN;
	END IF;
	SELECT * INTO p FROM person WHERE person.uuid = s.person_uuid;
	IF s.ended_at IS NULL AND (s.expires_at <= now() OR s.seen_at + make_interval(secs => idle) <= now()) THEN
		PERFORM set_config('surfaced.actor', 'person:' || p.uuid, true);
		UPDATE sign_in i SET ended_at = now(), end_reason = 'expired' WHERE i.uuid = s.uuid AND i.ended_at IS NULL;
		s.ended_at := now();
	END IF;
	IF s.ended_at IS NOT NULL OR p.disabled_at IS NOT NULL THEN
		state := 'over';
		RETURN;
	END IF;
	IF s.seen_at <= now() - interval '60 s' THEN
		UPDATE sign_in i SET seen_at = now() WHERE i.uuid = s.uuid;
		s.seen_at := now();
	END IF;
	state := 'live';
	uuid := s.uuid;
	person_uuid := p.uuid;
	name := p.name;
	email := p.email;
	has_password := p.password IS NOT NULL;
	has_totp := p.totp_at IS NOT NULL;
	passkeys := (SELECT count(*) FROM passkey k WHERE k.person_uuid = p.uuid AND k.rp_id = p_rp_id);
	methods := s.methods;
	strong := s.strong;
	created_at := s.created_at;
	authenticated_at := s.authenticated_at;
	seen_at := s.seen_at;
	expires_at := s.expires_at;
END
$$;

-- Ends the sign-ins of a person except one, or all when `but` is null.
CREATE OR REPLACE FUNCTION sign_in_end_others(person uuid, but uuid, reason text) RETURNS bigint LANGUAGE plpgsql
	SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
	n bigint;
BEGIN
	UPDATE sign_in i SET ended_at = now(), end_reason = reason
	 WHERE i.person_uuid = person AND i.ended_at IS NULL AND i.uuid IS DISTINCT FROM but;
	GET DIAGNOSTICS n = ROW_COUNT;
	RETURN n;
END
$$;

-- Signs a person in with a new token. former: the live sign-in of the request's cookie, or null.
-- When it belongs to the same person, it gets the new token; otherwise it ends. p_password: the
-- stored text that matched when the password is the only proof, else null. Returns null when the
-- person is disabled, or has another password or a second method meanwhile. A concurrent change of
-- these waits for the lock of this function and then ends the new sign-in.
CREATE OR REPLACE FUNCTION sign_in_begin(p_person uuid, p_former uuid, p_token bytea, p_methods text[], p_strong boolean,
	p_address text, p_agent text, p_life bigint, p_password text, p_rp_id text) RETURNS uuid LANGUAGE plpgsql
	SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
	former sign_in;
	made uuid;
BEGIN
	PERFORM FROM person p WHERE p.uuid = p_person AND p.disabled_at IS NULL
		AND (p_password IS NULL OR (p.password = p_password AND p.totp_at IS NULL)) FOR SHARE;
	IF NOT FOUND OR (p_password IS NOT NULL AND EXISTS (SELECT FROM passkey k WHERE k.person_uuid = p_person
	    AND k.rp_id = p_rp_id)) THEN
		RETURN NULL;
	END IF;
	PERFORM set_config('surfaced.actor', 'person:' || p_person, true);
	SELECT * INTO former FROM sign_in i WHERE i.uuid = p_former AND i.ended_at IS NULL FOR UPDATE;
	IF FOUND AND former.person_uuid = p_person THEN
		INSERT INTO sign_in_former VALUES (former.sha256, former.uuid);
		UPDATE sign_in i SET sha256 = p_token, methods = p_methods, strong = p_strong, address = p_address::inet,
			agent = p_agent, authenticated_at = clock_timestamp(), seen_at = now()
		 WHERE i.uuid = former.uuid;
		RETURN former.uuid;
	END IF;
	IF former.uuid IS NOT NULL THEN
		UPDATE sign_in i SET ended_at = now(), end_reason = 'replaced' WHERE i.uuid = former.uuid;
	END IF;
	INSERT INTO sign_in (person_uuid, sha256, methods, strong, address, agent, expires_at)
	VALUES (p_person, p_token, p_methods, p_strong, p_address::inet, p_agent, now() + make_interval(secs => p_life))
	RETURNING uuid INTO made;
	RETURN made;
END
$$;

-- Ends a live sign-in of a person. Null: the person has no such sign-in.
CREATE OR REPLACE FUNCTION sign_in_end(p_person uuid, p_sign_in uuid, reason text) RETURNS uuid LANGUAGE sql
	SECURITY DEFINER SET search_path = public, pg_temp AS $$
	UPDATE sign_in i SET ended_at = now(), end_reason = reason
	 WHERE i.uuid = p_sign_in AND i.person_uuid = p_person AND i.ended_at IS NULL RETURNING i.uuid
$$;

-- The credentials of a person, found by the e-mail or by the UUID.
CREATE OR REPLACE FUNCTION person_credentials(p_email text, p_uuid uuid, p_rp_id text, OUT uuid uuid, OUT name text, OUT email text,
	OUT password text, OUT totp bytea, OUT has_totp boolean, OUT totp_step bigint, OUT passkeys bigint, OUT disabled boolean)
	LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
	SELECT p.uuid, p.name, p.email, p.password, p.totp, p.totp_at IS NOT NULL, p.totp_step,
		(SELECT count(*) FROM passkey k WHERE k.person_uuid = p.uuid AND k.rp_id = p_rp_id), p.disabled_at IS NOT NULL
	  FROM person p WHERE lower(p.email) = lower(p_email) OR p.uuid = p_uuid
$$;

-- Whether the person with this e-mail has signed in from this network within 30 days.
CREATE OR REPLACE FUNCTION sign_in_network_known(p_email text, p_network text) RETURNS boolean LANGUAGE sql STABLE
	SECURITY DEFINER SET search_path = public, pg_temp AS $$
	SELECT EXISTS (SELECT FROM person p JOIN sign_in i ON i.person_uuid = p.uuid
		WHERE lower(p.email) = lower(p_email) AND i.address <<= p_network::inet
		  AND greatest(i.authenticated_at, i.seen_at) > now() - interval '30 days')
$$;

-- The first bucket of the list that has no room for one more unit, or no row. A full bucket of sizes[n] units is empty after
-- seconds[n]. full_bucket: its place in the list, from 1; wait: the seconds until it has room; noted: whether a refusal was noted
-- since it had room.
CREATE OR REPLACE FUNCTION throttle_full(buckets bytea[], sizes bigint[], seconds bigint[]) RETURNS TABLE (full_bucket integer,
	wait integer, noted boolean) LANGUAGE sql AS $$
	SELECT x.n::integer, greatest(1, ceil((l.spent + 1 - x.size) * x.seconds / x.size))::integer,
		coalesce(t.noted_at >= clock_timestamp() - make_interval(secs => x.seconds), false)
	  FROM unnest(buckets, sizes, seconds) WITH ORDINALITY AS x (bucket, size, seconds, n) JOIN throttle t ON t.bucket = x.bucket,
	LATERAL (SELECT greatest(0, t.spent - extract(epoch FROM clock_timestamp() - t.at) * x.size / x.seconds) AS spent) AS l
	 WHERE l.spent + 1 > x.size ORDER BY x.n LIMIT 1
$$;

-- Adds one unit to each bucket, or to none when one of them is full; the arguments and the first two results are those of
-- throttle_full. note: the first refusal since the bucket had room, for the audit log. A refusal that was noted
-- locks and writes nothing, so that a flood of them does not wait for itself. Rows are locked in a fixed order, so that two
-- requests cannot deadlock.
CREATE OR REPLACE FUNCTION throttle_spend(buckets bytea[], sizes bigint[], seconds bigint[], OUT full_bucket integer,
	OUT wait integer, OUT note boolean) LANGUAGE plpgsql
	SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
	noted boolean;
	moment timestamptz;
BEGIN
	note := false;
	SELECT f.full_bucket, f.wait, f.noted INTO full_bucket, wait, noted FROM throttle_full(buckets, sizes, seconds) AS f;
	IF noted THEN
		RETURN;
	END IF;
	INSERT INTO throttle SELECT x, 0, clock_timestamp() FROM unnest(buckets) AS x ORDER BY x ON CONFLICT DO NOTHING;
	PERFORM FROM throttle t WHERE t.bucket = ANY (buckets) ORDER BY t.bucket FOR UPDATE;
	SELECT f.full_bucket, f.wait, f.noted INTO full_bucket, wait, noted FROM throttle_full(buckets, sizes, seconds) AS f;
	moment := clock_timestamp();
	IF FOUND THEN
		note := NOT noted;
		UPDATE throttle t SET noted_at = moment WHERE note AND t.bucket = buckets[full_bucket];
		RETURN;
	END IF;
	UPDATE throttle t SET at = moment,
		spent = greatest(0, t.spent - extract(epoch FROM moment - t.at) * x.size / x.seconds) + 1
	  FROM unnest(buckets, sizes, seconds) AS x (bucket, size, seconds) WHERE t.bucket = x.bucket;
END
$$;

-- Removes the units of an attempt that succeeded or was not made.
CREATE OR REPLACE FUNCTION throttle_refund(buckets bytea[]) RETURNS void LANGUAGE sql
	SECURITY DEFINER SET search_path = public, pg_temp AS $$
	UPDATE throttle t SET spent = greatest(0, t.spent - 1)
	 WHERE t.bucket IN (SELECT l.bucket FROM throttle l WHERE l.bucket = ANY (buckets) ORDER BY l.bucket FOR UPDATE)
$$;

-- Marks a challenge or a half-open sign-in as used. Returns false when it was used before.
CREATE OR REPLACE FUNCTION proof_use(p_sha256 bytea, p_expires_at timestamptz) RETURNS boolean LANGUAGE plpgsql
	SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
	INSERT INTO proof_used VALUES (p_sha256, p_expires_at) ON CONFLICT DO NOTHING;
	RETURN FOUND;
END
$$;

-- ---- links ----

-- Makes a link for an open membership, or for a person who has lost every way to sign in, and revokes their earlier links.
CREATE OR REPLACE FUNCTION sign_in_link_make(p_member uuid, p_person uuid, p_token bytea, p_by text, p_life bigint)
	RETURNS timestamptz LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
	ends timestamptz := date_trunc('second', now() + make_interval(secs => p_life));
BEGIN
	UPDATE sign_in_link l SET revoked_at = now()
	 WHERE (l.member_uuid = p_member OR (l.person_uuid = p_person AND l.purpose = 'recover'))
	   AND l.used_at IS NULL AND l.revoked_at IS NULL;
	INSERT INTO sign_in_link (sha256, purpose, member_uuid, person_uuid, created_by, expires_at)
	VALUES (p_token, CASE WHEN p_member IS NULL THEN 'recover' ELSE 'join' END, p_member, p_person, p_by, ends);
	RETURN ends;
END
$$;

-- Finds a link that can be used. No row: the link is unknown, used, expired or revoked, or its
-- membership or person was removed.
CREATE OR REPLACE FUNCTION sign_in_link_find(p_token bytea) RETURNS TABLE (uuid uuid, purpose text, organisation_name text,
	invited_by text, name text, email text, expires_at timestamptz, member_uuid uuid, person_uuid uuid) LANGUAGE sql
	SECURITY DEFINER SET search_path = public, pg_temp AS $$
	SELECT l.uuid, l.purpose, a.name::text, i.name::text, coalesce(m.name, p.name)::text, coalesce(m.email, p.email), l.expires_at, l.member_uuid, l.person_uuid
	  FROM sign_in_link l
	  LEFT JOIN member m ON m.uuid = l.member_uuid
	  LEFT JOIN account a ON a.uuid = m.account_uuid
	  LEFT JOIN person p ON p.uuid = l.person_uuid
	  LEFT JOIN member i ON l.created_by = 'member:' || i.uuid AND i.account_uuid = m.account_uuid
	 WHERE l.sha256 = p_token AND l.used_at IS NULL AND l.revoked_at IS NULL AND l.expires_at > now()
	   AND CASE l.purpose WHEN 'join' THEN m.removed_at IS NULL AND m.person_uuid IS NULL ELSE p.disabled_at IS NULL END
$$;

-- Marks a link as used. Returns used; gone when it was used before or has expired; or busy when another transaction has
-- locked it: a request that waited for another one would keep a worker. The membership is locked first, as in
-- member_drop.
CREATE OR REPLACE FUNCTION sign_in_link_use(p_link uuid) RETURNS text LANGUAGE plpgsql
	SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
	PERFORM FROM member m WHERE m.uuid = (SELECT l.member_uuid FROM sign_in_link l WHERE l.uuid = p_link) FOR UPDATE NOWAIT;
	PERFORM FROM sign_in_link l WHERE l.uuid = p_link FOR UPDATE NOWAIT;
	-- A request without a sign-in acts as the member or the person of the link.
	IF current_setting('surfaced.actor', true) = 'public' THEN
		PERFORM set_config('surfaced.actor', coalesce('person:' || l.person_uuid, 'member:' || l.member_uuid), true)
		   FROM sign_in_link l WHERE l.uuid = p_link;
	END IF;
	UPDATE sign_in_link l SET used_at = now()
	 WHERE l.uuid = p_link AND l.used_at IS NULL AND l.revoked_at IS NULL AND l.expires_at > now();
	RETURN CASE WHEN FOUND THEN 'used' ELSE 'gone' END;
EXCEPTION WHEN lock_not_available THEN
	RETURN 'busy';
END
$$;

-- Counts a use of a link that was refused, and revokes the link when p_most were.
CREATE OR REPLACE FUNCTION sign_in_link_fail(p_token bytea, p_most bigint, p_request text) RETURNS void LANGUAGE plpgsql
	SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
	PERFORM set_config('surfaced.actor', 'public', true), set_config('surfaced.request_id', p_request, true);
	UPDATE sign_in_link l SET failures = l.failures + 1, revoked_at = CASE WHEN l.failures + 1 >= p_most THEN now() END
	 WHERE l.sha256 = p_token AND l.used_at IS NULL AND l.revoked_at IS NULL;
END
$$;

-- Whether this e-mail identifies another person at the company's proxy.
CREATE OR REPLACE FUNCTION email_is_identity(p_email text, p_person uuid) RETURNS boolean LANGUAGE sql STABLE AS $$
	SELECT EXISTS (SELECT FROM person p WHERE lower(p.proxy_identity) = lower(p_email) AND p.uuid IS DISTINCT FROM p_person)
$$;

-- Creates a person. outcome: made, or taken when another person has the e-mail.
CREATE OR REPLACE FUNCTION person_add(p_name text, p_email text, p_password text, OUT outcome text, OUT uuid uuid)
	LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
	uuid := gen_random_uuid();
	PERFORM set_config('surfaced.actor', 'person:' || uuid, true);
	outcome := CASE WHEN email_is_identity(p_email, NULL) THEN 'taken' ELSE 'made' END;
	IF outcome = 'taken' THEN
		RETURN;
	END IF;
	INSERT INTO person (uuid, name, email, password, password_at) VALUES (person_add.uuid, p_name, p_email, p_password, now());
EXCEPTION WHEN unique_violation THEN
	outcome := 'taken';
END
$$;

-- The e-mail that a membership of the person has: that of the person, unless another membership of the account has it.
CREATE OR REPLACE FUNCTION member_email(m member, p_email text) RETURNS text LANGUAGE sql STABLE AS $$
	SELECT CASE WHEN EXISTS (SELECT FROM member x WHERE x.account_uuid = m.account_uuid AND lower(x.email) = lower(p_email)
		AND x.removed_at IS NULL AND x.uuid <> m.uuid) THEN m.email ELSE p_email END
$$;

-- Lets a person join with a membership, which gets their name and e-mail. outcome: joined; member_exists when the person is a member
-- of the account already; gone when the membership was removed.
CREATE OR REPLACE FUNCTION member_join(p_member uuid, p_person uuid) RETURNS text LANGUAGE plpgsql
	SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
	PERFORM set_config('surfaced.actor', 'person:' || p_person, true);
	UPDATE member m SET person_uuid = p_person, name = p.name, email = member_email(m, p.email) FROM person p
	 WHERE m.uuid = p_member AND m.person_uuid IS NULL AND m.removed_at IS NULL AND p.uuid = p_person;
	RETURN CASE WHEN FOUND THEN 'joined' ELSE 'gone' END;
EXCEPTION WHEN unique_violation THEN
	RETURN 'member_exists';
END
$$;

-- Changes the name and the e-mail of a person and of their memberships. p_proxy: the company's proxy names people by e-mail.
-- Returns one of:
--   ok
--   taken   another person has the e-mail
--   fixed   the proxy knows this person by another e-mail. With the e-mail of a colleague who has not signed in yet, a person
--           would keep that colleague out.
CREATE OR REPLACE FUNCTION person_set(p_person uuid, p_name text, p_email text, p_proxy boolean) RETURNS text LANGUAGE plpgsql
	SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
	IF p_proxy AND EXISTS (SELECT FROM person p WHERE p.uuid = p_person AND p.email <> p_email
		AND lower(p.proxy_identity) IS DISTINCT FROM lower(p_email)) THEN
		RETURN 'fixed';
	ELSIF email_is_identity(p_email, p_person) THEN
		RETURN 'taken';
	END IF;
	UPDATE person p SET name = p_name, email = p_email WHERE p.uuid = p_person;
	UPDATE member m SET name = p_name, email = member_email(m, p_email)
	 WHERE m.person_uuid = p_person AND m.removed_at IS NULL AND (m.name, m.email) IS DISTINCT FROM (p_name, member_email(m, p_email));
	RETURN 'ok';
EXCEPTION WHEN unique_violation THEN
	RETURN 'taken';
END
$$;

-- Whether the sign-in that changes a person has not ended meanwhile; p_but null: no sign-in does. The row of the person is
-- locked, so that it does not end before the change either.
CREATE OR REPLACE FUNCTION person_change_begin(p_person uuid, p_but uuid) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
	PERFORM FROM person p WHERE p.uuid = p_person FOR UPDATE;
	RETURN p_but IS NULL OR EXISTS (SELECT FROM sign_in i WHERE i.uuid = p_but AND i.ended_at IS NULL);
END
$$;

-- Sets a password and ends every sign-in but one. Returns false, and sets nothing, when that one
-- has ended meanwhile, for example by the first sign-in through the company's proxy.
CREATE OR REPLACE FUNCTION person_password_set(p_person uuid, p_password text, p_but uuid) RETURNS boolean LANGUAGE plpgsql
	SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
	IF NOT person_change_begin(p_person, p_but) THEN
		RETURN false;
	END IF;
	UPDATE person p SET password = p_password, password_at = CASE WHEN p_password IS NOT NULL THEN clock_timestamp() END
	 WHERE p.uuid = p_person;
	PERFORM sign_in_end_others(p_person, p_but, 'credentials_changed');
	RETURN true;
END
$$;

-- Whether this is still the stored password. It cannot change before the transaction ends.
CREATE OR REPLACE FUNCTION person_password_is(p_person uuid, p_password text) RETURNS boolean LANGUAGE plpgsql
	SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
	PERFORM FROM person p WHERE p.uuid = p_person AND p.password = p_password AND p.disabled_at IS NULL FOR SHARE;
	RETURN FOUND;
END
$$;

-- Stores a hash of the same password with higher costs.
CREATE OR REPLACE FUNCTION person_password_renew(p_person uuid, p_former text, p_password text) RETURNS void LANGUAGE sql
	SECURITY DEFINER SET search_path = public, pg_temp AS $$
	UPDATE person p SET password = p_password WHERE p.uuid = p_person AND p.password = p_former
$$;

-- Removes every way to sign in that a person has set up, and ends their sign-ins.
CREATE OR REPLACE FUNCTION person_proofs_remove(p_person uuid) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	UPDATE person p SET password = NULL, password_at = NULL, totp = NULL, totp_new = NULL, totp_at = NULL, totp_step = 0
	 WHERE p.uuid = p_person;
	DELETE FROM passkey k WHERE k.person_uuid = p_person;
	PERFORM sign_in_end_others(p_person, NULL, 'credentials_changed');
END
$$;

-- Gives a person who lost all credentials a new password. All other methods and sign-ins end.
CREATE OR REPLACE FUNCTION person_recover(p_person uuid, p_password text) RETURNS void LANGUAGE plpgsql
	SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
	PERFORM set_config('surfaced.actor', 'person:' || p_person, true);
	PERFORM person_proofs_remove(p_person);
	UPDATE person p SET password = p_password, password_at = clock_timestamp() WHERE p.uuid = p_person;
END
$$;

GRANT EXECUTE ON FUNCTION credential_scopes TO surfaced_api, surfaced_admin;
GRANT EXECUTE ON FUNCTION sign_in_find, sign_in_begin, sign_in_end, sign_in_end_others, person_credentials,
	sign_in_network_known, throttle_spend, throttle_refund, proof_use, sign_in_link_make, sign_in_link_find, sign_in_link_use,
	sign_in_link_fail, person_add, member_join, person_set, person_password_set, person_password_is,
	person_password_renew, person_recover TO surfaced_api;
-- Adds to the number of documents that a member has read in the console today (UTC), and returns it.
CREATE OR REPLACE FUNCTION people_read(credential uuid, more bigint) RETURNS bigint LANGUAGE plpgsql
	SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
	today date := (now() AT TIME ZONE 'UTC')::date;
	member uuid := (SELECT k.owner_uuid FROM api_key k WHERE k.uuid = credential AND k.kind = 'console');
	total bigint;
BEGIN
	UPDATE people_read r SET n = greatest(r.n + more, 0) WHERE r.member_uuid = member AND r.day = today RETURNING r.n INTO total;
	IF NOT FOUND THEN
		DELETE FROM people_read r WHERE r.member_uuid = member AND r.day < today;
		INSERT INTO people_read AS r VALUES (member, today, greatest(more, 0))
		ON CONFLICT (member_uuid, day) DO UPDATE SET n = greatest(r.n + more, 0) RETURNING r.n INTO total;
	END IF;
	RETURN total;
END
$$;

GRANT EXECUTE ON FUNCTION people_read TO surfaced_api;
GRANT EXECUTE ON FUNCTION sign_in_link_make, sign_in_end_others TO surfaced_admin;
REVOKE EXECUTE ON FUNCTION person_change_begin, person_proofs_remove, throttle_full FROM PUBLIC;
