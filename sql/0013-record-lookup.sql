-- SPDX-License-Identifier: ISC
-- A certificate is looked up by its fingerprint, which is the end of its key (src/record/key.c).
CREATE INDEX record_fingerprint ON record_certificates (substr(key, 9));
