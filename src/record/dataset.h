/* SPDX-License-Identifier: ISC */
/* The datasets of tbl/datasets.h and the types of their fields. */
#ifndef RECORD_DATASET_H
#define RECORD_DATASET_H

#include "base/str.h"

/* The datasets with documents of their own come first, because their number is the end of many
   loops; then the views, then the subjects of alert conditions. */
enum dataset {
#define DATASET(id, number, name, unit, key, nested, naming, label) DATASET_##id,
#include "tbl/datasets.h"
	DATASETS,
	DATASET_BEFORE_VIEWS = DATASETS - 1,
#define VIEW(id, number, name, unit, source, nested, naming, label) DATASET_##id,
#include "tbl/datasets.h"
#define CONDITIONS(id, name) DATASET_##id,
#include "tbl/conditions.h"
#undef CONDITIONS
	DATASETS_AND_CONDITIONS,
};

enum value_type {
	VALUE_KEYWORD,
	VALUE_TEXT,
	VALUE_DNS,
	VALUE_IP,
	VALUE_INTEGER,
	VALUE_NUMBER,
	VALUE_BOOLEAN,
	VALUE_DATE,
};

/* The dataset's name, "open-directories", and its number in the database. */
const char *record_dataset_name(enum dataset d);
int record_dataset_number(enum dataset d);
/* The dataset of that name; DATASETS: there is none, or it is a view. */
enum dataset record_dataset(struct str name);

/* The bytes by which the key of a service is longer than that of its host: port and transport. */
enum { SERVICE_KEY = 3 };

#endif
