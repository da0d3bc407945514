-- SPDX-License-Identifier: ISC
-- The functions of triggers, CHECK constraints and views. They take and return base types only, because
-- surfacectl migrate also runs this file before the numbered files, when tables may not exist yet.

-- A key holds scopes that its account allows (C-790) and projects of its account. Its owner, prefix and
-- secret never change (C-791).
CREATE OR REPLACE FUNCTION api_key_check() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
	bad text;
BEGIN
	IF TG_OP = 'UPDATE' THEN
		IF (NEW.uuid, NEW.account_uuid, NEW.owner_uuid, NEW.prefix, NEW.sha256, NEW.created_at)
		    IS DISTINCT FROM (OLD.uuid, OLD.account_uuid, OLD.owner_uuid, OLD.prefix, OLD.sha256, OLD.created_at) THEN
			RAISE EXCEPTION 'an API key keeps its owner, prefix and secret';
		END IF;
		IF NEW.kind <> OLD.kind THEN
			RAISE EXCEPTION 'an API key keeps its kind';
		END IF;
		IF OLD.revoked_at IS NOT NULL AND NEW.revoked_at IS DISTINCT FROM OLD.revoked_at THEN
			RAISE EXCEPTION 'a revoked API key stays revoked';
		END IF;
	END IF;
	IF TG_OP = 'INSERT' OR NEW.scopes IS DISTINCT FROM OLD.scopes THEN
		SELECT s INTO bad FROM unnest(NEW.scopes::text[]) AS s
		 WHERE NOT EXISTS (SELECT FROM account_scope a WHERE a.account_uuid = NEW.account_uuid AND a.scope = s)
		 LIMIT 1;
		IF FOUND THEN
			RAISE EXCEPTION 'the account does not allow the scope %', bad;
		END IF;
	END IF;
	IF TG_OP = 'INSERT' OR NEW.projects IS DISTINCT FROM OLD.projects THEN
		SELECT p::text INTO bad FROM unnest(NEW.projects) AS p
		 WHERE NOT EXISTS (SELECT FROM project WHERE account_uuid = NEW.account_uuid AND uuid = p)
		 LIMIT 1;
		IF FOUND THEN
			RAISE EXCEPTION 'the account has no project %', bad;
		END IF;
	END IF;
	IF TG_OP = 'INSERT' AND EXISTS (SELECT FROM member WHERE uuid = NEW.owner_uuid AND removed_at IS NOT NULL) THEN
		RAISE EXCEPTION 'the membership has been removed';
	END IF;
	RETURN NEW;
END
$$;

-- The scopes of a credential, without regard to the scopes that its account allows: those of the
-- key, or for a console credential those of the member's role. (In projects that they manage,
-- people have more: people_scope.)
CREATE OR REPLACE FUNCTION credential_scopes(credential uuid) RETURNS text[] LANGUAGE sql STABLE PARALLEL SAFE AS $$
	SELECT CASE k.kind WHEN 'key' THEN k.scopes::text[] ELSE ARRAY(SELECT p.scope::text FROM people_scope p
		WHERE p.who = 'members' OR m.role = 'owner') END
	  FROM api_key k JOIN member m ON m.uuid = k.owner_uuid WHERE k.uuid = credential
$$;

-- The prefix of a new console credential.
CREATE OR REPLACE FUNCTION console_prefix() RETURNS text LANGUAGE sql VOLATILE AS $$
	SELECT 'con_' || string_agg(substr('0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz',
		1 + get_byte(b, i) % 62, 1), '')
	  FROM (SELECT uuid_send(gen_random_uuid()) AS b OFFSET 0) AS r, unnest('{0,1,2,3,4,5,9,10}'::integer[]) AS i
$$;

-- Gives a new membership its console credential.
CREATE OR REPLACE FUNCTION member_console() RETURNS trigger LANGUAGE plpgsql
	SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
	IF NEW.removed_at IS NULL THEN
		INSERT INTO api_key (account_uuid, owner_uuid, name, prefix, kind)
		VALUES (NEW.account_uuid, NEW.uuid, 'Console', console_prefix(), 'console');
	END IF;
	RETURN NULL;
END
$$;

-- Notifies every worker that it must drop its cached API keys. If the notification is lost, a revoked key works
-- until its cache entry expires, after key_cache milliseconds (surfaced.conf(5)).
CREATE OR REPLACE FUNCTION key_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	NOTIFY key_changed;
	RETURN NULL;
END
$$;

-- Makes surfaced-stream ask at once whether its streams may go on, when a sign-in ends that one of them needs.
CREATE OR REPLACE FUNCTION sign_in_ended() RETURNS trigger LANGUAGE plpgsql
	SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
	IF EXISTS (SELECT FROM stream_slot o WHERE o.sign_in_uuid = NEW.uuid) THEN
		NOTIFY session_changed;
	END IF;
	RETURN NULL;
END
$$;

-- Notifies surfaced-export that an export was created or cancelled.
CREATE OR REPLACE FUNCTION export_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	NOTIFY export_work;
	RETURN NULL;
END
$$;

-- Refuses every change of the audit log, also by a superuser and by the owner of the table.
CREATE OR REPLACE FUNCTION audit_stands() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	RAISE EXCEPTION 'audit lines are never changed';
END
$$;

-- The project of an audit line: the stored one, or that of the record it is about. An index of indexes.sql names this
-- function: another result for the same line needs another name.
CREATE OR REPLACE FUNCTION audit_project(project uuid, subject text, subject_id text, before jsonb, after jsonb)
RETURNS uuid LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
	SELECT coalesce(project, CASE WHEN CASE subject WHEN 'project' THEN subject_id
			ELSE coalesce(after ->> 'project_uuid', before ->> 'project_uuid') END
			~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'
		THEN CASE subject WHEN 'project' THEN subject_id
			ELSE coalesce(after ->> 'project_uuid', before ->> 'project_uuid') END::uuid END)
