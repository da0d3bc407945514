/* The entitlements that an account may have: ENTITLEMENT(id, name, help). An operation without its
   entitlement answers 403 entitlement_required, search answers 503 (C-017). The domain
   entitlement_name of sql/ has the same list. */
ENTITLEMENT(SEARCH,	"search",	"search, counts and aggregations")
ENTITLEMENT(REPORTS,	"reports",	"threat reports")
ENTITLEMENT(ALERTING,	"alerting",	"alert rules, destinations, silences and alerts")
ENTITLEMENT(BROWSER,	"browser",	"browser sessions")
ENTITLEMENT(ESI,	"esi",		"external-surface inventory, services and findings")
ENTITLEMENT(RULES,	"rules",	"detection rules")
