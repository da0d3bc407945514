-- SPDX-License-Identifier: ISC
-- Roles and what surrounds the tables; surfacectl migrate runs this before the numbered files, in one
-- transaction with the advisory lock held. Running it again changes nothing. Rights on tables stand
-- beside the tables, in the numbered files.
--
--   surfaced_owner   owns everything, cannot log in
--   surfaced_api     surfaced: the workers behind nginx
--   surfaced_index   surfaced-index: reads documents and tags
--   surfaced_meter   surfaced-meter: leases of quotas and what was counted, by its functions alone
--   surfaced_admin   surfacectl: everything but migrations

DO $$
DECLARE
	r record;
	may boolean := (SELECT rolsuper OR rolcreaterole FROM pg_roles WHERE rolname = current_user);
BEGIN
	FOR r IN SELECT * FROM (VALUES ('surfaced_owner', 'NOLOGIN'), ('surfaced_api', 'LOGIN'),
	    ('surfaced_index', 'LOGIN'), ('surfaced_meter', 'LOGIN'), ('surfaced_admin', 'LOGIN')) AS v(name, login)
	LOOP
		IF EXISTS (SELECT FROM pg_roles WHERE rolname = r.name) THEN
			CONTINUE;
		END IF;
		IF NOT may THEN
			RAISE EXCEPTION 'the role % is missing: run surfacectl migrate once as a PostgreSQL superuser', r.name;
		END IF;
		EXECUTE format('CREATE ROLE %I %s NOSUPERUSER NOCREATEDB NOCREATEROLE NOINHERIT', r.name, r.login);
	END LOOP;

	IF NOT may THEN
		RETURN;
	END IF;

	-- A worker answers within its request's budget; a backend whose client has gone stops working.
	ALTER ROLE surfaced_api SET statement_timeout = '5s';
	ALTER ROLE surfaced_api SET lock_timeout = '2s';
	ALTER ROLE surfaced_api SET idle_in_transaction_session_timeout = '30s';
	ALTER ROLE surfaced_api SET client_connection_check_interval = '1s';
	ALTER ROLE surfaced_index SET client_connection_check_interval = '10s';
	-- What was leased or counted and acknowledged stands, whatever the server's setting is.
	ALTER ROLE surfaced_meter SET synchronous_commit = on;
	ALTER ROLE surfaced_meter SET statement_timeout = '5s';
	ALTER ROLE surfaced_meter SET lock_timeout = '2s';
	ALTER ROLE surfaced_meter SET idle_in_transaction_session_timeout = '30s';
	ALTER ROLE surfaced_meter SET client_connection_check_interval = '1s';
	ALTER ROLE surfaced_admin SET lock_timeout = '10s';
	ALTER ROLE surfaced_admin SET client_connection_check_interval = '10s';

	-- Names without a schema mean our tables, whatever a session does.
	ALTER ROLE surfaced_owner SET search_path = public;
	ALTER ROLE surfaced_api SET search_path = public;
	ALTER ROLE surfaced_index SET search_path = public;
	ALTER ROLE surfaced_meter SET search_path = public;
	ALTER ROLE surfaced_admin SET search_path = public;

	EXECUTE format('REVOKE ALL ON DATABASE %I FROM PUBLIC', current_database());
	EXECUTE format('GRANT CONNECT ON DATABASE %I TO surfaced_api, surfaced_index, surfaced_meter, surfaced_admin', current_database());
	EXECUTE format('GRANT TEMPORARY ON DATABASE %I TO surfaced_admin', current_database()); -- import stages

	ALTER SCHEMA public OWNER TO surfaced_owner;
	REVOKE ALL ON SCHEMA public FROM PUBLIC;
	GRANT USAGE ON SCHEMA public TO surfaced_api, surfaced_index, surfaced_meter, surfaced_admin;
	ALTER DEFAULT PRIVILEGES FOR ROLE surfaced_owner REVOKE ALL ON FUNCTIONS FROM PUBLIC;
	ALTER DEFAULT PRIVILEGES FOR ROLE surfaced_owner REVOKE ALL ON TYPES FROM PUBLIC;

	-- surfacectl backup: by SET ROLE alone, since it inherits nothing.
	GRANT pg_read_all_data TO surfaced_admin;
END
$$;

-- From here on objects belong to the owner role, who cannot log in.
SET LOCAL ROLE surfaced_owner;

CREATE TABLE IF NOT EXISTS schema_migration (
	version integer PRIMARY KEY CHECK (version BETWEEN 1 AND 9999),
	name text NOT NULL CHECK (name ~ '^[0-9]{4}-[a-z0-9-]{1,100}$'),
	sha256 text NOT NULL CHECK (sha256 ~ '^[0-9a-f]{64}$'),
	applied_at timestamptz NOT NULL DEFAULT now()
);
GRANT SELECT ON schema_migration TO surfaced_api, surfaced_index, surfaced_meter, surfaced_admin;
