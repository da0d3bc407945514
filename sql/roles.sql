-- SPDX-License-Identifier: ISC
-- Roles, default rights, and the tables of surfacectl migrate, which runs this file before the numbered files, in one
-- transaction with the advisory lock held. Running it again changes nothing. The rights on a table are beside the
-- table, in a numbered file, and the rights on a function are beside the function, in functions/.
-- debian/setup-postgresql reads the table of roles too.

DO $$
DECLARE
	r record;
	may boolean := (SELECT rolsuper OR rolcreaterole FROM pg_roles WHERE rolname = current_user);
BEGIN
	FOR r IN SELECT * FROM (VALUES
		('surfaced_owner', 'NOLOGIN'), -- owns every object
		('surfaced_api', 'LOGIN'), -- surfaced: the workers behind nginx
		('surfaced_index', 'LOGIN'), -- surfaced-index: reads documents and tags
		('surfaced_export', 'LOGIN'), -- surfaced-export: writes exports; may only call its functions
		('surfaced_detect', 'LOGIN'), -- surfaced-detect: detection rules; reads tags, and may only call its functions
		('surfaced_meter', 'LOGIN'), -- surfaced-meter: leases of quotas and counts; may only call its functions
		('surfaced_alert', 'LOGIN'), -- surfaced-alert: changes, alerts and deliveries; may only call its functions
		('surfaced_dispatch', 'LOGIN'), -- surfaced-dispatch: browser sessions; may only call their functions
		('surfaced_stream', 'LOGIN'), -- surfaced-stream: tickets and streams; may only call its functions
		('surfaced_admin', 'LOGIN') -- surfacectl, except migrate
	) AS v(name, login)
	LOOP
		IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = r.name) THEN
			IF NOT may THEN
				RAISE EXCEPTION 'the role % is missing', r.name;
			END IF;
			EXECUTE format('CREATE ROLE %I %s NOSUPERUSER NOCREATEDB NOCREATEROLE NOINHERIT', r.name, r.login);
		END IF;
		CONTINUE WHEN NOT may;
		-- A name without a schema is one of public, so that no table of another schema can hide ours.
		EXECUTE format('ALTER ROLE %I SET search_path = public', r.name);
		CONTINUE WHEN r.login = 'NOLOGIN';
		EXECUTE format('GRANT CONNECT ON DATABASE %I TO %I', current_database(), r.name);
		EXECUTE format('GRANT USAGE ON SCHEMA public TO %I', r.name);
	END LOOP;

	IF NOT may THEN
		RETURN;
	END IF;
	-- A role that owns the database and may create roles is enough, as managed services give it. It has to be a member
	-- of the owner of the objects, which it has created.
	IF NOT pg_has_role(current_user, 'surfaced_owner', 'USAGE') THEN
		EXECUTE format('GRANT surfaced_owner TO %I', current_user);
	END IF;

	FOR r IN SELECT * FROM (VALUES
		-- A worker answers within its request's budget; a backend whose client has gone stops working. Its statements
		-- read few rows, also where the planner expects many: compiling them would take longer than they do.
		('surfaced_api', '5s', '2s', '30s', '1s', NULL, 'off'),
		('surfaced_index', NULL, NULL, NULL, '10s', NULL, NULL),
		-- synchronous_commit is on for every role whose commits are reported to another program: a lease or a count
		-- to the workers, a webhook to its receiver, evidence to a runner, a used ticket to nginx. A crash of the
		-- server must not undo such a commit, also when an administrator has turned the setting off.
		('surfaced_meter', '5s', '2s', '30s', '1s', 'on', 'off'),
		('surfaced_alert', '10s', '5s', '30s', '1s', 'on', 'off'),
		-- Records that are counted as written must stay counted: the file goes on behind them.
		('surfaced_export', '30s', '5s', '60s', '1s', 'on', 'off'),
		('surfaced_detect', '60s', '10s', '120s', '1s', 'on', 'off'),
		-- A lease of a session lasts 15 seconds, so a statement that hangs must fail before the lease ends.
		('surfaced_dispatch', '3s', '1s', '30s', '1s', 'on', 'off'),
		('surfaced_stream', '5s', '2s', NULL, '1s', 'on', 'off'),
		('surfaced_admin', NULL, '10s', NULL, '10s', NULL, NULL)
	) AS v(name, statement_timeout, lock_timeout, idle_in_transaction_session_timeout,
		client_connection_check_interval, synchronous_commit, jit),
	LATERAL (SELECT * FROM jsonb_each_text(to_jsonb(v) - 'name')) AS s(setting, value)
	LOOP
		CONTINUE WHEN r.value IS NULL;
		EXECUTE format('ALTER ROLE %I SET %I = %L', r.name, r.setting, r.value);
	END LOOP;

	EXECUTE format('REVOKE ALL ON DATABASE %I FROM PUBLIC', current_database());
	EXECUTE format('GRANT TEMPORARY ON DATABASE %I TO surfaced_admin', current_database()); -- import stages

	ALTER SCHEMA public OWNER TO surfaced_owner;
	REVOKE ALL ON SCHEMA public FROM PUBLIC;
	ALTER DEFAULT PRIVILEGES FOR ROLE surfaced_owner REVOKE ALL ON FUNCTIONS FROM PUBLIC;
	ALTER DEFAULT PRIVILEGES FOR ROLE surfaced_owner REVOKE ALL ON TYPES FROM PUBLIC;

	-- For surfacectl backup. surfaced_admin inherits no right of the role and has to use SET ROLE.
	IF NOT pg_has_role('surfaced_admin', 'pg_read_all_data', 'MEMBER') THEN
		BEGIN
			GRANT pg_read_all_data TO surfaced_admin;
		EXCEPTION WHEN insufficient_privilege THEN -- from PostgreSQL 16 on, CREATEROLE is not enough
			RAISE WARNING 'surfaced_admin did not get pg_read_all_data, so surfacectl backup is not possible';
		END;
	END IF;
