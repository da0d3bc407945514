/* SPDX-License-Identifier: ISC */
#include "config.h"

#include "resource/detector.h"

static const struct str names[] = {
#define DETECTOR(id, word, name, help) { name, sizeof(name) - 1 },
#include "tbl/detectors.h"
#undef DETECTOR
};

const struct strs detector_names = { names, COUNT(names) };
