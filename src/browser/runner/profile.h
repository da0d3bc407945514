/* SPDX-License-Identifier: ISC */
/* The identity that a session's browser presents to sites: operating system, Chrome version,
   languages, time zone. A site can compare what the browser reports in several places, so one
   struct is the source of all of them:

     profile --> the browser's start          --user-agent, --accept-lang, TZ, LANG
             --> every page and frame         Emulation.setUserAgentOverride
             --> every worker                 Network.setUserAgentOverride, a patch of its navigator
             --> a popup's first request      its headers, rewritten before they are sent
                                              (setup.c) */
#ifndef BROWSER_RUNNER_PROFILE_H
#define BROWSER_RUNNER_PROFILE_H

#include "base/base.h"

struct profile;

/* name: windows, macos or linux. version: the browser's. country: an ISO 3166-1 code or empty; it
   determines languages and time zone. NULL: there is no profile of this name. */
struct profile *profile_new(struct str name, struct str version, struct str country);
void profile_free(struct profile *p);

struct str profile_user_agent(const struct profile *p);
struct str profile_languages(const struct profile *p); /* "de-DE,de,en-US,en" */
struct str profile_locale(const struct profile *p);    /* "de-DE" */
struct str profile_timezone(const struct profile *p);  /* "Europe/Berlin"; empty: UTC */
/* The params of Emulation.setUserAgentOverride and Network.setUserAgentOverride. */
const char *profile_override(const struct profile *p);
/* The params of Runtime.evaluate that change a worker's navigator before its script runs. */
const char *profile_worker_patch(const struct profile *p);
/* The value that a request of this profile has in the header (names in any case); STR_NULL for a
   header that does not depend on the profile. */
struct str profile_header(const struct profile *p, struct str name);

#endif