END
$$;

-- Objects that are created below belong to the owner role, which cannot log in.
SET LOCAL ROLE surfaced_owner;

CREATE TABLE IF NOT EXISTS schema_migration (
	version integer PRIMARY KEY CHECK (version BETWEEN 1 AND 9999),
	name text NOT NULL CHECK (name ~ '^[0-9]{4}-[a-z0-9-]{1,100}$'),
	sha256 text NOT NULL CHECK (sha256 ~ '^[0-9a-f]{64}$'),
	applied_at timestamptz NOT NULL DEFAULT now()
);

-- The release whose sql/functions the database has, and the hash of those files; migrate compares both.
CREATE TABLE IF NOT EXISTS schema_functions (
	only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
	release text NOT NULL,
	sha256 text NOT NULL CHECK (sha256 ~ '^[0-9a-f]{64}$'),
	applied_at timestamptz NOT NULL DEFAULT now()
);
GRANT SELECT ON schema_migration, schema_functions TO surfaced_api, surfaced_index, surfaced_meter, surfaced_alert, surfaced_dispatch,
	surfaced_stream, surfaced_export, surfaced_detect, surfaced_admin;

-- ---- rights ----

-- schema_right has every right that these files have granted. When an administrator has revoked one, surfacectl doctor
-- reports it and this file grants it again. After it has applied files, migrate adds the rights that they granted to
-- schema_right and removes those that they revoked. A right that an administrator granted by hand is not recorded.
CREATE TABLE IF NOT EXISTS schema_right (
	kind text NOT NULL, -- of object: as GRANT spells it
	name text NOT NULL, -- of the object; '' for the database, which a restore may rename
	privilege text NOT NULL,
	grantee text NOT NULL,
	PRIMARY KEY (kind, name, privilege, grantee)
);

-- The rights of our roles, and of everybody, as they are now.
CREATE OR REPLACE VIEW schema_right_now AS
SELECT o.kind, o.name, a.privilege_type || o.columns AS privilege,
	CASE a.grantee WHEN 0 THEN 'public' ELSE pg_get_userbyid(a.grantee) END AS grantee
FROM (
	SELECT CASE relkind WHEN 'S' THEN 'SEQUENCE' ELSE 'TABLE' END AS kind, format('public.%I', relname) AS name,
		'' AS columns, relowner AS owner,
		coalesce(relacl, acldefault(CASE relkind WHEN 'S' THEN 's' ELSE 'r' END::"char", relowner)) AS acl
	FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p', 'v', 'm', 'S')
	UNION ALL
	SELECT 'TABLE', format('public.%I', relname), format(' (%I)', attname), relowner, attacl
	FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid
	WHERE relnamespace = 'public'::regnamespace AND attacl IS NOT NULL AND NOT attisdropped
	UNION ALL
	SELECT 'ROUTINE', format('public.%I(%s)', proname, pg_get_function_identity_arguments(oid)), '', proowner,
		coalesce(proacl, acldefault('f', proowner))
	FROM pg_proc WHERE pronamespace = 'public'::regnamespace
	UNION ALL
	SELECT CASE typtype WHEN 'd' THEN 'DOMAIN' ELSE 'TYPE' END, format('public.%I', typname), '', typowner,
		coalesce(typacl, acldefault('T', typowner))
	FROM pg_type WHERE typnamespace = 'public'::regnamespace AND typelem = 0
		AND NOT EXISTS (SELECT FROM pg_class WHERE pg_class.oid = typrelid AND relkind <> 'c')
	UNION ALL
	SELECT 'SCHEMA', format('%I', nspname), '', nspowner, coalesce(nspacl, acldefault('n', nspowner))
	FROM pg_namespace WHERE nspname = 'public'
	UNION ALL
	SELECT 'DATABASE', '', '', datdba, coalesce(datacl, acldefault('d', datdba))
	FROM pg_database WHERE datname = current_database()
) AS o, aclexplode(o.acl) AS a
WHERE a.grantee <> o.owner AND (a.grantee = 0 OR pg_get_userbyid(a.grantee) LIKE 'surfaced\_%');
GRANT SELECT ON schema_right, schema_right_now TO surfaced_admin;

DO $$
DECLARE
	r record;
BEGIN
	-- Those of the database were given above, by its owner.
	FOR r IN SELECT * FROM schema_right WHERE kind <> 'DATABASE' EXCEPT SELECT * FROM schema_right_now LOOP
		BEGIN
			EXECUTE format('GRANT %s ON %s %s TO %s', r.privilege, r.kind, r.name, r.grantee);
		EXCEPTION WHEN undefined_table OR undefined_column OR undefined_function OR undefined_object THEN
			RAISE WARNING '% on % %: %', r.privilege, r.kind, r.name, SQLERRM;
		END;
	END LOOP;
	IF NOT EXISTS (SELECT FROM schema_right) THEN
		INSERT INTO schema_right SELECT * FROM schema_right_now;
	END IF;
END
$$;
