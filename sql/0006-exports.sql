-- SPDX-License-Identifier: ISC
-- Exports: the documents that a query matches, written to a file that the key which asked can fetch (C-413).

-- The records that an account has exported in a month, those of queued and running exports included. The row is locked
-- while an export is created, so that two requests cannot both take the rest of the quota.
CREATE TABLE export_month (
	account_uuid uuid NOT NULL REFERENCES account,
	month integer NOT NULL, -- year * 12 + month, January being 0
	charged bigint NOT NULL DEFAULT 0 CHECK (charged >= 0),
	PRIMARY KEY (account_uuid, month)
);

-- The states, and what moves an export:
--
--   queued ----claim----> running ----all is written----> complete ----7 days----> expired
--     |                    |   |                             |
--     |                    |   +--error--> failed            |
--     +------- DELETE, or the right is lost ---------> cancelled
--
-- A running export whose lease has ended is claimed again and goes on behind `position`.
CREATE TABLE search_export (
	uuid uuid PRIMARY KEY,
	account_uuid uuid NOT NULL REFERENCES account,
	key_uuid uuid NOT NULL REFERENCES api_key,
	dataset text NOT NULL CHECK (dataset ~ '^[a-z-]{1,60}$'), -- its name in src/tbl/datasets.h
	query text NOT NULL CHECK (octet_length(query) <= 8192),
	fields text[] NOT NULL CHECK (cardinality(fields) <= 64), -- empty: all
	format text NOT NULL CHECK (format IN ('ndjson', 'csv')),
	compression text NOT NULL CHECK (compression IN ('zstd', 'gzip', 'identity')),
	-- What the key needs as long as the export is written.
	scope scope_name NOT NULL,
	entitlement entitlement_name NOT NULL,

	state text NOT NULL DEFAULT 'queued'
		CHECK (state IN ('queued', 'running', 'complete', 'failed', 'cancelled', 'expired')),
	generation bigint NOT NULL DEFAULT 0, -- of the index, when the export began or went on; 0: it has not begun
	total bigint NOT NULL CHECK (total >= 0), -- matches: when it was created, then of the generation
	written bigint NOT NULL DEFAULT 0 CHECK (written >= 0), -- records that are safely in the file
	gone bigint NOT NULL DEFAULT 0 CHECK (gone >= 0),       -- matches whose document was deleted meanwhile
	bytes bigint NOT NULL DEFAULT 0 CHECK (bytes >= 0),     -- of the file
	resumed integer NOT NULL DEFAULT 0,                     -- how often it went on after an interruption
	sha256 bytea CHECK (octet_length(sha256) = 32),         -- of the file
	position bytea,                                         -- the key of the last match that is in the file
	error text CHECK (error ~ '^[a-z_]{1,60}$'),

	month integer NOT NULL,
	charged bigint NOT NULL CHECK (charged >= 0), -- records that count in export_month
	idempotency_space bytea UNIQUE CHECK (octet_length(idempotency_space) = 32),
	idempotency_request bytea CHECK (octet_length(idempotency_request) = 32),

	created_at timestamptz NOT NULL DEFAULT now(),
	started_at timestamptz,
	finished_at timestamptz,
	expires_at timestamptz,
	epoch bigint NOT NULL DEFAULT 0, -- how often it was claimed
	lease_until timestamptz,
	-- How often a process has begun to write it and died before the file grew. surfaced-export compares it with
	-- LIM_EXPORT_ATTEMPTS.
	attempts bigint NOT NULL DEFAULT 0 CHECK (attempts >= 0),
	-- The host whose export_directory has the file, where hosts do not share one (README.Debian, export_shared).
	host text CHECK (octet_length(host) BETWEEN 1 AND 600), -- null: not begun, or unknown
	CHECK ((state = 'complete') <= (sha256 IS NOT NULL AND expires_at IS NOT NULL)),
	CHECK ((state IN ('queued', 'running')) = (finished_at IS NULL)),
	FOREIGN KEY (account_uuid, month) REFERENCES export_month
);
CREATE INDEX search_export_page ON search_export (key_uuid, created_at DESC, uuid);
CREATE INDEX search_export_live ON search_export (created_at) WHERE state IN ('queued', 'running');
CREATE INDEX search_export_ends ON search_export (expires_at) WHERE state = 'complete';
CREATE TRIGGER export_changed AFTER INSERT OR UPDATE OF state ON search_export
	FOR EACH STATEMENT EXECUTE FUNCTION export_changed();
CREATE TRIGGER audit_row AFTER INSERT ON search_export FOR EACH ROW EXECUTE FUNCTION audit_row('uuid');
CREATE TRIGGER audit_state AFTER UPDATE ON search_export FOR EACH ROW
	WHEN (OLD.state IS DISTINCT FROM NEW.state) EXECUTE FUNCTION audit_row('uuid', 'state');
CREATE TRIGGER metric_end AFTER UPDATE ON search_export FOR EACH ROW
	WHEN (OLD.state IS DISTINCT FROM NEW.state AND NEW.state IN ('complete', 'failed', 'cancelled'))
	EXECUTE FUNCTION metric_export();

-- Whether the key may still search the dataset.
CREATE VIEW export_right AS
	SELECT e.uuid, k.revoked_at IS NULL AND coalesce(k.expires_at > clock_timestamp(), true)
		AND m.removed_at IS NULL AND a.state = 'active' AND e.scope::text = ANY (credential_scopes(k.uuid))
		AND EXISTS (SELECT FROM account_scope c WHERE c.account_uuid = a.uuid AND c.scope = e.scope)
		AND EXISTS (SELECT FROM entitlement t WHERE t.account_uuid = a.uuid AND t.name = e.entitlement
			AND coalesce(t.expires_at > clock_timestamp(), true)) AS may
	  FROM search_export e JOIN api_key k ON k.uuid = e.key_uuid JOIN member m ON m.uuid = k.owner_uuid
	  JOIN account a ON a.uuid = k.account_uuid;

-- The members of a new export. The caller chooses the uuid.
CREATE TYPE export_wanted AS (
	uuid uuid, key_uuid uuid, dataset text, query text, fields text[], format text, compression text,
	scope text, entitlement text, total bigint
);

GRANT SELECT ON search_export TO surfaced_api, surfaced_admin;
GRANT SELECT ON export_month TO surfaced_admin;
