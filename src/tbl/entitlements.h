/* What an organisation has bought or been given: ENTITLEMENT(id, name, help). Without it: 403
   entitlement_required, for search 503 (C-017). sql/ has the same list in the domain entitlement_name. */
ENTITLEMENT(SEARCH,	"search",	"search, counts and aggregations")
ENTITLEMENT(REPORTS,	"reports",	"threat reports")
ENTITLEMENT(ALERTING,	"alerting",	"alert rules, destinations, silences and alerts")
ENTITLEMENT(BROWSER,	"browser",	"browser sessions")
ENTITLEMENT(ESI,	"esi",		"external-surface inventory, services and findings")
ENTITLEMENT(RULES,	"rules",	"detection rules")