$$;

-- Rows that end are marked by a time and kept. The audit log names the end and not the change of the row.
CREATE OR REPLACE FUNCTION audit_ends() RETURNS TABLE (mark text, event text) LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
	VALUES ('deleted_at', 'delete'), ('removed_at', 'delete'), ('revoked_at', 'revoke'), ('cancelled_at', 'cancel'),
		('used_at', 'use'), ('ended_at', 'end'), ('disabled_at', 'disable')
$$;

-- Writes an audit line for a change, also for one that an administrator makes with psql. A program names its
-- actor and request in the settings surfaced.actor and surfaced.request_id. A record of a project belongs to
-- the project's account. Hashes, secrets and the samples of rules are left out. The first argument is the column that identifies the
-- row; the second, where a trigger has one, is the column that names the event of a move.
CREATE OR REPLACE FUNCTION audit_row() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
	hidden text[] := '{sha256,changed,secret,tests,request_space,request_hash,password,totp,totp_new,totp_step,spki,failures}';
	old_row jsonb := CASE WHEN TG_OP <> 'INSERT' THEN to_jsonb(OLD) - hidden END;
	new_row jsonb := CASE WHEN TG_OP <> 'DELETE' THEN to_jsonb(NEW) - hidden END;
	line jsonb := coalesce(new_row, old_row);
	account uuid := line ->> 'account_uuid';
	project uuid;
	verb text := CASE TG_OP WHEN 'INSERT' THEN 'create' WHEN 'UPDATE' THEN 'change' ELSE 'delete' END;
BEGIN
	-- The line about the new member is enough.
	IF TG_OP = 'INSERT' AND TG_TABLE_NAME = 'api_key' AND line ->> 'kind' = 'console' THEN
		RETURN NULL;
	END IF;
	IF TG_OP = 'UPDATE' AND TG_TABLE_NAME = 'alert_destination' AND to_jsonb(OLD) <> to_jsonb(NEW)
	    AND old_row - 'updated_at' = new_row - 'updated_at' THEN
		verb := 'rotate_secret';
	ELSIF old_row = new_row THEN
		RETURN NULL;
	ELSIF TG_OP = 'UPDATE' AND TG_NARGS > 1 THEN
		verb := line ->> TG_ARGV[1];
	ELSIF TG_OP = 'UPDATE' THEN
		SELECT coalesce(min(e.event), verb) INTO verb FROM audit_ends() AS e
		 WHERE old_row ->> e.mark IS NULL AND new_row ->> e.mark IS NOT NULL;
	END IF;
	IF TG_TABLE_NAME = 'account' THEN
		account := line ->> 'uuid';
	ELSIF account IS NULL AND line ? 'member_uuid' THEN
		SELECT m.account_uuid INTO account FROM member m WHERE m.uuid = (line ->> 'member_uuid')::uuid;
	ELSIF account IS NULL AND line ? 'project_uuid' THEN
		SELECT account_uuid INTO account FROM project WHERE uuid = (line ->> 'project_uuid')::uuid;
	END IF;
	project := audit_project(NULL, TG_TABLE_NAME, line ->> TG_ARGV[0], old_row, new_row);
	IF project IS NULL AND line ? 'session_uuid' THEN
		SELECT project_uuid INTO project FROM browser_session WHERE uuid = (line ->> 'session_uuid')::uuid;
	END IF;
	INSERT INTO audit (actor, action, subject, subject_id, account_uuid, project_uuid, before, after, request_id)
	VALUES (coalesce(nullif(current_setting('surfaced.actor', true), ''), 'role:' || session_user),
		TG_TABLE_NAME || '.' || verb, TG_TABLE_NAME, line ->> TG_ARGV[0], account, project, old_row, new_row,
		nullif(current_setting('surfaced.request_id', true), ''));
	RETURN NULL;
END
$$;

-- Stores the transaction of a change, by which the search index finds it.
CREATE OR REPLACE FUNCTION stamp_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	NEW.changed := pg_current_xact_id();
	RETURN NEW;
END
$$;

-- True for a list of at most four full paths that also contains the parents of each path (C-053).
CREATE OR REPLACE FUNCTION tag_categories_valid(categories text[]) RETURNS boolean
	LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
	SELECT cardinality(categories) <= 4 AND array_position(categories, NULL) IS NULL
	   AND (SELECT coalesce(bool_and(c ~ '^[a-z0-9][a-z0-9-]{0,127}(/[a-z0-9][a-z0-9-]{0,127})*$'
			AND char_length(c) <= 128
			AND (c !~ '/' OR regexp_replace(c, '/[^/]*$', '') = ANY (categories))), true)
	          FROM unnest(categories) AS c)
	   AND cardinality(categories) = (SELECT count(DISTINCT c) FROM unnest(categories) AS c)
$$;

CREATE OR REPLACE FUNCTION tag_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	NOTIFY tag_changed;
	RETURN NULL;
END
$$;

-- The time of a tag's last change; a statement that changes nothing leaves it.
CREATE OR REPLACE FUNCTION tag_stamp() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	IF (NEW.name, NEW.categories, NEW.classification) IS DISTINCT FROM (OLD.name, OLD.categories, OLD.classification) THEN
		NEW.updated_at := now();
	END IF;
	RETURN NEW;
END
$$;

-- Removes a deleted destination from the rules that name it.
CREATE OR REPLACE FUNCTION alert_destination_forget() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	UPDATE alert_rule SET destination_uuids = array_remove(destination_uuids, NEW.uuid), updated_at = now()
	 WHERE project_uuid = NEW.project_uuid AND deleted_at IS NULL AND destination_uuids @> ARRAY[NEW.uuid];
	RETURN NULL;
END
$$;

