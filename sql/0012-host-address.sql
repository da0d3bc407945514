-- SPDX-License-Identifier: ISC
-- The address of a host never changes: the search index knows a host by it (host_moved in functions/triggers.sql).
CREATE TRIGGER host_moved BEFORE UPDATE OF ip ON host FOR EACH ROW WHEN (OLD.ip <> NEW.ip)
	EXECUTE FUNCTION host_moved();
