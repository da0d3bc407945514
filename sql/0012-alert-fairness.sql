-- SPDX-License-Identifier: ISC
-- The queues of 0008, shared out by project: one that has much to judge or to send, or receivers that stall,
-- delays itself. What is asked hundreds of times a minute is not compiled each time: that took seconds.

-- ---- changes: as many of each project that has some ----

ALTER TABLE alert_change ADD project_uuid uuid;
UPDATE alert_change c SET project_uuid = coalesce((SELECT f.project_uuid FROM finding f WHERE f.uuid = c.source_uuid),
	(SELECT s.project_uuid FROM asset_service s WHERE s.uuid = c.source_uuid));
DELETE FROM alert_change WHERE project_uuid IS NULL; -- a record that is gone says nothing
ALTER TABLE alert_change ALTER project_uuid SET NOT NULL;
CREATE INDEX alert_change_next ON alert_change (project_uuid, due_at, id);

-- As in 0008, and: with the project.
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

-- Projects with changes, from entry to entry of the index, and since when the first of them is due.
CREATE VIEW alert_change_waiting AS
	WITH RECURSIVE waiting AS (
		(SELECT project_uuid, due_at FROM alert_change ORDER BY project_uuid, due_at, id LIMIT 1)
		UNION ALL
		SELECT n.* FROM waiting w, LATERAL (SELECT c.project_uuid, c.due_at FROM alert_change c
			WHERE c.project_uuid > w.project_uuid ORDER BY c.project_uuid, c.due_at, c.id LIMIT 1) AS n)
	SELECT project_uuid, due_at FROM waiting;

-- The oldest of each project; where there are more projects than room, those that wait longest.
CREATE FUNCTION alert_next(p_most bigint) RETURNS SETOF bigint LANGUAGE sql ROWS 100 AS $$
	SELECT v.id FROM (SELECT project_uuid, greatest(1, p_most / count(*) OVER ()) AS share FROM
			(SELECT * FROM alert_change_waiting WHERE due_at <= now() ORDER BY due_at, project_uuid LIMIT p_most) AS w) AS s,
		LATERAL (SELECT c.id FROM alert_change c WHERE c.project_uuid = s.project_uuid AND c.due_at <= now()
			ORDER BY c.due_at, c.id LIMIT s.share FOR UPDATE SKIP LOCKED) AS v
$$;

-- As in 0008, and: alert_next says which. A record that is gone says nothing.
CREATE OR REPLACE FUNCTION alert_take(p_most bigint)
	RETURNS TABLE (source text, source_uuid uuid, project_uuid uuid, severity text, status text, doc jsonb)
	LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp SET jit = off AS $$
#variable_conflict use_column
DECLARE
	finding uuid[];
	service uuid[];
BEGIN
	WITH picked AS MATERIALIZED (SELECT n AS id FROM alert_next(p_most) AS n),
	taken AS (DELETE FROM alert_change c USING picked p WHERE c.id = p.id RETURNING c.source, c.source_uuid)
	SELECT array_agg(DISTINCT t.source_uuid) FILTER (WHERE t.source = 'finding'),
	       array_agg(DISTINCT t.source_uuid) FILTER (WHERE t.source = 'service') INTO finding, service FROM taken t;
	PERFORM pg_advisory_xact_lock(h) FROM (SELECT DISTINCT hashtextextended(u::text, 8) AS h
		FROM unnest(finding || service) AS u ORDER BY h) AS held;
	RETURN QUERY SELECT w.source, w.uuid, r.project_uuid, r.severity, r.status, r.doc
	  FROM (SELECT 'finding' AS source, unnest(finding) AS uuid UNION ALL SELECT 'service', unnest(service)) AS w,
	       LATERAL alert_record(w.source, w.uuid) AS r;
END
$$;

CREATE OR REPLACE FUNCTION alert_defer() RETURNS void LANGUAGE sql
	SECURITY DEFINER SET search_path = public, pg_temp AS $$
	UPDATE alert_change SET due_at = now() + interval '1 minute' WHERE id IN (SELECT alert_next(1))