-- The projects that a key sees: those of its account, within its owner's ceiling and its own (C-116).
-- /projects and every path below it use this list.
CREATE OR REPLACE FUNCTION visible_projects(key uuid) RETURNS TABLE (uuid uuid, account uuid, name text, manager boolean,
	created_at timestamptz) LANGUAGE sql STABLE PARALLEL SAFE AS $$
	SELECT p.uuid, p.account_uuid, p.name, m.role = 'owner' OR coalesce(pm.role = 'manager', false), p.created_at
	  FROM api_key k JOIN member m ON m.uuid = k.owner_uuid
	  JOIN project p ON p.account_uuid = k.account_uuid
	  LEFT JOIN project_member pm ON pm.project_uuid = p.uuid AND pm.member_uuid = m.uuid
	 WHERE k.uuid = key AND (k.projects IS NULL OR p.uuid = ANY (k.projects))
	   AND (m.role = 'owner' OR m.all_projects OR pm.member_uuid IS NOT NULL)
$$;

-- Checks the move of a session, sets its times, updates the counters and notifies the dispatcher. It is
-- SECURITY DEFINER, because the role of the statement has no right on the counters.
CREATE OR REPLACE FUNCTION browser_session_edge() RETURNS trigger LANGUAGE plpgsql
	SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
	IF TG_OP = 'INSERT' THEN
		IF NEW.state <> 'queued' THEN
			RAISE EXCEPTION 'a session begins queued';
		END IF;
		PERFORM session_admit(NEW.account_uuid, NEW.key_uuid);
		INSERT INTO session_event (session_uuid, at, event, state)
		VALUES (NEW.uuid, NEW.created_at, NEW.state_event, NEW.state);
		NOTIFY session_changed;
		RETURN NEW;
	END IF;
	IF OLD.state = 'terminal' THEN
		RAISE EXCEPTION 'a terminal session is unchanged';
	END IF;
	IF (NEW.uuid, NEW.account_uuid, NEW.project_uuid, NEW.key_uuid, NEW.start_url, NEW.browser_profile,
	    NEW.egress_country, NEW.viewport_width, NEW.viewport_height, NEW.replayed_from_session_uuid, NEW.created_at)
	    IS DISTINCT FROM (OLD.uuid, OLD.account_uuid, OLD.project_uuid, OLD.key_uuid, OLD.start_url,
	    OLD.browser_profile, OLD.egress_country, OLD.viewport_width, OLD.viewport_height,
	    OLD.replayed_from_session_uuid, OLD.created_at)
	    OR NEW.lease_epoch < OLD.lease_epoch THEN
		RAISE EXCEPTION 'what a session was created with stays';
	END IF;
	IF NEW.state = OLD.state THEN
		RETURN NEW; -- a lease or an activity, which does not change updated_at
	END IF;
	IF NOT EXISTS (SELECT FROM session_move WHERE event = NEW.state_event AND from_state = OLD.state
	    AND to_state = NEW.state) THEN
		RAISE EXCEPTION 'a session does not go from % to % by %', OLD.state, NEW.state, NEW.state_event;
	END IF;
	NEW.updated_at := clock_timestamp();
	IF NEW.state = 'running' THEN
		NEW.ready_at := NEW.updated_at;
		NEW.expires_at := NEW.updated_at + make_interval(secs => (SELECT lifetime_seconds FROM session_policy));
	ELSIF NEW.state = 'terminal' THEN
		NEW.terminal_at := NEW.updated_at;
		NEW.lease_until := NULL;
		PERFORM session_leave(OLD.account_uuid, OLD.key_uuid);
	ELSIF NEW.state = 'queued' THEN
		NEW.lease_until := NULL;
	END IF;
	IF NEW.state_event = 'close' THEN
		NEW.close_requested_at := NEW.updated_at;
	END IF;
	INSERT INTO session_event (session_uuid, at, event, state, reason)
	VALUES (NEW.uuid, NEW.updated_at, NEW.state_event, NEW.state, NEW.terminal_reason);
	NOTIFY session_changed;
	RETURN NEW;
END
$$;

-- Queues changed records of projects that have a rule for them. fresh and stale are the rows of the
-- statement.
CREATE OR REPLACE FUNCTION alert_changed() RETURNS trigger LANGUAGE plpgsql
	SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
	IF TG_OP = 'INSERT' THEN
		INSERT INTO alert_change (source, source_uuid, project_uuid)
		SELECT TG_ARGV[0], f.uuid, f.project_uuid FROM fresh f
		 WHERE EXISTS (SELECT FROM alert_rule r WHERE r.project_uuid = f.project_uuid
			AND r.source = TG_ARGV[0] AND r.enabled AND r.deleted_at IS NULL);
	ELSE
		INSERT INTO alert_change (source, source_uuid, project_uuid)
		SELECT TG_ARGV[0], f.uuid, f.project_uuid FROM fresh f JOIN stale s USING (uuid)
		 WHERE alert_content(to_jsonb(f)) <> alert_content(to_jsonb(s))
		   AND EXISTS (SELECT FROM alert_rule r WHERE r.project_uuid = f.project_uuid
			AND r.source = TG_ARGV[0] AND r.enabled AND r.deleted_at IS NULL);
	END IF;
	IF FOUND THEN
		NOTIFY alert_work;
	END IF;
	RETURN NULL;
END
$$;

CREATE OR REPLACE FUNCTION delivery_due() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	NOTIFY alert_work;
	RETURN NULL;
END
$$;

CREATE OR REPLACE FUNCTION route_probe_wanted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	NOTIFY session_changed;
	RETURN NULL;
END
$$;

