-- SPDX-License-Identifier: ISC
-- Changes that people make in their organisation: members, keys, projects, and how members sign in.
-- Each function takes the console credential of the acting person and derives the account from it.
-- The worker has checked that the member is an owner where that is needed. outcome: ok, or the
-- reason why nothing was changed.

CREATE OR REPLACE FUNCTION console_account(actor uuid, OUT account uuid, OUT member uuid, OUT owner boolean) LANGUAGE sql STABLE AS $$
	SELECT m.account_uuid, m.uuid, m.role = 'owner' FROM api_key k JOIN member m ON m.uuid = k.owner_uuid
	 WHERE k.uuid = actor AND k.kind = 'console' AND m.removed_at IS NULL
$$;

-- Replaces the project roles of a member by the two lists. Returns false when a project belongs to
-- another account.
CREATE OR REPLACE FUNCTION member_grant(p_account uuid, p_member uuid, p_projects uuid[], p_roles text[]) RETURNS boolean
	LANGUAGE plpgsql AS $$
BEGIN
	IF EXISTS (SELECT FROM unnest(p_projects) AS x WHERE NOT EXISTS
	    (SELECT FROM project p WHERE p.uuid = x AND p.account_uuid = p_account)) THEN
		RETURN false;
	END IF;
	DELETE FROM project_member g WHERE g.member_uuid = p_member AND g.project_uuid <> ALL (p_projects);
	INSERT INTO project_member AS g (account_uuid, project_uuid, member_uuid, role)
	SELECT p_account, x.project, p_member, x.role FROM unnest(p_projects, p_roles) AS x (project, role)
	    ON CONFLICT (project_uuid, member_uuid) DO UPDATE SET role = excluded.role WHERE g.role <> excluded.role;
	RETURN true;
END
$$;

CREATE OR REPLACE FUNCTION member_invite(actor uuid, p_email text, p_name text, p_role text, p_all boolean, p_projects uuid[],
	p_roles text[], p_token bytea, p_life bigint, OUT outcome text, OUT uuid uuid, OUT expires_at timestamptz)
	LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
	me record;
BEGIN
	SELECT * INTO me FROM console_account(actor);
	BEGIN
		INSERT INTO member (account_uuid, name, email, role, all_projects)
		VALUES (me.account, p_name, p_email, p_role, p_all) RETURNING member.uuid INTO member_invite.uuid;
	EXCEPTION WHEN unique_violation THEN
		outcome := 'member_exists';
		RETURN;
	END;
	IF NOT member_grant(me.account, member_invite.uuid, p_projects, p_roles) THEN
		outcome := 'project';
		RETURN;
	END IF;
	expires_at := sign_in_link_make(member_invite.uuid, NULL, p_token, 'member:' || me.member, p_life);
	outcome := 'ok';
END
$$;

-- Makes another link for a member who has not joined.
CREATE OR REPLACE FUNCTION member_relink(actor uuid, p_member uuid, p_token bytea, p_life bigint, OUT outcome text,
	OUT expires_at timestamptz) LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
	me record;
	m member;
BEGIN
	SELECT * INTO me FROM console_account(actor);
	SELECT * INTO m FROM member x WHERE x.uuid = p_member AND x.account_uuid = me.account AND x.removed_at IS NULL FOR UPDATE;
	outcome := CASE WHEN NOT FOUND THEN 'not_found' WHEN m.person_uuid IS NOT NULL THEN 'joined' ELSE 'ok' END;
	IF outcome = 'ok' THEN
		expires_at := sign_in_link_make(p_member, NULL, p_token, 'member:' || me.member, p_life);
	END IF;
END
$$;

-- Whether this member is the last owner who can sign in. Owners who have not joined or are disabled
-- do not count. The lock on the account serialises such changes.
CREATE OR REPLACE FUNCTION owner_is_last(p_account uuid, p_member uuid) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
	PERFORM FROM account a WHERE a.uuid = p_account FOR UPDATE;
	RETURN EXISTS (SELECT FROM member m WHERE m.uuid = p_member AND m.person_uuid IS NOT NULL)
		AND NOT EXISTS (SELECT FROM member m JOIN person p ON p.uuid = m.person_uuid
			WHERE m.account_uuid = p_account AND m.role = 'owner' AND m.removed_at IS NULL AND m.uuid <> p_member
			  AND p.disabled_at IS NULL);
END
$$;

CREATE OR REPLACE FUNCTION member_set(actor uuid, p_member uuid, p_email text, p_name text, p_role text, p_all boolean,
	p_projects uuid[], p_roles text[]) RETURNS text LANGUAGE plpgsql
	SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
	me record;
	m member;
	last boolean;