$$;

-- ---- deliveries: projects in turn, each with so many under way at most ----

DROP INDEX alert_delivery_due, alert_delivery_leased;
CREATE INDEX alert_delivery_next ON alert_delivery (project_uuid, due_at) WHERE state = 'pending';
CREATE INDEX alert_delivery_waiting ON alert_delivery (project_uuid, destination_uuid, due_at) WHERE state = 'pending';
CREATE INDEX alert_delivery_leased ON alert_delivery (project_uuid, destination_uuid) WHERE leased_until IS NOT NULL;

-- Projects with something due and room for it, those that come after p_after first: at most p_most.
CREATE FUNCTION delivery_projects(p_after uuid, p_most bigint, p_project bigint)
	RETURNS TABLE (project uuid, room bigint) LANGUAGE plpgsql ROWS 4 AS $$
DECLARE
	at uuid := p_after;
	found_n bigint := 0;
	again boolean := false;
BEGIN
	WHILE found_n < p_most LOOP
		SELECT d.project_uuid INTO project FROM alert_delivery d WHERE d.state = 'pending' AND d.project_uuid > at
		 ORDER BY d.project_uuid LIMIT 1;
		IF project IS NULL AND NOT again THEN
			again := true;
			at := '00000000-0000-0000-0000-000000000000';
			CONTINUE;
		END IF;
		EXIT WHEN project IS NULL OR (again AND project > p_after);
		at := project;
		PERFORM FROM alert_delivery d WHERE d.state = 'pending' AND d.project_uuid = at AND d.due_at <= now() LIMIT 1;
		CONTINUE WHEN NOT FOUND;
		room := p_project - (SELECT count(*) FROM alert_delivery d WHERE d.project_uuid = at AND d.leased_until > now());
		CONTINUE WHEN room <= 0;
		found_n := found_n + 1;
		RETURN NEXT;
	END LOOP;
END
$$;

-- What of a project may be sent: the oldest that are due, and, since those may all be of destinations that have
-- enough under way, the oldest of some destinations, from anywhere on.
CREATE FUNCTION delivery_offers(p_project uuid, p_each bigint) RETURNS TABLE (delivery uuid, destination uuid, due timestamptz)
	LANGUAGE sql ROWS 16 AS $$
	WITH RECURSIVE ring (whom, n) AS (
		SELECT gen_random_uuid(), 0
		UNION ALL
		SELECT v.whom, n + 1 FROM ring, LATERAL (SELECT coalesce(
			(SELECT d.destination_uuid FROM alert_delivery d WHERE d.state = 'pending' AND d.project_uuid = p_project
				AND d.destination_uuid > ring.whom ORDER BY d.destination_uuid LIMIT 1),
			(SELECT d.destination_uuid FROM alert_delivery d WHERE d.state = 'pending' AND d.project_uuid = p_project
				ORDER BY d.destination_uuid LIMIT 1)) AS whom) AS v
		 WHERE n < 100 AND v.whom IS NOT NULL)
	(SELECT d.uuid, d.destination_uuid, d.due_at FROM alert_delivery d
	  WHERE d.state = 'pending' AND d.project_uuid = p_project AND d.due_at <= now() ORDER BY d.due_at LIMIT 100)
	UNION
	SELECT v.* FROM (SELECT DISTINCT whom FROM ring WHERE n > 0) AS s, LATERAL (SELECT d.uuid, d.destination_uuid, d.due_at
		  FROM alert_delivery d WHERE d.state = 'pending' AND d.project_uuid = p_project AND d.destination_uuid = s.whom
		   AND d.due_at <= now() ORDER BY d.due_at LIMIT p_each) AS v
$$;

-- As in 0008, and: at most p_project of one project under way, projects in turn after p_after, each as many as the
-- others; rows in the order of turns.
DROP FUNCTION delivery_claim(bigint, bigint, bigint, bigint);
CREATE FUNCTION delivery_claim(p_room bigint, p_each bigint, p_lease_ms bigint, p_attempts bigint,
	p_project bigint DEFAULT 16, p_after uuid DEFAULT '00000000-0000-0000-0000-000000000000')
	RETURNS TABLE (uuid uuid, project_uuid uuid, attempt bigint, tries bigint, url text, secret text, payload text)
	LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp SET jit = off AS $$