-- Stores an event of a finding: that it was found, a move, or another severity or confidence.
CREATE OR REPLACE FUNCTION finding_event_add() RETURNS trigger LANGUAGE plpgsql
	SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
	IF TG_OP = 'INSERT' THEN
		INSERT INTO finding_event (finding_uuid, project_uuid, event, to_status, severity, confidence, membership_uuid)
		VALUES (NEW.uuid, NEW.project_uuid, NEW.status_event, NEW.status, NEW.severity, NEW.confidence,
			NEW.created_by_membership_uuid);
	ELSE
		INSERT INTO finding_event (finding_uuid, project_uuid, event, from_status, to_status, severity, confidence,
			membership_uuid)
		VALUES (NEW.uuid, NEW.project_uuid, CASE WHEN OLD.status = NEW.status THEN 'changed' ELSE NEW.status_event END,
			OLD.status, NEW.status, NEW.severity, NEW.confidence,
			CASE WHEN OLD.status <> NEW.status THEN NEW.status_changed_by_membership_uuid END);
	END IF;
	RETURN NULL;
END
$$;

CREATE OR REPLACE FUNCTION finding_event_stands() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	RAISE EXCEPTION 'the history of a finding is never changed';
END
$$;

-- The largest amounts of evidence of one session: 200 MiB of screenshots and 32 MiB of network events.
CREATE OR REPLACE FUNCTION evidence_most(OUT screenshots integer, OUT screenshot_bytes bigint, OUT network_events integer,
	OUT network_bytes bigint) LANGUAGE sql IMMUTABLE AS $$
	SELECT 200, 209715200::bigint, 20000, 33554432::bigint
$$;

-- Refuses every change of evidence.
CREATE OR REPLACE FUNCTION evidence_stands() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	RAISE EXCEPTION 'evidence is never changed';
END
$$;

CREATE OR REPLACE FUNCTION metric_alert() RETURNS trigger LANGUAGE plpgsql
	SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
	PERFORM metric_add(ARRAY['surfaced_alerts_total{event="' || CASE WHEN TG_OP = 'INSERT' THEN 'raise'
		WHEN OLD.state IS DISTINCT FROM NEW.state THEN NEW.state_event ELSE 'raise_again' END || '"}'], '{1}');
	RETURN NULL;
END
$$;

CREATE OR REPLACE FUNCTION metric_delivery() RETURNS trigger LANGUAGE plpgsql
	SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
	PERFORM metric_add(ARRAY['surfaced_alert_deliveries_total{event="' || CASE WHEN TG_OP = 'INSERT' THEN 'created'
		WHEN NEW.state = 'pending' THEN 'retried' ELSE NEW.state END || '"}'], '{1}');
	RETURN NULL;
END
$$;

-- An attempt that was interrupted is counted when the delivery is taken up again.
CREATE OR REPLACE FUNCTION metric_attempt() RETURNS trigger LANGUAGE plpgsql
	SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
	PERFORM metric_add(ARRAY['surfaced_alert_attempts_total{answer="' || CASE WHEN NEW.ended_at IS NULL THEN 'interrupted'
		ELSE coalesce(NEW.http_status_code / 100 || 'xx', 'none') END || '"}', 'surfaced_alert_retries_total'],
		ARRAY[1, (NEW.number > 1)::integer]);
	RETURN NULL;
END
$$;

-- surfacectl rules load alone writes the rules of the catalogue.
CREATE OR REPLACE FUNCTION catalogue_rule_kept() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	IF current_user = 'surfaced_api' THEN
		RAISE insufficient_privilege USING MESSAGE = 'the API does not change rules of the catalogue';
	END IF;
	RETURN NEW;
END
$$;

CREATE OR REPLACE FUNCTION metric_export() RETURNS trigger LANGUAGE plpgsql
	SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
	PERFORM metric_add(ARRAY['surfaced_exports_ended_total{state="' || NEW.state || '"}'], '{1}');
	RETURN NULL;
END
$$;

CREATE OR REPLACE FUNCTION metric_session() RETURNS trigger LANGUAGE plpgsql
	SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
	took double precision := extract(epoch FROM NEW.ready_at - NEW.created_at);
BEGIN
	IF TG_OP = 'INSERT' THEN
		PERFORM metric_add('{surfaced_sessions_created_total}', '{1}');
	ELSIF NEW.state = 'terminal' THEN
		PERFORM metric_add(ARRAY['surfaced_sessions_ended_total{reason="' || NEW.terminal_reason || '"}'], '{1}');
	ELSIF NEW.state = 'queued' THEN
		PERFORM metric_add('{surfaced_session_requeues_total}', '{1}');
	ELSIF NEW.state = 'running' THEN
		INSERT INTO metric_step
		SELECT series, CASE WHEN series = 'surfaced_session_start_seconds_sum' THEN took ELSE 1 END FROM metric
		 WHERE kind = 'surfaced_session_start_seconds'
		   AND coalesce(took <= substring(series FROM 'le="([0-9]+)"')::double precision, true);
	END IF;
	RETURN NULL;
END
$$;

-- Sends a notification with the number of each dataset that a statement has changed.
CREATE OR REPLACE FUNCTION record_notify() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	PERFORM pg_notify('record_changed', dataset::text) FROM (SELECT DISTINCT dataset FROM written) AS w;
	RETURN NULL;
END
$$;

-- Makes every index read the dataset again, because TRUNCATE leaves no marks of deleted records.
CREATE OR REPLACE FUNCTION record_truncated() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path = public, pg_temp AS $$
BEGIN
	DELETE FROM search_feed;
	DELETE FROM detect_cursor; -- surfaced-detect then looks at all observations again
	TRUNCATE record_blob;
	PERFORM pg_notify('record_changed', '');
	RETURN NULL;
END
$$;

-- Asks surfaced-detect to evaluate a rule, or the records of an asset, again from the beginning.
CREATE OR REPLACE FUNCTION detect_ask(wanted text, subject uuid) RETURNS void LANGUAGE plpgsql
	SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
	INSERT INTO detect_work (kind, subject_uuid) VALUES (wanted, subject)
	ON CONFLICT (kind, subject_uuid) DO UPDATE SET phase = 0, since = NULL, after_changed = NULL, after_key = NULL,
		due_at = now(), tries = 0, again = false, asked = pg_current_xact_id();
	NOTIFY detect_work;
