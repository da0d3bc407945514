-- SPDX-License-Identifier: ISC
-- rules_seen also returns the number of open findings.
DROP FUNCTION IF EXISTS rules_seen;
