-- SPDX-License-Identifier: ISC
-- When the certificate of a look-alike was first seen. The time at which its validity begins may be any.

DROP FUNCTION IF EXISTS lookalike_certificate; -- sql/functions makes it again, with another column
ALTER TABLE lookalike_candidate ADD certificate_first_seen_at timestamptz;
