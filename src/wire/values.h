/* SPDX-License-Identifier: ISC */
/* The allowed values of members of records, which are the same in the database, the API and the
   stream. NULL ends each list. severities is sorted from the least severe; session_profiles begins
   with the default. */
#ifndef WIRE_VALUES_H
#define WIRE_VALUES_H

extern const char *const severities[];
extern const char *const alert_sources[];
extern const char *const asset_kinds[];
extern const char *const session_states[];
extern const char *const session_profiles[];
extern const char *const shot_reasons[];
extern const char *const net_kinds[];
extern const char *const truths[];
extern const char *const timeline_kinds[];

#endif
