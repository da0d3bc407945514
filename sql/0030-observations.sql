-- SPDX-License-Identifier: ISC
-- Tags of accounts beside the common ones, and the indexes by which the API reads observations.

-- account_uuid: null is a common tag, which imports and surfacectl tags write and everybody sees. Whatever makes the
-- shared index reads common tags alone: an account's words never reach what other accounts search (C-158).
ALTER TABLE tag
	ADD COLUMN account_uuid uuid REFERENCES account,
	ADD COLUMN uuid uuid NOT NULL DEFAULT gen_random_uuid(),
	ADD COLUMN created_by_membership_uuid uuid REFERENCES member,
	ADD COLUMN created_at timestamptz NOT NULL DEFAULT now(),
	ADD COLUMN updated_at timestamptz NOT NULL DEFAULT now();
ALTER TABLE tag DROP CONSTRAINT tag_pkey;
ALTER TABLE tag ADD PRIMARY KEY (uuid);
CREATE UNIQUE INDEX tag_slug_taken ON tag (account_uuid, slug) NULLS NOT DISTINCT;
CREATE TRIGGER tag_stamp BEFORE UPDATE ON tag FOR EACH ROW EXECUTE FUNCTION tag_stamp();
GRANT INSERT, UPDATE, DELETE ON tag TO surfaced_api;

-- The rules of an account, deleted ones too, whose observations it still reads.
CREATE INDEX rule_account ON rule (account_uuid);

-- A page of the observations of many runs is merged from the first rows of each.
CREATE INDEX rule_observation_state ON rule_observation (run_uuid, state, created_at DESC, uuid);
CREATE INDEX rule_observation_ip ON rule_observation ((record ->> 'ip'), created_at DESC, uuid)
	WHERE record ->> 'ip' IS NOT NULL;
-- So is a page of the feed.
CREATE INDEX observation_event_run ON observation_event (run_uuid, changed, id);
