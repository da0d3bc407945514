-- SPDX-License-Identifier: ISC
-- A start_url of 2048 characters as the client sent it is stored in its canonical form, which is longer where
-- characters beyond ASCII are percent-encoded.

ALTER TABLE browser_session DROP CONSTRAINT browser_session_start_url_check;
ALTER TABLE browser_session ADD CONSTRAINT browser_session_start_url_check
	CHECK (start_url ~ '^https?://' AND char_length(start_url) <= 24832);
