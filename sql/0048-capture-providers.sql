-- SPDX-License-Identifier: ISC
-- A captured page may fit several providers, since stores with the API of S3 answer unclaimed names
-- with one text; the alias of the host decides (src/detection/dangling.c).

ALTER TABLE capture DROP COLUMN takeover_provider,
	ADD COLUMN takeover_providers text[] NOT NULL DEFAULT '{}'; -- whose page of an unclaimed name it may be
