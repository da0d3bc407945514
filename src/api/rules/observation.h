/* SPDX-License-Identifier: ISC */
/* Shared by the operations on observations. */
#ifndef API_RULES_OBSERVATION_H
#define API_RULES_OBSERVATION_H

#include "http/http.h"
#include "resource/observation.h"

#define OBSERVATION_ROW                                                                            \
	.scope = SCOPE_RULES_VIEW, .access = ACCESS_ACCOUNT, .meter = METER_QUOTA,                 \
	.area = AREA_SERVICE, .entitlement = ENTITLEMENT_RULES, .tag = "Rule observations"

#endif
