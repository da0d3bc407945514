-- SPDX-License-Identifier: ISC
-- Refused uses of a link are counted, and functions of people get other arguments or results.

ALTER TABLE sign_in_link ADD COLUMN failures bigint NOT NULL DEFAULT 0; -- uses that were refused

DROP FUNCTION IF EXISTS sign_in_link_use(uuid), sign_in_link_find(bytea), throttle_spend(bytea[], bigint[], bigint), person_of_proxy(text),
	person_password_set(uuid, text, uuid), passkey_add(uuid, text, bytea, bytea, bigint, bigint, boolean, text, bigint);
