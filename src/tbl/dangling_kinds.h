/* The kinds of dangling DNS records, and how certain and severe each is (C-169). DANGLING(id,
   name, title, remediation). title: the end of a sentence that begins with the name and the type of
   the record. remediation: an answer of the API gives it to people. DANGLING_GRADE(id, kind, code,
   severity, confidence). code: the reason in the evidence of a finding, whose weight is the
   confidence. */
#ifndef DANGLING
#define DANGLING(id, name, title, remediation)
#endif
#ifndef DANGLING_GRADE
#define DANGLING_GRADE(id, kind, code, severity, confidence)
#endif

DANGLING(CNAME_CLAIMABLE, "cname_claimable",
    "points to a name that anybody can claim",
    "Remove the record, or create the resource again at the provider before somebody else does.")
DANGLING(CNAME_PAGE, "cname_page",
    "shows a provider's page for names that nobody has claimed",
    "Remove the record, or claim the name at the provider before somebody else does.")
DANGLING(CNAME_UNREGISTERED, "cname_unregistered",
    "points to a domain that is not registered",
    "Remove the record, or register the domain.")
DANGLING(NS_UNREGISTERED, "ns_unregistered",
    "names a name server in a domain that is not registered",
    "Remove the name server from the delegation, or register its domain: whoever does so answers for the zone.")
DANGLING(NS_LAME, "ns_lame",
    "is delegated to a provider that does not serve the zone",
    "Remove the delegation, or create the zone again at the provider before somebody else does.")
DANGLING(MX_UNREGISTERED, "mx_unregistered",
    "names a mail exchanger in a domain that is not registered",
    "Remove the mail exchanger, or register its domain: whoever does so receives the mail.")
DANGLING(SRV_UNREGISTERED, "srv_unregistered",
    "names a server in a domain that is not registered",
    "Remove the record, or register the domain.")
DANGLING(SPF_INCLUDE_UNREGISTERED, "spf_include_unregistered",
    "takes senders of mail from a domain that is not registered",
    "Remove the mechanism from the policy, or register the domain: whoever does so sends mail in your name.")
DANGLING(ADDRESS_RELEASED, "address_released",
    "points to a cloud address that a stranger seems to use",
    "Remove the record, or declare the address with metadata.allocated if it is yours.")
DANGLING(STALE_RECORD, "stale_record",
    "points to a name that does not exist",
    "Remove the record; it serves nobody, and the name may become claimable.")

DANGLING_GRADE(CLAIMABLE,	CNAME_CLAIMABLE,	"target_nxdomain_claim_open",		"high",		0.9)
DANGLING_GRADE(CLAIMABLE_FRONT,	CNAME_CLAIMABLE,	"front_name_nxdomain_claim_open",	"critical",	0.9)
DANGLING_GRADE(PAGE,		CNAME_PAGE,		"unclaimed_page",			"high",		0.8)
DANGLING_GRADE(CNAME_FREE,		CNAME_UNREGISTERED,	"domain_nxdomain_not_registered",	"critical",	0.95)
DANGLING_GRADE(CNAME_EXPIRED,	CNAME_UNREGISTERED,	"domain_nxdomain_expired",		"critical",	0.95)
DANGLING_GRADE(CNAME_NXDOMAIN,	CNAME_UNREGISTERED,	"domain_nxdomain",			"high",		0.7)
DANGLING_GRADE(NS_FREE,		NS_UNREGISTERED,	"domain_nxdomain_not_registered",	"critical",	0.95)
DANGLING_GRADE(NS_EXPIRED,	NS_UNREGISTERED,	"domain_nxdomain_expired",		"critical",	0.95)
DANGLING_GRADE(NS_NXDOMAIN,	NS_UNREGISTERED,	"domain_nxdomain",			"high",		0.7)
DANGLING_GRADE(LAME,		NS_LAME,		"zone_not_served_claim_open",		"high",		0.7)
DANGLING_GRADE(MX_FREE,		MX_UNREGISTERED,	"domain_nxdomain_not_registered",	"high",		0.9)
DANGLING_GRADE(MX_EXPIRED,	MX_UNREGISTERED,	"domain_nxdomain_expired",		"high",		0.9)
DANGLING_GRADE(MX_NXDOMAIN,	MX_UNREGISTERED,	"domain_nxdomain",			"high",		0.7)
DANGLING_GRADE(SRV_FREE,		SRV_UNREGISTERED,	"domain_nxdomain_not_registered",	"medium",		0.9)
DANGLING_GRADE(SRV_EXPIRED,	SRV_UNREGISTERED,	"domain_nxdomain_expired",		"medium",	0.9)
DANGLING_GRADE(SRV_NXDOMAIN,	SRV_UNREGISTERED,	"domain_nxdomain",			"medium",	0.7)
DANGLING_GRADE(SPF_FREE,		SPF_INCLUDE_UNREGISTERED, "domain_nxdomain_not_registered",	"medium",		0.9)
DANGLING_GRADE(SPF_EXPIRED,	SPF_INCLUDE_UNREGISTERED, "domain_nxdomain_expired",		"medium",	0.9)
DANGLING_GRADE(SPF_NXDOMAIN,	SPF_INCLUDE_UNREGISTERED, "domain_nxdomain",			"medium",	0.7)
DANGLING_GRADE(RELEASED,	ADDRESS_RELEASED,	"foreign_certificate",			"medium",	0.5)
DANGLING_GRADE(RELEASED_DECLARED, ADDRESS_RELEASED,	"foreign_certificate_not_allocated",	"high",		0.8)
DANGLING_GRADE(STALE,		STALE_RECORD,		"target_nxdomain",			"low",		0.6)
DANGLING_GRADE(STALE_HELD,	STALE_RECORD,		"domain_nxdomain_registered",		"low",		0.6)
DANGLING_GRADE(STALE_CLOSED,	STALE_RECORD,		"claim_closed",				"low",		0.6)
DANGLING_GRADE(STALE_DISPUTED,	STALE_RECORD,		"claim_disputed",			"medium",	0.5)

#undef DANGLING
#undef DANGLING_GRADE
