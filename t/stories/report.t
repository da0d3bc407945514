#!/bin/sh
# SPDX-License-Identifier: ISC
# A report about a campaign names a domain of ours, and the people on call learn it.
#
#     text --POST /reports--> indicator --.
#                                          >-- surfaced-detect --> finding -- surfaced-alert --> alert --> webhook
#     file --surfacectl import--> asset --'
. t/lib.sh
. t/helper/hooks.sh
. t/helper/story.sh
story_begin

# The team has a receiver, and wants to know what is severe.
story_receiver pager
story_rule 'severity:high' "$RECEIVER"
is "$STATUS" 201 "an alert rule sends severe findings to the receiver"

# An analyst pastes a report.
story_report "A loader on rented servers" <<'END'
# A loader on rented servers

The loader is delivered by mail. It asks hxxps://cdn.evil-59[.]top/stage2 for its second stage, as described at
https://blog.example.com/loader.

## Indicators of compromise

- evil-59[.]top
- 203.0.114[.]9
- 900150983cd24fb0d6963f7d28e17f72
END
is "$STATUS" 201 "an analyst adds the text of a report"
is "$(story_indicators | sort)" "domain evil-59.top 80
ipv4 203.0.114.9 80
md5 900150983cd24fb0d6963f7d28e17f72 60
url https://blog.example.com/loader 30
url https://cdn.evil-59.top/stage2 70" "the report has the indicators of its text"
is "$(story_finding evil-59.top)" "" "the indicator of a foreign domain is no finding"

# The domain turns out to be one of ours.
story_asset domain evil-59.top
story_comes "the asset becomes a finding, because the report names it" "threat_indicator open high" story_finding evil-59.top

# The people on call hear of it.
story_comes "the finding raises an alert" "open high" story_alert evil-59.top
story_comes "the receiver gets one webhook with a right signature" \
	"alert.raised evil-59.top is an indicator of 1 threat report, signed" story_webhook pager evil-59.top

# They find that the report errs, and say so once for all reports.
story_api POST /reports/verdicts '{"type":"domain","value":"evil-59.top","disposition":"ignored","reason":"Ours since March"}'
story_comes "the verdict of the organisation resolves the finding" "threat_indicator resolved high" story_finding evil-59.top
story_comes "the alert of a resolved finding closes" "closed high" story_alert evil-59.top
is "$(hooks_got '[.[].name] | unique | join(" ")') $([ ! -f "$H/private" ] || cat "$H/private")" "pager " \
	"no request went to another receiver or to an address that is not public"
