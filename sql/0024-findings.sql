-- SPDX-License-Identifier: ISC
-- Evidence of findings, the move by which producers close them, and their history.

ALTER TABLE finding
	-- 16384 is LIM_EVIDENCE; the producer cuts what is larger (src/resource/finding_evidence.h)
	ADD evidence jsonb CONSTRAINT finding_evidence_check
		CHECK (jsonb_typeof(evidence) = 'object' AND octet_length(evidence::text) <= 16384),
	ADD confidence double precision CONSTRAINT finding_confidence_check CHECK (confidence BETWEEN 0 AND 1),
	ADD detector text CONSTRAINT finding_detector_check CHECK (char_length(detector) BETWEEN 1 AND 200), -- null: imported
	ADD contradicted_at timestamptz; -- time of the latest data that lack what was found (finding_store)

INSERT INTO finding_move VALUES
	('clear', 'open', 'resolved'),
	('clear', 'acknowledged', 'resolved');

-- What has become of each finding. Rows are inserted by a trigger of finding and never change.
CREATE TABLE finding_event (
	id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
	finding_uuid uuid NOT NULL REFERENCES finding ON DELETE CASCADE,
	project_uuid uuid NOT NULL,
	at timestamptz NOT NULL DEFAULT clock_timestamp(),
	event text NOT NULL, -- found, changed, or a move
	from_status text,    -- null: found, or not known
	to_status text NOT NULL,
	severity text NOT NULL,
	confidence double precision,
	membership_uuid uuid -- null: a producer
);
CREATE INDEX finding_event_page ON finding_event (finding_uuid, at DESC, id DESC);
CREATE INDEX finding_event_project ON finding_event (project_uuid, at, id);

-- Of findings that are older than their history, the first and the last event are known.
INSERT INTO finding_event (finding_uuid, project_uuid, at, event, to_status, severity, membership_uuid)
SELECT uuid, project_uuid, created_at, 'found', 'open', severity, created_by_membership_uuid
  FROM finding ORDER BY created_at, uuid;
INSERT INTO finding_event (finding_uuid, project_uuid, at, event, to_status, severity, membership_uuid)
SELECT uuid, project_uuid, status_changed_at, status_event, status, severity, status_changed_by_membership_uuid
  FROM finding WHERE status_changed_at IS NOT NULL ORDER BY status_changed_at, uuid;

CREATE TRIGGER finding_event_found AFTER INSERT ON finding FOR EACH ROW EXECUTE FUNCTION finding_event_add();
CREATE TRIGGER finding_event_changed AFTER UPDATE ON finding FOR EACH ROW
	WHEN ((OLD.status, OLD.severity, OLD.confidence) IS DISTINCT FROM (NEW.status, NEW.severity, NEW.confidence))
	EXECUTE FUNCTION finding_event_add();
CREATE TRIGGER finding_event_stands BEFORE UPDATE ON finding_event FOR EACH STATEMENT
	EXECUTE FUNCTION finding_event_stands();
GRANT SELECT ON finding_event TO surfaced_api, surfaced_admin;

-- Their results have more columns now.
DROP FUNCTION IF EXISTS import_assets, import_services, import_findings;