BEGIN
	SELECT * INTO me FROM console_account(actor);
	last := owner_is_last(me.account, p_member);
	SELECT * INTO m FROM member x WHERE x.uuid = p_member AND x.account_uuid = me.account AND x.removed_at IS NULL FOR UPDATE;
	IF NOT FOUND THEN
		RETURN 'not_found';
	END IF;
	IF m.role = 'owner' AND p_role <> 'owner' AND last THEN
		RETURN 'last_owner';
	END IF;
	IF m.person_uuid IS NOT NULL AND (m.name, m.email) IS DISTINCT FROM (p_name::label, p_email) THEN
		RETURN CASE WHEN m.name IS DISTINCT FROM p_name::label THEN 'own_name' ELSE 'own_email' END;
	END IF;
	BEGIN
		UPDATE member x SET email = p_email, name = p_name, role = p_role, all_projects = p_all WHERE x.uuid = p_member;
	EXCEPTION WHEN unique_violation THEN
		RETURN 'member_exists';
	END;
	RETURN CASE WHEN member_grant(me.account, p_member, p_projects, p_roles) THEN 'ok' ELSE 'project' END;
END
$$;

CREATE OR REPLACE FUNCTION member_drop(actor uuid, p_member uuid) RETURNS text LANGUAGE plpgsql
	SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
	me record;
	m member;
	last boolean;
BEGIN
	SELECT * INTO me FROM console_account(actor);
	last := owner_is_last(me.account, p_member);
	SELECT * INTO m FROM member x WHERE x.uuid = p_member AND x.account_uuid = me.account FOR UPDATE;
	IF NOT FOUND THEN
		RETURN 'not_found';
	END IF;
	IF m.removed_at IS NULL AND m.role = 'owner' AND last THEN
		RETURN 'last_owner';
	END IF;
	UPDATE member x SET removed_at = now() WHERE x.uuid = p_member AND x.removed_at IS NULL;
	UPDATE sign_in_link l SET revoked_at = now() WHERE l.member_uuid = p_member AND l.used_at IS NULL AND l.revoked_at IS NULL;
	RETURN 'ok';
END
$$;

-- ---- keys ----

-- Returns why a key may not have these scopes and projects, or null.
CREATE OR REPLACE FUNCTION key_fault(p_account uuid, p_scopes text[], p_projects uuid[]) RETURNS text LANGUAGE sql STABLE AS $$
	SELECT CASE WHEN EXISTS (SELECT FROM unnest(p_scopes) AS s WHERE NOT EXISTS
			(SELECT FROM account_scope a WHERE a.account_uuid = p_account AND a.scope = s)) THEN 'scope'
		WHEN EXISTS (SELECT FROM unnest(p_projects) AS x WHERE NOT EXISTS
			(SELECT FROM project p WHERE p.account_uuid = p_account AND p.uuid = x)) THEN 'project' END
$$;

-- Creates a key. p_member: the holder; null: the acting person.
CREATE OR REPLACE FUNCTION key_add(actor uuid, p_member uuid, p_name text, p_scopes text[], p_projects uuid[],
	p_expires_at timestamptz, p_prefix text, p_sha256 bytea, OUT outcome text, OUT uuid uuid)
	LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
	me record;
	holder uuid;
BEGIN
	SELECT * INTO me FROM console_account(actor);
	SELECT m.uuid INTO holder FROM member m
	 WHERE m.uuid = coalesce(p_member, me.member) AND m.account_uuid = me.account AND m.removed_at IS NULL;
	outcome := CASE WHEN holder IS NULL THEN 'member' ELSE coalesce(key_fault(me.account, p_scopes, p_projects), 'ok') END;
	IF outcome = 'ok' THEN
		INSERT INTO api_key (account_uuid, owner_uuid, name, prefix, sha256, scopes, projects, expires_at)
		VALUES (me.account, holder, p_name, p_prefix, p_sha256, p_scopes::scope_name[], p_projects, p_expires_at)
		RETURNING api_key.uuid INTO key_add.uuid;
	END IF;
END
$$;

-- Locks a key of the account. found is null when there is none. over: the key does not work any
-- more.
CREATE OR REPLACE FUNCTION key_lock(p_account uuid, p_key uuid, OUT found uuid, OUT holder uuid, OUT over boolean)
	LANGUAGE sql AS $$
	SELECT k.uuid, k.owner_uuid, k.revoked_at IS NOT NULL OR m.removed_at IS NOT NULL
	  FROM api_key k JOIN member m ON m.uuid = k.owner_uuid
	 WHERE k.uuid = p_key AND k.account_uuid = p_account AND k.kind = 'key' FOR UPDATE OF k
