-- SPDX-License-Identifier: ISC
-- What the dashboard of a project remembers of past days, and the weights of its score.

-- The points of one open finding by its severity. A change of them is a new version; past days keep their scores.
CREATE TABLE exposure_weight (
	version integer NOT NULL CHECK (version >= 1),
	severity text NOT NULL CHECK (severity IN ('info', 'low', 'medium', 'high', 'critical')),
	weight double precision NOT NULL CHECK (weight >= 0),
	PRIMARY KEY (version, severity)
);
INSERT INTO exposure_weight VALUES (1, 'critical', 40), (1, 'high', 15), (1, 'medium', 4), (1, 'low', 1), (1, 'info', 0);

-- The findings of a project on a past day of UTC. Only days on which there was something have rows. dashboard_fill
-- makes them from finding_event, whose rows never change, so the same day is always made the same.
CREATE TABLE esi_daily (
	project_uuid uuid NOT NULL REFERENCES project,
	day date NOT NULL,
	finding_type text NOT NULL,
	severity text NOT NULL,
	active bigint NOT NULL, -- open or acknowledged at the end of the day
	new bigint NOT NULL,
	closed bigint NOT NULL,   -- by a person
	reopened bigint NOT NULL,
	cleared bigint NOT NULL,  -- by a producer
	points double precision NOT NULL, -- of the active ones
	PRIMARY KEY (project_uuid, day, finding_type, severity)
);

-- The exposure of a project at the end of a day; one row for each day that is written.
CREATE TABLE exposure_daily (
	project_uuid uuid NOT NULL REFERENCES project,
	day date NOT NULL,
	points double precision NOT NULL, -- exposure_score makes the score of them
	version integer NOT NULL,         -- of the weights
	PRIMARY KEY (project_uuid, day)
);

-- The state of a finding after one of its events (esi_days in functions/project_dashboard.sql).
CREATE TYPE finding_stand AS (to_status text, severity text, confidence double precision);

GRANT USAGE ON TYPE finding_stand TO surfaced_api;
GRANT SELECT ON exposure_weight, esi_daily, exposure_daily TO surfaced_api, surfaced_admin;
