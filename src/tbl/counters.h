/* The metrics that a host counts since its counters were created: COUNTER(id, name, help). The
   metrics socket shows them. */
COUNTER(KEY_RATE_REFUSED,	"surfaced_key_rate_refused_total",	"Requests refused by the rate of their key")
COUNTER(ACCOUNT_RATE_REFUSED,	"surfaced_account_rate_refused_total",	"Searches refused by the rate of their account")
COUNTER(ACCOUNT_QUOTA_REFUSED,	"surfaced_account_quota_refused_total",	"Requests refused by the monthly quota of their account")
COUNTER(GROUP_QUOTA_REFUSED,	"surfaced_group_quota_refused_total",	"Requests refused by the monthly quota of their group")
COUNTER(METER_UNAVAILABLE,	"surfaced_meter_unavailable_total",	"Requests refused because no lease could be had")
COUNTER(GIVEN_BACK,		"surfaced_meter_given_back_total",	"Admitted requests whose charge was returned")
COUNTER(SEARCH_HANDED_OVER,	"surfaced_search_handed_over_total",	"Searches that the workers of surfaced_heavy answered")
COUNTER(SEARCH_REFUSED,		"surfaced_search_refused_total",	"Searches refused because the long searches of their account waited")
COUNTER(ASKS,			"surfaced_meter_asks_total",		"Requests of workers to surfaced-meter for a counter or a lease")
COUNTER(LEASES,			"surfaced_meter_leases_total",		"Leases and reports of leases that the database answered")
COUNTER(FLUSHES,		"surfaced_meter_flushes_total",		"Times that counts were stored")
COUNTER(DATABASE_FAILURES,	"surfaced_meter_database_failures_total", "Calls of surfaced-meter that the database did not answer")