#variable_conflict use_column
BEGIN
	RETURN QUERY WITH turn AS MATERIALIZED (
		SELECT t.project, t.number, least(t.room, greatest(1, p_room / count(*) OVER ())) AS share
		  FROM delivery_projects(p_after, p_room, p_project) WITH ORDINALITY AS t (project, room, number)),
	offered AS (
		SELECT t.project, o.*, row_number() OVER (PARTITION BY o.destination ORDER BY o.due, o.delivery) AS nth
		  FROM turn t, LATERAL delivery_offers(t.project, p_each) AS o),
	chosen AS MATERIALIZED (
		SELECT t.number, v.delivery FROM turn t, LATERAL (SELECT o.delivery FROM offered o
			 WHERE o.project = t.project AND o.nth <= p_each - (SELECT count(*) FROM alert_delivery l
				WHERE l.project_uuid = o.project AND l.destination_uuid = o.destination AND l.leased_until > now())
			 ORDER BY o.nth, o.due LIMIT t.share) AS v),
	picked AS MATERIALIZED (
		SELECT d.uuid, c.number FROM alert_delivery d JOIN chosen c ON c.delivery = d.uuid
		 WHERE d.state = 'pending' AND d.due_at <= now() FOR UPDATE OF d SKIP LOCKED),
	judged AS MATERIALIZED (
		SELECT d.uuid, d.project_uuid, picked.number, t.url, t.secret, CASE
			WHEN d.attempts - d.spent >= p_attempts THEN 'the attempt was interrupted, and was the last'
			WHEN t.deleted_at IS NOT NULL THEN 'the destination is deleted'
			WHEN NOT t.enabled AND d.kind = 'alert' THEN 'the destination is disabled' END AS failure,
			d.kind = 'alert' AND alert_rule_silenced(a.rule_uuid, now()) AS silenced
		  FROM picked JOIN alert_delivery d USING (uuid) JOIN alert_destination t ON t.uuid = d.destination_uuid
		  LEFT JOIN alert a ON a.uuid = d.alert_uuid),
	interrupted AS (
		UPDATE alert_attempt h SET failure = 'interrupted: surfaced-alert ended while it was sent'
		  FROM judged j WHERE h.delivery_uuid = j.uuid AND h.ended_at IS NULL AND h.failure IS NULL),
	written AS (
		UPDATE alert_delivery d SET
			state = CASE WHEN j.silenced THEN 'silenced' WHEN j.failure IS NOT NULL THEN 'failed' ELSE d.state END,
			failure = CASE WHEN j.silenced THEN d.failure ELSE coalesce(j.failure, d.failure) END,
			attempts = d.attempts + go, last_attempt_at = CASE go WHEN 1 THEN now() ELSE d.last_attempt_at END,
			leased_until = CASE go WHEN 1 THEN now() + p_lease_ms * interval '1 ms' END,
			due_at = now() + go * p_lease_ms * interval '1 ms'
		  FROM judged j, LATERAL (SELECT (NOT j.silenced AND j.failure IS NULL)::integer AS go) AS g
		 WHERE d.uuid = j.uuid RETURNING d.uuid, d.attempts, d.attempts - d.spent AS tries, go = 1 AS goes, d.payload),
	begun AS (
		INSERT INTO alert_attempt (delivery_uuid, number, attempted_at)
		SELECT w.uuid, w.attempts, now() FROM written w WHERE w.goes)
	SELECT w.uuid, j.project_uuid, w.attempts, w.tries, CASE WHEN w.goes THEN j.url END,
	       CASE WHEN w.goes THEN j.secret END, w.payload
	  FROM written w JOIN judged j USING (uuid) ORDER BY j.number;
END
$$;
GRANT EXECUTE ON FUNCTION delivery_claim TO surfaced_alert;
GRANT SELECT ON alert_change_waiting TO surfaced_admin;