END
$$;

-- Asks for the same after a change of one account's setting. Work in progress serves all accounts,
-- so it is finished first and then begins again.
CREATE OR REPLACE FUNCTION detect_ask_again(rule uuid) RETURNS void LANGUAGE plpgsql
	SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
	UPDATE detect_work SET again = true WHERE kind = 'rule' AND subject_uuid = rule AND phase > 0;
	IF FOUND THEN
		NOTIFY detect_work;
	ELSE
		PERFORM detect_ask('rule', rule);
	END IF;
END
$$;

-- Asks for an evaluation when the matches of a rule or its accounts change. A new severity is read
-- with the rule and needs no evaluation.
CREATE OR REPLACE FUNCTION detect_rule_changed() RETURNS trigger LANGUAGE plpgsql
	SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
	IF TG_OP = 'INSERT' THEN
		IF NEW.status IN ('testing', 'stable') THEN
			PERFORM detect_ask('rule', NEW.uuid);
		END IF;
	ELSIF (NEW.dataset, NEW.scope, NEW.query, NEW.exclude, NEW.status, NEW.severity, NEW.produces::text, NEW.version, NEW.deleted_at,
		NEW.tags, NEW.applies_tags)
	    IS DISTINCT FROM (OLD.dataset, OLD.scope, OLD.query, OLD.exclude, OLD.status, OLD.severity, OLD.produces::text, OLD.version,
		OLD.deleted_at, OLD.tags, OLD.applies_tags) THEN
		UPDATE rule_run SET state = 'idle', error = NULL WHERE rule_uuid = NEW.uuid AND state = 'failed';
		PERFORM detect_ask('rule', NEW.uuid);
	END IF;
	RETURN NULL;
END
$$;

-- Returns the detection rule in the key of a finding (detect_finding_key), or null for a finding of another producer.
CREATE OR REPLACE FUNCTION finding_rule(finding_key text) RETURNS uuid LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
	SELECT substring(finding_key FROM '^rule/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})/')::uuid
$$;

-- Closes the unresolved findings of a rule in the projects of an account.
CREATE OR REPLACE FUNCTION detect_hide_rule(of_rule uuid, account uuid) RETURNS void LANGUAGE plpgsql
	SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
	PERFORM detector_hide(p.uuid, ARRAY(SELECT f.finding_key FROM finding AS f WHERE f.project_uuid = p.uuid
		AND finding_rule(f.finding_key) = of_rule AND f.status IN ('open', 'acknowledged') ORDER BY 1))
	  FROM project AS p WHERE p.account_uuid = account;
END
$$;

-- An account that turns a rule off does not want its findings. They open again when the rule is turned on and still matches.
CREATE OR REPLACE FUNCTION detect_setting_changed() RETURNS trigger LANGUAGE plpgsql
	SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
	IF TG_OP <> 'UPDATE' OR to_jsonb(NEW) - 'updated_at' - 'changed' <> to_jsonb(OLD) - 'updated_at' - 'changed' THEN
		UPDATE rule_run n SET state = 'idle', error = NULL FROM rule r
		 WHERE r.uuid = coalesce(NEW.rule_uuid, OLD.rule_uuid) AND n.rule_uuid = r.uuid AND n.state = 'failed'
			-- the run of a rule of scope all has no account, also when the rule is the account's own
		   AND coalesce(n.account_uuid, r.account_uuid) = coalesce(NEW.account_uuid, OLD.account_uuid);
		PERFORM detect_ask_again(coalesce(NEW.rule_uuid, OLD.rule_uuid));
	END IF;
	IF TG_OP <> 'DELETE' AND NOT NEW.enabled THEN
		PERFORM detect_hide_rule(NEW.rule_uuid, NEW.account_uuid);
	END IF;
	RETURN NULL;
END
$$;

-- New assets of accounts for which rules of scope surface are evaluated.
CREATE OR REPLACE FUNCTION detect_asset_added() RETURNS trigger LANGUAGE plpgsql
	SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
	INSERT INTO detect_work (kind, subject_uuid)
	SELECT 'asset', f.uuid FROM fresh f JOIN project p ON p.uuid = f.project_uuid
	 WHERE EXISTS (SELECT FROM rule_run n WHERE n.account_uuid = p.account_uuid AND n.live)
	    OR EXISTS (SELECT FROM rule_setting s WHERE s.account_uuid = p.account_uuid AND s.enabled AND s.findings
		AND p.uuid = ANY (s.project_uuids))
	 ORDER BY f.uuid
	ON CONFLICT DO NOTHING;
	IF FOUND THEN
		NOTIFY detect_work;
	END IF;
	RETURN NULL;
END
$$;

