/* The subjects of the query of an alert rule: CONDITIONS(id, name). fields.h has their fields, as
   if each were a dataset; their records are not searched, but tested one by one when they
   change. */
CONDITIONS(FINDINGS,		"findings")
CONDITIONS(ASSET_SERVICES,	"asset services")
