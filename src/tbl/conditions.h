/* What an alert rule's query is about: CONDITIONS(id, name). Fields stand in fields.h as those of a
   dataset; records of these are tested one by one when they change, not searched. */
CONDITIONS(FINDINGS,		"findings")
CONDITIONS(ASSET_SERVICES,	"asset services")