-- Members of the evidence of a finding, for the views of typed areas (src/api/surface/area.h). Each is null when the member is
-- missing or of another type, because imports store what they are given.
CREATE OR REPLACE FUNCTION evidence_text(evidence jsonb, member text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
	SELECT CASE jsonb_typeof(evidence -> member) WHEN 'string' THEN evidence ->> member END
$$;

CREATE OR REPLACE FUNCTION evidence_number(evidence jsonb, member text) RETURNS json LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
	SELECT CASE jsonb_typeof(evidence -> member) WHEN 'number' THEN (evidence -> member)::text::json END
$$;

-- A whole number from lo to hi.
CREATE OR REPLACE FUNCTION evidence_integer(evidence jsonb, member text, lo bigint, hi bigint) RETURNS json
	LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
	SELECT CASE WHEN jsonb_typeof(evidence -> member) = 'number' AND (evidence ->> member)::numeric BETWEEN lo AND hi
		AND (evidence ->> member)::numeric % 1 = 0 THEN to_json((evidence ->> member)::numeric::bigint) END
$$;

CREATE OR REPLACE FUNCTION evidence_flag(evidence jsonb, member text) RETURNS json LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
	SELECT CASE jsonb_typeof(evidence -> member) WHEN 'boolean' THEN (evidence -> member)::text::json END
$$;

CREATE OR REPLACE FUNCTION evidence_uuid(evidence jsonb, member text) RETURNS uuid LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
	SELECT CASE WHEN evidence ->> member ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' THEN (evidence ->> member)::uuid END
$$;

-- A time in UTC, as our programs write it: "2026-11-20T00:00:00Z", with or without a fraction.
CREATE OR REPLACE FUNCTION evidence_time(evidence jsonb, member text) RETURNS timestamptz LANGUAGE plpgsql STABLE AS $$
BEGIN
	RETURN CASE WHEN evidence ->> member ~ '^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}([.][0-9]{1,6})?Z$'
		THEN (evidence ->> member)::timestamptz END;
EXCEPTION WHEN datetime_field_overflow OR invalid_datetime_format THEN
	RETURN NULL;
END
$$;

-- The texts of a list, at most `most`.
CREATE OR REPLACE FUNCTION evidence_texts(evidence jsonb, member text, most integer) RETURNS text[]
	LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
	SELECT coalesce(array_agg(t ORDER BY n) FILTER (WHERE n <= most), '{}') FROM (
		SELECT x #>> '{}' AS t, row_number() OVER (ORDER BY i) AS n FROM jsonb_array_elements(CASE jsonb_typeof(evidence -> member)
			WHEN 'array' THEN evidence -> member ELSE '[]' END) WITH ORDINALITY AS e(x, i) WHERE jsonb_typeof(x) = 'string') AS s
$$;

-- The objects of a list, at most `most`, each with these members: texts, or null.
CREATE OR REPLACE FUNCTION evidence_objects(evidence jsonb, member text, members text[], most integer) RETURNS json
	LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
	SELECT coalesce(json_agg(o ORDER BY i) FILTER (WHERE n <= most), '[]') FROM (
		SELECT i, row_number() OVER (ORDER BY i) AS n, (SELECT json_object_agg(m, evidence_text(x, m) ORDER BY k)
			  FROM unnest(members) WITH ORDINALITY AS u(m, k)) AS o
		  FROM jsonb_array_elements(CASE jsonb_typeof(evidence -> member) WHEN 'array' THEN evidence -> member ELSE '[]' END)
			WITH ORDINALITY AS e(x, i) WHERE jsonb_typeof(x) = 'object') AS s
$$;

-- "192.0.2.7:443" of the record of an observation; null where it has no address and port.
CREATE OR REPLACE FUNCTION evidence_endpoint(record jsonb) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
	SELECT CASE WHEN evidence_text(record, 'ip') LIKE '%:%' THEN '[' || evidence_text(record, 'ip') || ']'
		ELSE evidence_text(record, 'ip') END || ':' || evidence_integer(record, 'port', 0, 65535)::text
$$;

-- A place of a secret, for the view secrets, or null.
CREATE OR REPLACE FUNCTION secret_location(x jsonb) RETURNS json LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
	SELECT CASE jsonb_typeof(x) WHEN 'object' THEN json_build_object('kind', evidence_text(x, 'kind'), 'url', evidence_text(x, 'url'),
		'ip', evidence_text(x, 'ip'), 'port', evidence_integer(x, 'port', 0, 65535),
		'line', evidence_integer(x, 'line', 1, 9007199254740991), 'offset', evidence_integer(x, 'offset', 0, 9007199254740991)) END
$$;

CREATE OR REPLACE FUNCTION secret_locations(evidence jsonb) RETURNS json LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
	SELECT coalesce(json_agg(secret_location(x) ORDER BY i) FILTER (WHERE i <= 32), '[]')
	  FROM jsonb_array_elements(CASE jsonb_typeof(evidence -> 'locations') WHEN 'array' THEN evidence -> 'locations' ELSE '[]' END)
		WITH ORDINALITY AS e(x, i) WHERE jsonb_typeof(x) = 'object'
$$;

-- Captured pages are subjects of the detector secrets.
CREATE OR REPLACE FUNCTION secrets_captured() RETURNS trigger LANGUAGE plpgsql
	SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
	PERFORM detector_ask(jsonb_agg(jsonb_build_object('detector', 'secrets', 'project', f.project_uuid,
		'subject', 'page ' || f.uuid))) FROM fresh f;
	PERFORM detector_ask(jsonb_agg(DISTINCT jsonb_build_object('detector', 'dangling-dns', 'project', f.project_uuid,
		'subject', f.hostname))) FROM fresh f WHERE f.hostname ~ '^[a-z0-9_]';
	RETURN NULL;
END
$$;

-- ---- detectors (src/detect/detector.h) ----

-- The kinds of assets whose names are subjects of a detector. Such an asset is looked at when it
-- appears, when its metadata change, and when the whole project is looked at.
CREATE OR REPLACE FUNCTION detector_assets() RETURNS TABLE (detector text, kind text) LANGUAGE sql IMMUTABLE AS $$
	VALUES ('inventory', 'domain'), ('threat-indicators', 'domain'), ('threat-indicators', 'host'), ('threat-indicators', 'address'),
		('threat-indicators', 'certificate'), ('secrets', 'address'), ('secrets', 'host'), ('secrets', 'domain')
$$;

-- The projects whose accounts have the entitlement esi.
CREATE OR REPLACE FUNCTION detector_projects() RETURNS TABLE (project_uuid uuid, account_uuid uuid) LANGUAGE sql STABLE
	SECURITY DEFINER SET search_path = public, pg_temp AS $$
	SELECT p.uuid, p.account_uuid FROM project p JOIN entitlement e ON e.account_uuid = p.account_uuid
	 WHERE e.name = 'esi' AND (e.expires_at IS NULL OR e.expires_at > now())
