// SPDX-License-Identifier: ISC
// Why a detector reports something, and what to do about it, in words. The codes are those of src/tbl: dangling_kinds.h,
// lookalike_classes.h and lookalike_weights.h; t/console/files.t compares them.

// kind of a dangling record: the end of a sentence that begins with the record
export const DANGLING = {
	cname_claimable: "points to a name that anybody can claim",
	cname_page: "shows a provider's page for names that nobody has claimed",
	cname_unregistered: "points to a domain that is not registered",
	ns_unregistered: "names a name server in a domain that is not registered",
	ns_lame: "is delegated to a provider that does not serve the zone",
	mx_unregistered: "names a mail exchanger in a domain that is not registered",
	srv_unregistered: "names a server in a domain that is not registered",
	spf_include_unregistered: "takes senders of mail from a domain that is not registered",
	address_released: "points to a cloud address that a stranger seems to use",
	stale_record: "points to a name that does not exist",
};

// code of a reason: a sentence
export const DANGLING_REASONS = {
	target_nxdomain_claim_open: "The target does not exist, and the provider lets anybody create it.",
	front_name_nxdomain_claim_open: "The target does not exist, and the provider lets anybody create this very name.",
	unclaimed_page: "The provider answers with its page for unclaimed names.",
	domain_nxdomain_expired: "The domain does not exist, and its registration has expired.",
	domain_nxdomain_not_registered: "The domain does not exist, and its registry says that nobody has registered it.",
	domain_nxdomain: "The domain does not exist.",
	zone_not_served_claim_open: "The provider's name servers do not know the zone, and anybody can create it there.",
	foreign_certificate: "A server at the address shows somebody else's certificate.",
	foreign_certificate_not_allocated: "A server at the address shows somebody else's certificate, and the address is declared as not yours.",
	target_nxdomain: "The target does not exist.",
	domain_nxdomain_registered: "The target does not exist, but its domain is registered.",
	claim_closed: "The target does not exist, and the provider gives it to nobody else.",
	claim_disputed: "The target does not exist. Sources disagree whether others can claim it.",
};

// class of a look-alike: the end of a sentence that begins with its name
export const LOOKALIKES = {
	homoglyph: "looks like it: letters or digits stand for similar ones",
	typo: "is a misspelling of it",
	combo: "combines its label with other words",
	tld: "has the same label below another public suffix",
	subdomain: "has its label below another registrable domain",
};

// code of a reason of the score
export const LOOKALIKE_REASONS = {
	homoglyph: "the label looks like the watched one",
	typo: "the label is a misspelling of the watched one",
	combo: "the watched label is a part between hyphens",
	affix: "the watched label begins or ends a part",
	tld: "the same label below another public suffix",
	subdomain: "the watched label is below another registrable domain",
	joined: "the watched label and words that lure people in one part",
	other_script: "letters of another script or with marks",
	digit_for_letter: "a digit stands for a letter that it resembles",
	long_label: "the watched label is long",
	likely_edit: "the change is one that people overlook",
	two_edits: "two letters are misspelled",
	hyphen_within: "the watched label with hyphens in it",
	first_letter: "the first letter differs",
	last_letter: "a letter is added or missing at the end",
	letter_pair: "letters that are alike only in pairs",
	ordinary_word: "the label is an ordinary word",
	watched_word: "the watched label is an ordinary word",
	own_word: "beside it are only words that companies use for their own servers and departments",
	short_label: "the watched label is short",
	lure: "a word that lures people, such as login or support",
	many_hyphens: "two hyphens or more",
	digits: "digits beside the watched label",
	random_letters: "random letters beside the watched label",
	misspelled: "the watched label is misspelled, beside another word",
	whole_domain: "the watched domain with its public suffix is in the name",
	www: "www and the watched label in one label",
	abused_suffix: "a public suffix that phishing uses often",
	restricted_suffix: "a suffix below which only authorities or schools register",
	hosted: "below a suffix where anybody can choose a name",
	known_domain: "it is below a domain that a known company uses",
	strange_domain: "the domain above the watched label has digits or random letters",
	address: "the name has an address",
	mail: "the name receives mail",
	new_certificate: "a certificate of the last 30 days",
	own_certificate: "a certificate for this very name below another domain",
	registered_30_days: "registered in the last 30 days",
	registered_90_days: "registered in the last 90 days",
	web: "a web server answers there",
	same_page: "the title or icon of the watched site",
	parked: "its name servers are those of parked domains",
	registered_5_years: "registered more than five years ago",
	ranked: "it is in an imported ranking of domains",
	same_holder: "the registrant, name servers or certificate of the watched domain",
	cut: "the score is cut to 0 to 100",
};

// Advice for types whose evidence has none.
export const REMEDIES = {
	dangling_dns: "Remove the record, or claim what it points to before somebody else does.",
	exposed_secret: "Revoke the secret at its provider, then remove it from the service.",
	sensitive_file: "Remove the file from the server, and replace what it discloses.",
	typosquatting: "Look at the site in a browser session. If it imitates you, report it to its registrar and its host; if it is yours, put it into “Never report” of the watched domain.",
	threat_indicator: "Read the reports, then look for signs of a compromise on the asset. If the reports are wrong, reject the value on their pages.",
	exposed_service: "Close the service to the Internet, or let it ask for a login.",
	ai_surface: "Close the service to the Internet, or let it ask for a login.",
};

// Words for members of evidence whose names do not say enough.
export const NAMES = {
	auth: "Login", tls_enabled: "TLS", matched_by: "Belongs to you by", registered_at: "Registered", last_resolved_at: "Last resolved",
	mail_exchangers: "Mail servers", certificate_sha256: "Certificate", report_count: "Reports", ip: "Address", http_title: "Title",
};
