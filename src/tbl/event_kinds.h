/* The kinds of events in the history of a record (record/event.h):
     EVENT_KIND(id, number, name, dataset, part, change, shows_members, about)

   number         the number of the kind in the table record_event; it never changes
   part           RECORD: the record itself; NESTED: one of its nested objects, which the event names
   change         ADDED, CHANGED or GONE
   shows_members  1: the event has the members that differ; 0: it has none, because the record itself
                  shows them
   about          for openapi.json and the manual

   COALESCED_KIND(id, number, name, about) is not the kind of a change: such an event replaces
   several others. The end of the file undefines both. */
#ifndef EVENT_KIND
#define EVENT_KIND(id, number, name, dataset, part, change, shows_members, about)
#endif
#ifndef COALESCED_KIND
#define COALESCED_KIND(id, number, name, about)
#endif

EVENT_KIND(HOST_ADDED,		1, "host_added",	HOSTS, RECORD, ADDED, 0,	"the host was stored for the first time")
EVENT_KIND(HOST_CHANGED,	2, "host_changed",	HOSTS, RECORD, CHANGED, 1,	"members of the host changed")
EVENT_KIND(HOST_GONE,		3, "host_gone",		HOSTS, RECORD, GONE, 1,		"the host was removed")
EVENT_KIND(SERVICE_ADDED,	4, "service_added",	HOSTS, NESTED, ADDED, 1,	"a stored host got a service")
EVENT_KIND(SERVICE_CHANGED,	5, "service_changed",	HOSTS, NESTED, CHANGED, 1,	"members of a service changed")
EVENT_KIND(SERVICE_GONE,	6, "service_gone",	HOSTS, NESTED, GONE, 1,		"a service was removed")
EVENT_KIND(ADDED,		7, "added",		WHOIS, RECORD, ADDED, 1,	"the registration was stored for the first time")
EVENT_KIND(CHANGED,		8, "changed",		WHOIS, RECORD, CHANGED, 1,	"the registrar, name servers or dates changed")
EVENT_KIND(GONE,		9, "gone",		WHOIS, RECORD, GONE, 1,		"the registration was removed")
COALESCED_KIND(COALESCED,	10, "coalesced",	"the last changes of a day with more than 32")

#undef EVENT_KIND
#undef COALESCED_KIND
