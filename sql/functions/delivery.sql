-- SPDX-License-Identifier: ISC
-- The queue of webhooks. A delivery is leased while surfaced-alert sends it, and each result names the
-- number of its attempt, so that a result that comes after the lease ended changes nothing. Projects take
-- turns, and each project and each destination has a bounded number of deliveries under way: a receiver that
-- stalls delays only its own project.

-- At most p_most projects that have a due delivery and room for it, beginning after the project p_after, so
-- that projects take turns.
CREATE OR REPLACE FUNCTION delivery_projects(p_after uuid, p_most bigint, p_project bigint)
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

-- Deliveries of a project that may be sent: the oldest due ones, and the oldest ones of each of up to 100
-- destinations, beginning at a random destination. The second set is needed when all of the oldest deliveries
-- are for destinations with p_each deliveries under way.
CREATE OR REPLACE FUNCTION delivery_offers(p_project uuid, p_each bigint) RETURNS TABLE (delivery uuid, destination uuid, due timestamptz)
	LANGUAGE sql ROWS 16 AS $$
	WITH RECURSIVE ring (begun, whom, again, n) AS (
		SELECT u, u, false, 0 FROM gen_random_uuid() AS u
		UNION ALL
		SELECT begun, coalesce(v.whom, '00000000-0000-0000-0000-000000000000'), again OR v.whom IS NULL, n + 1
		  FROM ring, LATERAL (SELECT (SELECT d.destination_uuid FROM alert_delivery d
			WHERE d.state = 'pending' AND d.project_uuid = p_project AND d.destination_uuid > ring.whom
			ORDER BY d.destination_uuid LIMIT 1) AS whom) AS v
		 WHERE n < 100 AND CASE WHEN again THEN v.whom <= begun ELSE true END)
	(SELECT d.uuid, d.destination_uuid, d.due_at FROM alert_delivery d
	  WHERE d.state = 'pending' AND d.project_uuid = p_project AND d.due_at <= now() ORDER BY d.due_at LIMIT 100)
	UNION
	SELECT v.* FROM (SELECT DISTINCT whom FROM ring WHERE n > 0) AS s, LATERAL (SELECT d.uuid, d.destination_uuid, d.due_at
		  FROM alert_delivery d WHERE d.state = 'pending' AND d.project_uuid = p_project AND d.destination_uuid = s.whom
		   AND d.due_at <= now() ORDER BY d.due_at LIMIT p_each) AS v
$$;

-- Leases at most p_room due deliveries, so that at most p_each of one destination and p_project of one project
-- are under way. Rows come in the order of turns after p_after. A delivery that must not be sent gets its final
-- state instead, and its row has no url. JIT is off, as in alert_take.
CREATE OR REPLACE FUNCTION delivery_claim(p_room bigint, p_each bigint, p_lease_ms bigint, p_attempts bigint,
	p_project bigint DEFAULT 16, p_after uuid DEFAULT '00000000-0000-0000-0000-000000000000')
	RETURNS TABLE (uuid uuid, project_uuid uuid, attempt bigint, tries bigint, url text, secret text, payload text)
	LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp SET jit = off AS $$
#variable_conflict use_column
BEGIN
	RETURN QUERY WITH turn AS MATERIALIZED (
		SELECT t.project, t.number, least(t.room, greatest(1, p_room / count(*) OVER ())) AS share
		  FROM delivery_projects(p_after, p_room, p_project) WITH ORDINALITY AS t (project, room, number)),
	busy AS MATERIALIZED (
		SELECT d.destination_uuid AS destination, count(*) AS n FROM turn t JOIN alert_delivery d ON d.project_uuid = t.project
		 WHERE d.leased_until > now() GROUP BY 1),
	offered AS (
		SELECT t.project, o.*, row_number() OVER (PARTITION BY o.destination ORDER BY o.due, o.delivery) AS nth
		  FROM turn t, LATERAL delivery_offers(t.project, p_each) AS o),
	chosen AS MATERIALIZED (
		SELECT t.number, v.delivery FROM turn t, LATERAL (SELECT o.delivery FROM offered o
			 WHERE o.project = t.project
			   AND o.nth <= p_each - coalesce((SELECT b.n FROM busy b WHERE b.destination = o.destination), 0)
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

-- Stores the result of an attempt. False: the lease of this attempt had ended, and the result of a later
-- attempt counts. p_verdict: "delivered"; "retry" after p_delay_ms, unless this was the last of p_attempts; or
-- "gone", which disables the destination.
CREATE OR REPLACE FUNCTION delivery_finish(p_delivery uuid, p_attempt bigint, p_verdict text, p_status bigint, p_failure text,
	p_delay_ms bigint, p_attempts bigint) RETURNS boolean LANGUAGE plpgsql
	SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
	to_whom uuid;
BEGIN
	UPDATE alert_attempt SET ended_at = clock_timestamp(), http_status_code = p_status, failure = p_failure
	 WHERE delivery_uuid = p_delivery AND number = p_attempt;
	UPDATE alert_delivery d SET state = CASE WHEN p_verdict = 'delivered' THEN 'delivered'
			WHEN p_verdict = 'gone' OR d.attempts - d.spent >= p_attempts THEN 'failed' ELSE 'pending' END,
		delivered_at = CASE p_verdict WHEN 'delivered' THEN clock_timestamp() END,
		http_status_code = p_status, failure = p_failure, leased_until = NULL,
		due_at = clock_timestamp() + p_delay_ms * interval '1 ms'
	 WHERE d.uuid = p_delivery AND d.attempts = p_attempt AND d.state = 'pending' RETURNING d.destination_uuid INTO to_whom;
	IF p_verdict = 'gone' THEN
		UPDATE alert_destination t SET enabled = false, updated_at = now() WHERE t.uuid = to_whom AND t.enabled;
	END IF;
	RETURN to_whom IS NOT NULL;
END
$$;

GRANT EXECUTE ON FUNCTION delivery_claim, delivery_finish TO surfaced_alert;
