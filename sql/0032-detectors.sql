-- SPDX-License-Identifier: ISC
-- Detectors (src/tbl/detectors.h): their settings in each project, their pending work, and the
-- subjects of their findings.

-- A project without a row has the defaults.
CREATE TABLE detector_state (
	project_uuid uuid NOT NULL REFERENCES project,
	detector text NOT NULL CHECK (char_length(detector) BETWEEN 1 AND 50),
	enabled boolean NOT NULL DEFAULT true,
	exclude text NOT NULL DEFAULT '' CHECK (octet_length(exclude) <= 8192), -- a query on findings; '': excludes nothing
	min_severity text NOT NULL DEFAULT 'info' CHECK (min_severity IN ('info', 'low', 'medium', 'high', 'critical')),
	updated_at timestamptz NOT NULL DEFAULT now(), -- of the settings
	-- surfaced-detect writes the rest
	last_pass_at timestamptz,
	looked_at jsonb NOT NULL DEFAULT '{}' CHECK (jsonb_typeof(looked_at) = 'object'), -- numbers by what was looked at
	error text CHECK (char_length(error) <= 500), -- of the last look that failed, until all have succeeded
	is_full boolean NOT NULL DEFAULT false, -- the last look left out what is beyond a limit of the project
	PRIMARY KEY (project_uuid, detector)
);

-- Subjects that a detector must look at. Each detector defines its subjects. The frame defines two:
-- '*' is the whole project, and a subject that begins with '=' is a change of the settings.
CREATE TABLE detector_work (
	detector text NOT NULL,
	project_uuid uuid NOT NULL REFERENCES project,
	subject text NOT NULL CHECK (octet_length(subject) BETWEEN 1 AND 2000),
	due_at timestamptz NOT NULL DEFAULT now(),
	tries integer NOT NULL DEFAULT 0, -- looks that failed
	asked xid8 NOT NULL DEFAULT pg_current_xact_id(), -- a look that read an earlier one does not end the work
	PRIMARY KEY (detector, project_uuid, subject)
);
CREATE INDEX detector_work_due ON detector_work (due_at);
CREATE INDEX detector_work_turn ON detector_work (detector, project_uuid, due_at);

-- The subjects of findings, with which a detector finds the findings of its earlier looks.
CREATE TABLE detector_finding (
	project_uuid uuid NOT NULL,
	detector text NOT NULL,
	subject text NOT NULL CHECK (octet_length(subject) BETWEEN 1 AND 2000),
	finding_key text NOT NULL,
	PRIMARY KEY (project_uuid, detector, subject, finding_key),
	FOREIGN KEY (project_uuid, finding_key) REFERENCES finding (project_uuid, finding_key) ON DELETE CASCADE
);
CREATE INDEX detector_finding_key ON detector_finding (project_uuid, finding_key);

-- The subjects that the present process looks at, in one row. When a process starts and finds
-- subjects here, its predecessor died with them. They count as failed, so that they cannot end one
-- process after the other.
CREATE TABLE detector_hand (
	one boolean PRIMARY KEY DEFAULT true CHECK (one),
	detector text NOT NULL,
	project_uuid uuid NOT NULL,
	subjects text[] NOT NULL
);

CREATE TRIGGER detector_assets_added AFTER INSERT ON asset REFERENCING NEW TABLE AS fresh FOR EACH STATEMENT
	EXECUTE FUNCTION detector_assets_changed();
CREATE TRIGGER detector_assets_updated AFTER UPDATE ON asset REFERENCING NEW TABLE AS fresh OLD TABLE AS stale
	FOR EACH STATEMENT EXECUTE FUNCTION detector_assets_changed();
CREATE TRIGGER detector_entitled AFTER INSERT OR UPDATE ON entitlement FOR EACH ROW WHEN (NEW.name = 'esi')
	EXECUTE FUNCTION detector_entitled();
CREATE TRIGGER detector_verdict AFTER INSERT OR UPDATE OR DELETE ON indicator_verdict FOR EACH ROW
	EXECUTE FUNCTION detector_verdict_changed();
CREATE TRIGGER detector_settings_added AFTER INSERT ON detector_state FOR EACH ROW
	WHEN (NOT NEW.enabled OR NEW.exclude <> '' OR NEW.min_severity <> 'info') EXECUTE FUNCTION detector_settings_changed();
CREATE TRIGGER detector_settings_updated AFTER UPDATE ON detector_state FOR EACH ROW
	WHEN ((NEW.enabled, NEW.exclude, NEW.min_severity) IS DISTINCT FROM (OLD.enabled, OLD.exclude, OLD.min_severity))
	EXECUTE FUNCTION detector_settings_changed();

CREATE TRIGGER audit_detector_added AFTER INSERT ON detector_state FOR EACH ROW
	WHEN (NOT NEW.enabled OR NEW.exclude <> '' OR NEW.min_severity <> 'info') EXECUTE FUNCTION audit_row('detector');
CREATE TRIGGER audit_detector_updated AFTER UPDATE ON detector_state FOR EACH ROW
	WHEN ((NEW.enabled, NEW.exclude, NEW.min_severity) IS DISTINCT FROM (OLD.enabled, OLD.exclude, OLD.min_severity))
	EXECUTE FUNCTION audit_row('detector');

GRANT SELECT, INSERT (project_uuid, detector, enabled, exclude, min_severity),
	UPDATE (enabled, exclude, min_severity, updated_at) ON detector_state TO surfaced_api;
GRANT SELECT ON detector_state, detector_work, detector_finding TO surfaced_admin;

-- The work of detectors is stored together with the results of a batch of documents.
DROP FUNCTION IF EXISTS detect_store(jsonb, jsonb, jsonb, jsonb, bigint);

-- Asks for a look at all existing data.
SELECT detector_ask_all(NULL, NULL);
