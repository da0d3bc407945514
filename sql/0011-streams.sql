-- SPDX-License-Identifier: ISC
-- The live stream (C-107 to C-114): tickets, and the one controlling stream of each session.

-- Tickets that were signed and handed out. The row makes a ticket single-use; a signature without a row is worth
-- nothing. Rows are deleted some time after they have expired.
CREATE TABLE stream_ticket (
	jti uuid PRIMARY KEY,
	account_uuid uuid NOT NULL REFERENCES account,
	session_uuid uuid NOT NULL REFERENCES browser_session,
	key_uuid uuid NOT NULL REFERENCES api_key,
	created_at timestamptz NOT NULL DEFAULT now(),
	expires_at timestamptz NOT NULL CHECK (expires_at > created_at AND expires_at <= created_at + interval '60 s'),
	used_at timestamptz,
	outcome text CHECK (outcome IN ('ok', 'active', 'not_ready', 'terminal', 'revoked')),
	sign_in_uuid uuid REFERENCES sign_in ON DELETE SET NULL, -- signing out ends its live views
	CHECK ((used_at IS NULL) = (outcome IS NULL))
);
CREATE INDEX stream_ticket_expires ON stream_ticket (expires_at);
CREATE TRIGGER audit_row AFTER INSERT ON stream_ticket FOR EACH ROW EXECUTE FUNCTION audit_row('jti');
CREATE TRIGGER audit_use AFTER UPDATE ON stream_ticket FOR EACH ROW
	WHEN (NEW.outcome IS NOT NULL) EXECUTE FUNCTION audit_row('jti', 'outcome');

-- A process of surfaced-stream. Its streams live as long as its lease, so that one row is renewed for all.
CREATE TABLE stream_proxy (
	uuid uuid PRIMARY KEY,
	started_at timestamptz NOT NULL DEFAULT now(),
	lease_until timestamptz NOT NULL
);

-- The one controlling stream of a session.
CREATE TABLE stream_slot (
	session_uuid uuid PRIMARY KEY REFERENCES browser_session,
	stream_uuid uuid NOT NULL UNIQUE,
	proxy_uuid uuid NOT NULL REFERENCES stream_proxy ON DELETE CASCADE,
	taken_at timestamptz NOT NULL DEFAULT now(),
	sign_in_uuid uuid
);
CREATE INDEX stream_slot_proxy ON stream_slot (proxy_uuid);

-- Whether the creating key may still have a stream (C-113). The owner is key_uuid of the session, which never
-- changes; everything else is checked again all through the life of a stream.
CREATE VIEW stream_right AS
	SELECT s.uuid AS session_uuid, s.state, s.lease_epoch,
		k.revoked_at IS NULL AND coalesce(k.expires_at > clock_timestamp(), true) AND m.removed_at IS NULL
		AND a.state = 'active' AND 'browser.sessions.create' = ANY (credential_scopes(k.uuid))
		AND EXISTS (SELECT FROM account_scope c WHERE c.account_uuid = a.uuid AND c.scope = 'browser.sessions.create')
		AND EXISTS (SELECT FROM entitlement e WHERE e.account_uuid = a.uuid AND e.name = 'browser'
			AND coalesce(e.expires_at > clock_timestamp(), true))
		AND EXISTS (SELECT FROM visible_projects(k.uuid) p WHERE p.uuid = s.project_uuid) AS may
	  FROM browser_session s JOIN api_key k ON k.uuid = s.key_uuid JOIN member m ON m.uuid = k.owner_uuid
	  JOIN account a ON a.uuid = k.account_uuid;

GRANT SELECT ON stream_slot, stream_proxy TO surfaced_admin;
