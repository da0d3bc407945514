-- SPDX-License-Identifier: ISC
-- Evidence comes as a log: its pieces are numbered by the runner, in their order, and come again until the
-- dispatcher has said that they are here. What came last is kept, so that none is stored twice.

-- Of the runner of this epoch, everything up to this number is stored or never will be.
ALTER TABLE session_evidence ADD COLUMN logged_epoch bigint NOT NULL DEFAULT 0,
	ADD COLUMN logged_seq bigint NOT NULL DEFAULT 0 CHECK (logged_seq >= 0);

-- Takes the place of a piece. new: it is to be stored in this transaction; stored: it has been; stale: there is
-- no such session. A seq of 0 has no place: it is new.
CREATE FUNCTION evidence_place(session uuid, epoch bigint, seq bigint) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	IF NOT evidence_begin(session, epoch) THEN
		RETURN 'stale';
	END IF;
	IF seq = 0 THEN
		RETURN 'new';
	END IF;
	UPDATE session_evidence e SET logged_epoch = epoch, logged_seq = seq
	 WHERE e.session_uuid = session AND (e.logged_epoch, e.logged_seq) < (epoch, seq);
	RETURN CASE WHEN FOUND THEN 'new' ELSE 'stored' END;
END
$$;

-- As screenshot_room, before its file is made: room, full or stale; or stored, where it has been.
CREATE FUNCTION evidence_room(session uuid, epoch bigint, seq bigint, bytes bigint) RETURNS text LANGUAGE sql STABLE
	SECURITY DEFINER SET search_path = public, pg_temp AS $$
	SELECT CASE WHEN EXISTS (SELECT FROM session_evidence e WHERE e.session_uuid = session
			AND seq > 0 AND e.logged_epoch = epoch AND e.logged_seq >= seq) THEN 'stored'
		WHEN r.said = 'stored' THEN 'room' ELSE r.said END
	  FROM screenshot_room(session, epoch, bytes) AS r (said)
$$;

CREATE FUNCTION evidence_shot(session uuid, epoch bigint, seq bigint, t screenshot_taken) RETURNS text LANGUAGE plpgsql
	SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
	place text := evidence_place(session, epoch, seq);
BEGIN
	RETURN CASE WHEN place = 'new' THEN screenshot_add(session, epoch, t) ELSE place END;
END
$$;

-- truncated: there were more of them.
CREATE FUNCTION evidence_network(session uuid, epoch bigint, seq bigint, docs jsonb[], truncated boolean) RETURNS text
	LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
	place text := evidence_place(session, epoch, seq);
BEGIN
	IF place <> 'new' THEN
		RETURN place;
	END IF;
	IF truncated THEN
		PERFORM network_truncate(session, epoch);
	END IF;
	RETURN CASE WHEN network_add(session, epoch, docs) THEN 'stored' ELSE 'stale' END;
END
$$;

GRANT EXECUTE ON FUNCTION evidence_room, evidence_shot, evidence_network TO surfaced_dispatch;
