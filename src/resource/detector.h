/* SPDX-License-Identifier: ISC */
/* A detector of a project, as the API shows it (tbl/detectors.h). */
#ifndef RESOURCE_DETECTOR_H
#define RESOURCE_DETECTOR_H

#include "db/db.h"

enum detector_id {
#define DETECTOR(id, word, name, help) DETECTOR_##id,
#include "tbl/detectors.h"
#undef DETECTOR
	DETECTORS_MOST
};

struct detector_row {
	struct str name, exclude, min_severity, error;
	bool enabled;
	struct ts last_pass_at;
	struct json looked_at;
	int64_t open;
};

#define DETECTOR_MEMBERS                                                                           \
	FIELD(struct detector_row, name, 0), FIELD(struct detector_row, enabled, 0),               \
	    FIELD(struct detector_row, exclude, 0),                                                \
	    ONE_OF(struct detector_row, min_severity, 0, severities, NULL),                        \
	    FIELD(struct detector_row, last_pass_at, NULLABLE),                                    \
	    OPTIONAL(struct detector_row, looked_at, FIELD_OBJECT, 0, 0, 0),                       \
	    FIELD(struct detector_row, open, 0), FIELD(struct detector_row, error, NULLABLE)

/* In the order of enum detector_id. */
extern const struct strs detector_names;

#endif