$$;

-- Asks detectors to look at subjects: [{detector, project, subject, due}]; without due, now.
-- Requests for a disabled detector or a project without the entitlement are dropped. A subject that
-- failed keeps its time.
CREATE OR REPLACE FUNCTION detector_ask(work jsonb) RETURNS void LANGUAGE plpgsql
	SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
	INSERT INTO detector_work AS w (detector, project_uuid, subject, due_at)
	SELECT a.detector, a.project, a.subject, min(coalesce(a.due, now()))
	  FROM jsonb_to_recordset(work) AS a(detector text, project uuid, subject text, due timestamptz)
	  JOIN detector_projects() AS p ON p.project_uuid = a.project
	  LEFT JOIN detector_state s ON s.project_uuid = a.project AND s.detector = a.detector
	 WHERE coalesce(s.enabled, true)
	 GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
	ON CONFLICT (detector, project_uuid, subject) DO UPDATE SET asked = pg_current_xact_id(),
		due_at = CASE w.tries WHEN 0 THEN least(w.due_at, excluded.due_at) ELSE w.due_at END;
	IF FOUND THEN
		NOTIFY detect_work;
	END IF;
END
$$;

-- Asks a detector to look at a whole project. Null: all detectors, all projects.
CREATE OR REPLACE FUNCTION detector_ask_all(of_detector text, of_project uuid) RETURNS void LANGUAGE sql
	SECURITY DEFINER SET search_path = public, pg_temp AS $$
	SELECT detector_ask(jsonb_agg(jsonb_build_object('detector', d.name, 'project', p.project_uuid, 'subject', '*')))
	  FROM unnest(detector_names()) AS d (name), detector_projects() AS p
	 WHERE (of_detector IS NULL OR d.name = of_detector) AND (of_project IS NULL OR p.project_uuid = of_project)
$$;

-- The detectors that look at subjects. The detector "rules" evaluates documents instead
-- (detect_ask).
CREATE OR REPLACE FUNCTION detector_names() RETURNS text[] LANGUAGE sql IMMUTABLE AS $$
	SELECT '{inventory,dangling-dns,secrets,threat-indicators,typosquatting}'::text[]
$$;

-- New assets, and those whose metadata have changed, are subjects of the detectors that look at assets.
CREATE OR REPLACE FUNCTION detector_assets_changed() RETURNS trigger LANGUAGE plpgsql
	SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
	IF TG_OP = 'INSERT' THEN
		PERFORM detector_ask(jsonb_agg(jsonb_build_object('detector', d.detector, 'project', f.project_uuid, 'subject', f.name)))
		  FROM fresh f JOIN detector_assets() AS d ON d.kind = f.kind;
	ELSE
		PERFORM detector_ask(jsonb_agg(jsonb_build_object('detector', d.detector, 'project', f.project_uuid, 'subject', f.name)))
		  FROM fresh f JOIN stale s USING (uuid) JOIN detector_assets() AS d ON d.kind = f.kind
		 WHERE f.metadata <> s.metadata;
	END IF;
	RETURN NULL;
END
$$;

-- A verdict of an account asks for a look in those of its projects that have the value as an asset.
CREATE OR REPLACE FUNCTION detector_verdict_changed() RETURNS trigger LANGUAGE plpgsql
	SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
	PERFORM detector_ask(jsonb_agg(jsonb_build_object('detector', 'threat-indicators', 'project', p.uuid, 'subject', v.value)))
	  FROM (VALUES (CASE WHEN TG_OP <> 'DELETE' THEN NEW.account_uuid END, CASE WHEN TG_OP <> 'DELETE' THEN NEW.value END),
		(CASE WHEN TG_OP <> 'INSERT' THEN OLD.account_uuid END, CASE WHEN TG_OP <> 'INSERT' THEN OLD.value END)) AS v (account_uuid, value)
	  JOIN project p ON p.account_uuid = v.account_uuid
	 WHERE EXISTS (SELECT FROM asset a WHERE a.project_uuid = p.uuid AND a.name = v.value
		AND a.kind IN ('domain', 'host', 'address', 'certificate'));
	RETURN NULL;
END
$$;

-- A new or changed watched domain is compared with all known names, and its findings are looked at
-- again. The findings of a deleted one close.
CREATE OR REPLACE FUNCTION watched_domain_changed() RETURNS trigger LANGUAGE plpgsql
	SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
	w watched_domain := coalesce(NEW, OLD);
BEGIN
	PERFORM detector_ask(jsonb_agg(jsonb_build_object('detector', 'typosquatting', 'project', w.project_uuid, 'subject', x.subject)))
	  FROM (SELECT '+' || w.uuid AS subject WHERE TG_OP <> 'DELETE'
		UNION SELECT w.domain || '/' || substr(f.finding_key, length('typosquatting/' || w.domain || '/') + 1) FROM finding f
		 WHERE f.project_uuid = w.project_uuid AND f.finding_type = 'typosquatting' AND f.detector = 'typosquatting'
		   AND starts_with(f.finding_key, 'typosquatting/' || w.domain || '/')) AS x
	HAVING count(*) > 0;
	RETURN NULL;
END
$$;

-- Rankings and lists of parked name servers change the scores of all look-alikes.
CREATE OR REPLACE FUNCTION domain_lists_changed() RETURNS trigger LANGUAGE plpgsql
	SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
	PERFORM detector_ask_all('typosquatting', NULL);
	RETURN NULL;
END
$$;

CREATE OR REPLACE FUNCTION detector_entitled() RETURNS trigger LANGUAGE plpgsql
	SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
	PERFORM detector_ask_all(NULL, p.uuid) FROM project p WHERE p.account_uuid = NEW.account_uuid ORDER BY p.uuid;
	RETURN NULL;
END
$$;