$$;

CREATE OR REPLACE FUNCTION key_set(actor uuid, p_key uuid, p_name text, p_scopes text[], p_projects uuid[],
	p_expires_at timestamptz) RETURNS text LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
	me record;
	k record;
	fault text;
BEGIN
	SELECT * INTO me FROM console_account(actor);
	SELECT * INTO k FROM key_lock(me.account, p_key);
	fault := CASE WHEN k.found IS NULL THEN 'not_found' WHEN k.over THEN 'revoked'
		ELSE key_fault(me.account, p_scopes, p_projects) END;
	IF fault IS NULL THEN
		UPDATE api_key x SET name = p_name, scopes = p_scopes::scope_name[], projects = p_projects, expires_at = p_expires_at
		 WHERE x.uuid = p_key;
	END IF;
	RETURN coalesce(fault, 'ok');
END
$$;

-- Makes a key with the same rights and a new secret. The old key ends at p_until, or now.
CREATE OR REPLACE FUNCTION key_rotate(actor uuid, p_key uuid, p_until timestamptz, p_prefix text, p_sha256 bytea,
	OUT outcome text, OUT uuid uuid) LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
	me record;
	k record;
	old api_key;
BEGIN
	SELECT * INTO me FROM console_account(actor);
	SELECT * INTO k FROM key_lock(me.account, p_key);
	SELECT * INTO old FROM api_key x WHERE x.uuid = p_key;
	outcome := CASE WHEN k.found IS NULL THEN 'not_found' WHEN k.over OR old.expires_at <= now() THEN 'revoked' ELSE 'ok' END;
	IF outcome <> 'ok' THEN
		RETURN;
	END IF;
	INSERT INTO api_key (account_uuid, owner_uuid, name, prefix, sha256, scopes, projects, expires_at, rate, rate_window)
	SELECT old.account_uuid, old.owner_uuid, old.name, p_prefix, p_sha256,
		ARRAY(SELECT s.scope FROM account_scope s WHERE s.account_uuid = old.account_uuid AND s.scope = ANY (old.scopes) ORDER BY 1),
		old.projects, old.expires_at, old.rate, old.rate_window
	RETURNING api_key.uuid INTO key_rotate.uuid;
	UPDATE api_key x SET revoked_at = CASE WHEN p_until IS NULL THEN now() END,
		expires_at = CASE WHEN p_until IS NULL THEN x.expires_at ELSE least(x.expires_at, p_until) END
	 WHERE x.uuid = p_key;
END
$$;

-- Revokes a key. Owners may revoke any key, other members only their own.
CREATE OR REPLACE FUNCTION key_revoke(actor uuid, p_key uuid) RETURNS text LANGUAGE plpgsql
	SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
	me record;
	k record;
BEGIN
	SELECT * INTO me FROM console_account(actor);
	SELECT * INTO k FROM key_lock(me.account, p_key);
	IF k.found IS NULL OR NOT (me.owner OR k.holder = me.member) THEN
		RETURN 'not_found';
	END IF;
	UPDATE api_key x SET revoked_at = now() WHERE x.uuid = p_key AND x.revoked_at IS NULL;
	RETURN 'ok';
END
$$;

-- ---- the organisation and its projects ----

CREATE OR REPLACE FUNCTION organisation_set(actor uuid, p_sign_in text) RETURNS void LANGUAGE sql
	SECURITY DEFINER SET search_path = public, pg_temp AS $$
	UPDATE account a SET sign_in = p_sign_in
	 WHERE a.uuid = (SELECT c.account FROM console_account(actor) AS c) AND a.sign_in <> p_sign_in
$$;

-- Creates or renames a project. outcome: exists when the account has another project of this name.
CREATE OR REPLACE FUNCTION project_put(actor uuid, p_project uuid, p_name text, OUT outcome text, OUT uuid uuid)
	LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
	me record;
BEGIN
	SELECT * INTO me FROM console_account(actor);
	outcome := 'ok';
	IF p_project IS NULL THEN
		INSERT INTO project (account_uuid, name) VALUES (me.account, p_name) RETURNING project.uuid INTO project_put.uuid;
	ELSE
		UPDATE project p SET name = p_name WHERE p.uuid = p_project AND p.account_uuid = me.account
		RETURNING p.uuid INTO project_put.uuid;
	END IF;
EXCEPTION WHEN unique_violation THEN
	outcome := 'exists';
END
$$;

GRANT EXECUTE ON FUNCTION member_invite, member_relink, member_set, member_drop, key_add, key_set, key_rotate, key_revoke,
	organisation_set, project_put TO surfaced_api;
