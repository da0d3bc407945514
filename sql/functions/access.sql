-- SPDX-License-Identifier: ISC
-- What a key may read about members and keys. A key is limited when it or its owner sees only some
-- projects. It then reads only members and keys that reach one of its projects, and of these only
-- its own projects (C-211).

CREATE OR REPLACE FUNCTION key_is_limited(key uuid) RETURNS boolean LANGUAGE sql STABLE PARALLEL SAFE AS $$
	SELECT k.projects IS NOT NULL OR NOT (m.role = 'owner' OR m.all_projects)
	  FROM api_key k JOIN member m ON m.uuid = k.owner_uuid WHERE k.uuid = key
$$;

-- The members of the key's account, with the projects in which each has a role. A person also reads
-- which members have joined, and e-mails: owners all of them, others only their own. Removed
-- members are left out for a person. For a key, email and joined are null, so that its answers lack
-- these members.
CREATE OR REPLACE FUNCTION access_members(key uuid) RETURNS TABLE (uuid uuid, name text, role text, all_projects boolean,
	projects jsonb, created_at timestamptz, removed_at timestamptz, email json, joined json) LANGUAGE sql STABLE AS $$
	WITH mine AS MATERIALIZED (SELECT v.uuid FROM visible_projects(key) AS v),
	reader AS MATERIALIZED (SELECT k.account_uuid, key_is_limited(key) AS limited, k.kind = 'console' AS person,
		r.uuid AS own, r.role = 'owner' AS owner FROM api_key k JOIN member r ON r.uuid = k.owner_uuid WHERE k.uuid = key)
	SELECT m.uuid, m.name, m.role, m.role = 'owner' OR m.all_projects,
		(SELECT coalesce(jsonb_agg(jsonb_build_object('project_uuid', r.project_uuid, 'role', r.role)), '[]')
		   FROM (SELECT pm.project_uuid, pm.role FROM project_member pm
			  WHERE pm.member_uuid = m.uuid AND pm.project_uuid IN (SELECT mine.uuid FROM mine)
			  ORDER BY pm.project_uuid LIMIT 1000) AS r),
		m.created_at, m.removed_at,
		CASE WHEN reader.person THEN CASE WHEN reader.owner OR m.uuid = reader.own THEN to_json(m.email) ELSE 'null' END END,
		CASE WHEN reader.person THEN to_json(m.person_uuid IS NOT NULL) END
	  FROM reader JOIN member m USING (account_uuid)
	 WHERE NOT (reader.person AND m.removed_at IS NOT NULL) AND (NOT reader.limited OR (m.removed_at IS NULL AND EXISTS (SELECT FROM mine WHERE m.role = 'owner' OR m.all_projects
		OR EXISTS (SELECT FROM project_member pm WHERE pm.member_uuid = m.uuid AND pm.project_uuid = mine.uuid))))
$$;

-- The keys of the key's account; for a person who is not an owner, only the person's own keys.
-- projects: null when the key reaches all projects of its owner.
CREATE OR REPLACE FUNCTION access_keys(key uuid) RETURNS TABLE (uuid uuid, name text, key_prefix text, state text,
	owner_uuid uuid, owner_name text, scopes text[], effective_scopes text[], projects uuid[], created_at timestamptz,
	expires_at timestamptz, revoked_at timestamptz) LANGUAGE sql STABLE AS $$
	WITH mine AS MATERIALIZED (SELECT v.uuid FROM visible_projects(key) AS v),
	reader AS MATERIALIZED (SELECT k.account_uuid, key_is_limited(key) AS limited,
		CASE WHEN k.kind = 'console' AND r.role <> 'owner' THEN r.uuid END AS own
		FROM api_key k JOIN member r ON r.uuid = k.owner_uuid WHERE k.uuid = key)
	SELECT k.uuid, k.name, k.prefix,
		CASE WHEN k.revoked_at IS NOT NULL OR m.removed_at IS NOT NULL THEN 'revoked'
			WHEN k.expires_at <= now() THEN 'expired' ELSE 'active' END,
		k.owner_uuid, m.name, k.scopes::text[],
		ARRAY(SELECT s.scope::text FROM account_scope s WHERE s.account_uuid = k.account_uuid
			AND s.scope = ANY (k.scopes) ORDER BY 1),
		CASE WHEN k.projects IS NOT NULL THEN ARRAY(SELECT p FROM unnest(k.projects) AS p
			WHERE NOT reader.limited OR p IN (SELECT mine.uuid FROM mine) ORDER BY 1) END,
		k.created_at, k.expires_at, coalesce(k.revoked_at, m.removed_at)
	  FROM reader JOIN api_key k USING (account_uuid) JOIN member m ON m.uuid = k.owner_uuid
	 WHERE k.kind = 'key' AND CASE WHEN reader.own IS NOT NULL THEN k.owner_uuid = reader.own ELSE NOT reader.limited
		OR EXISTS (SELECT FROM visible_projects(k.uuid) AS v JOIN mine ON mine.uuid = v.uuid) END
$$;

-- The members and keys that reach a project now, and the reason. A person who is not an owner reads
-- only their own keys, as in access_keys.
CREATE OR REPLACE FUNCTION project_access(project uuid, reader uuid) RETURNS TABLE (kind text, uuid uuid, name text, via text, role text,
	key_prefix text, owner_uuid uuid, created_at timestamptz) LANGUAGE sql STABLE AS $$
	WITH reaching AS (
		SELECT m.*, CASE WHEN m.role = 'owner' THEN 'owner' WHEN m.all_projects THEN 'all_projects' ELSE 'grant' END AS via,
			CASE WHEN m.role = 'owner' THEN 'owner' ELSE coalesce(pm.role, 'viewer') END AS here
		  FROM project p JOIN member m USING (account_uuid)
		  LEFT JOIN project_member pm ON pm.project_uuid = p.uuid AND pm.member_uuid = m.uuid
		 WHERE p.uuid = project AND m.removed_at IS NULL
		   AND (m.role = 'owner' OR m.all_projects OR pm.member_uuid IS NOT NULL))
	SELECT 'member', r.uuid, r.name, r.via, r.here, NULL, NULL::uuid, r.created_at FROM reaching r
	UNION ALL
	SELECT 'key', k.uuid, k.name, CASE WHEN k.projects IS NULL THEN r.via ELSE 'grant' END, NULL, k.prefix, k.owner_uuid,
		k.created_at
	  FROM reaching r JOIN api_key k ON k.owner_uuid = r.uuid
	 WHERE k.kind = 'key' AND (k.projects IS NULL OR project = ANY (k.projects)) AND k.revoked_at IS NULL
	   AND (k.expires_at IS NULL OR k.expires_at > now())
	   AND NOT EXISTS (SELECT FROM api_key c JOIN member m ON m.uuid = c.owner_uuid
		WHERE c.uuid = reader AND c.kind = 'console' AND m.role <> 'owner' AND m.uuid <> k.owner_uuid)
$$;

GRANT EXECUTE ON FUNCTION key_is_limited, access_members, access_keys, project_access TO surfaced_api;