-- A disabled detector has no work. Otherwise the stored findings are compared with the new
-- settings, and everything is looked at again, for findings that the settings no longer hide.
CREATE OR REPLACE FUNCTION detector_settings_changed() RETURNS trigger LANGUAGE plpgsql
	SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
	IF NOT NEW.enabled THEN
		DELETE FROM detector_work WHERE project_uuid = NEW.project_uuid AND detector = NEW.detector;
		RETURN NULL;
	END IF;
	PERFORM detector_ask(jsonb_build_array(jsonb_build_object('detector', NEW.detector, 'project', NEW.project_uuid,
		'subject', '=')));
	PERFORM detector_ask_all(NEW.detector, NEW.project_uuid);
	IF NEW.detector = 'rules' THEN
		PERFORM detect_ask_again(r.rule_uuid) FROM (SELECT DISTINCT n.rule_uuid FROM project p
			JOIN rule_run n ON n.live AND (n.account_uuid IS NULL OR n.account_uuid = p.account_uuid)
			JOIN rule u ON u.uuid = n.rule_uuid
			LEFT JOIN rule_setting s ON s.rule_uuid = n.rule_uuid AND s.account_uuid = p.account_uuid
			WHERE p.uuid = NEW.project_uuid AND (s.findings OR u.account_uuid IS NULL AND u.produces ->> 'area' IS NOT NULL)
			ORDER BY n.rule_uuid) AS r;
	END IF;
	RETURN NULL;
END
$$;

-- ---- dangling DNS records (sql/functions/dangling.sql) ----

-- The type of a DNS record, by its key (src/record/key.c): two bytes behind the name, before the answer's code and its hash.
CREATE OR REPLACE FUNCTION dangling_type(key bytea) RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
	SELECT CASE WHEN octet_length(key) > 20
		THEN get_byte(key, octet_length(key) - 20) * 256 + get_byte(key, octet_length(key) - 19) END
$$;

-- The target of a DNS record: an address, or a name spelled backwards, "ten.elpmaxe.www.", so that
-- the names below a domain are one range of an index. Indexes of indexes.sql use this function and
-- the next one, so a change of a result needs a new name.
CREATE OR REPLACE FUNCTION dangling_target(doc text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
	SELECT CASE WHEN doc <> '' THEN coalesce(doc::json ->> 'answer_ip', reverse('.' || (doc::json ->> 'answer_name'))) END
$$;

-- The names that an SPF policy includes, and all names above them but the last.
CREATE OR REPLACE FUNCTION dangling_spf(doc text) RETURNS text[] LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
	SELECT CASE WHEN doc = '' THEN '{}' ELSE ARRAY(SELECT DISTINCT substring(n FROM '(?:[^.]+[.]){' || k || '}(.*)')
		  FROM (SELECT lower(m[1]) AS n
			  FROM regexp_matches(replace(doc::json ->> 'answer', '" "', ''), '(?:include:|redirect=)([^ "%]{1,253})', 'gi') AS m
			 LIMIT 50) AS x, generate_series(0, 20) AS k
		 WHERE substring(n FROM '(?:[^.]+[.]){' || k || '}(.*)') ~ '[.].') END
$$;

-- Asks for a look at new domains and hosts of a project. New addresses, and addresses that are
-- declared to be the project's, concern all names that may point to them.
CREATE OR REPLACE FUNCTION dangling_assets_changed() RETURNS trigger LANGUAGE plpgsql
	SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
	IF TG_OP = 'INSERT' THEN
		PERFORM detector_ask(jsonb_agg(DISTINCT jsonb_build_object('detector', 'dangling-dns', 'project', f.project_uuid,
			'subject', CASE f.kind WHEN 'domain' THEN '+' || f.name WHEN 'host' THEN f.name ELSE '*' END)))
		  FROM fresh f WHERE f.kind IN ('domain', 'host') OR (f.kind = 'address' AND dangling_is_allocated(f.metadata));
	ELSE
		PERFORM detector_ask(jsonb_agg(DISTINCT jsonb_build_object('detector', 'dangling-dns', 'project', f.project_uuid,
			'subject', '*')))
		  FROM fresh f JOIN stale s USING (uuid)
		 WHERE f.kind = 'address' AND dangling_is_allocated(f.metadata) <> dangling_is_allocated(s.metadata);
	END IF;
	RETURN NULL;
END
$$;

-- Whether the metadata of an address declare it to be the project's: allocated is present, and
-- neither false nor null.
CREATE OR REPLACE FUNCTION dangling_is_allocated(metadata jsonb) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
	SELECT coalesce(metadata -> 'allocated', 'null') NOT IN ('null', 'false')
$$;

CREATE OR REPLACE FUNCTION dangling_providers_changed() RETURNS trigger LANGUAGE plpgsql
	SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
	PERFORM detector_ask_all('dangling-dns', NULL);
	RETURN NULL;
END
$$;

GRANT EXECUTE ON FUNCTION tag_categories_valid TO surfaced_admin, surfaced_api;
GRANT EXECUTE ON FUNCTION visible_projects TO surfaced_admin, surfaced_api;
GRANT EXECUTE ON FUNCTION finding_rule TO surfaced_admin, surfaced_api;
-- These roles write audit lines, and an index of the table calls the function.
GRANT EXECUTE ON FUNCTION audit_ends, audit_project TO surfaced_admin, surfaced_api, surfaced_index;
GRANT EXECUTE ON FUNCTION evidence_text, evidence_number, evidence_integer, evidence_flag, evidence_uuid, evidence_time,
	evidence_texts, evidence_objects, evidence_endpoint, secret_location, secret_locations TO surfaced_api, surfaced_admin;
-- Indexes of the dns partition call these.
GRANT EXECUTE ON FUNCTION dangling_type, dangling_target, dangling_spf TO surfaced_admin, surfaced_index, surfaced_api, surfaced_detect;
