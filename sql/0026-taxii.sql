-- SPDX-License-Identifier: ISC
-- Objects of TAXII collections. A page of a collection may refer to objects of any other page, so reports are made from
-- all objects that surfacectl import taxii has read (src/cli/report/taxii_priv.h).

ALTER TABLE taxii_cursor
	ADD id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
	ADD more boolean NOT NULL DEFAULT false, -- the page of added_after was not the last one
	ADD changes bigint NOT NULL DEFAULT 0, -- of objects, since the collection was first read
	ADD reported bigint NOT NULL DEFAULT 0; -- the number of changes that reports show

CREATE TABLE taxii_object (
	cursor_id bigint NOT NULL REFERENCES taxii_cursor ON DELETE CASCADE,
	id text NOT NULL CHECK (octet_length(id) BETWEEN 1 AND 300),
	type text NOT NULL,
	month text NOT NULL, -- of its creation, '2026-03'; 'undated'
	modified timestamptz NOT NULL, -- '-infinity': it has no time
	object text NOT NULL, -- as the server sent it
	PRIMARY KEY (cursor_id, id)
);
GRANT SELECT, INSERT, UPDATE, DELETE ON taxii_object TO surfaced_admin;
