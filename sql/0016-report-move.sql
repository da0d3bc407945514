-- SPDX-License-Identifier: ISC
-- A report is named by its UUID, the end of its key (src/record/key.c). A new published_at moves it to another key, and the
-- former row stays as the mark of a deletion; so one row alone of a UUID is a report.
CREATE UNIQUE INDEX record_report ON record_reports (substr(key, 9)) WHERE NOT gone;
