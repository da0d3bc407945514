/* The points of a look-alike domain: LOOKALIKE_WEIGHT(id, code, points, help). The score is their
   sum, cut to 0..100, and answers show each of them as a reason. They were fitted to lists of real
   look-alikes and of honest domains, so that a name that certainly means the watched one needs no
   more than an address to reach 70 (t/bench/lookalikes). An includer defines LOOKALIKE_WEIGHT. */

/* The class of the likeness: one of these. */
LOOKALIKE_WEIGHT(HOMOGLYPH,	"homoglyph",		 65, "the label looks like the watched one")
LOOKALIKE_WEIGHT(TYPO,		"typo",			 20, "the label is a misspelling of the watched one")
LOOKALIKE_WEIGHT(COMBO,		"combo",		 65, "the watched label is a part between hyphens")
LOOKALIKE_WEIGHT(JOINED,		"joined",		 45, "the watched label and lures in one part")
LOOKALIKE_WEIGHT(AFFIX,		"affix",		 45, "the watched label begins or ends a part")
LOOKALIKE_WEIGHT(TLD,		"tld",			 35, "the same label below another public suffix")
LOOKALIKE_WEIGHT(SUBDOMAIN,	"subdomain",		 45, "the watched label is below another registrable domain")

/* Signs in the name that make the likeness stronger or weaker. */
LOOKALIKE_WEIGHT(OTHER_SCRIPT,	"other_script",		 10, "letters of another script or with marks")
LOOKALIKE_WEIGHT(DIGIT,		"digit_for_letter",	 25, "a digit stands for a letter that it resembles")
LOOKALIKE_WEIGHT(LENGTH,	"long_label",		  5, "for each letter of the watched label beyond the fifth, up to the eighth")
LOOKALIKE_WEIGHT(EDIT,		"likely_edit",		 25, "the edit is one that people overlook")
LOOKALIKE_WEIGHT(TWO_EDITS,	"two_edits",		-15, "two letters are misspelled")
LOOKALIKE_WEIGHT(HYPHEN,	"hyphen_within",	 25, "the watched label with hyphens in it")
LOOKALIKE_WEIGHT(FIRST_LETTER,	"first_letter",		-15, "the first letter differs")
LOOKALIKE_WEIGHT(LAST_LETTER,	"last_letter",		 -5, "a letter is added or missing at the end")
LOOKALIKE_WEIGHT(LETTER_PAIR,	"letter_pair",		-10, "letters that are alike in pairs alone, as in clan and dan")
LOOKALIKE_WEIGHT(ORDINARY,	"ordinary_word",	-25, "the label is an ordinary word")
LOOKALIKE_WEIGHT(WATCHED_WORD,	"watched_word",		-10, "the watched label is an ordinary word")
LOOKALIKE_WEIGHT(SHORT,		"short_label",		-10, "the watched label has fewer than five letters")
LOOKALIKE_WEIGHT(LURE,		"lure",			 15, "a word that lures people, such as login or support")
LOOKALIKE_WEIGHT(OWN_WORD,	"own_word",		-25, "only words beside it that companies use for their own servers and departments")
LOOKALIKE_WEIGHT(HYPHENS,	"many_hyphens",		  5, "two hyphens or more")
LOOKALIKE_WEIGHT(DIGITS,	"digits",		 20, "digits beside the watched label")
LOOKALIKE_WEIGHT(STRANGE_DOMAIN,	"strange_domain",	 10, "the domain above the watched label has digits or random letters")
LOOKALIKE_WEIGHT(RANDOM,		"random_letters",	 15, "random letters beside the watched label")
LOOKALIKE_WEIGHT(MISSPELLED,	"misspelled",		 -5, "the watched label is misspelled, beside another word")
LOOKALIKE_WEIGHT(WHOLE_DOMAIN,	"whole_domain",		 20, "the watched domain with its public suffix is in the name")
LOOKALIKE_WEIGHT(WWW,		"www",			 20, "www and the watched label in one label")
LOOKALIKE_WEIGHT(KNOWN,		"known_domain",		-40, "below a domain that a known company uses")
LOOKALIKE_WEIGHT(ABUSED_SUFFIX,	"abused_suffix",	 10, "a public suffix that phishing uses often")
LOOKALIKE_WEIGHT(RESTRICTED,	"restricted_suffix",	-30, "a suffix below which only authorities or schools register")
LOOKALIKE_WEIGHT(HOSTED,	"hosted",		 20, "below a suffix where anybody can choose a name")

/* Facts about the name. */
LOOKALIKE_WEIGHT(ADDRESS,	"address",		 10, "the name has an address")
LOOKALIKE_WEIGHT(MAIL,		"mail",			  3, "the name receives mail")
LOOKALIKE_WEIGHT(NEW_CERTIFICATE, "new_certificate",	 5, "a certificate of the last 30 days")
LOOKALIKE_WEIGHT(OWN_CERTIFICATE, "own_certificate",	 10, "a certificate for this very name below another domain")
LOOKALIKE_WEIGHT(NEW_30,	"registered_30_days",	 15, "registered in the last 30 days")
LOOKALIKE_WEIGHT(NEW_90,	"registered_90_days",	  8, "registered in the last 90 days")
LOOKALIKE_WEIGHT(WEB,		"web",			  2, "a web server answers there")
LOOKALIKE_WEIGHT(SAME_PAGE,	"same_page",		 20, "the title or favicon of the watched site")
LOOKALIKE_WEIGHT(PARKED,	"parked",		-25, "its name servers are those of parked domains")
LOOKALIKE_WEIGHT(OLD,		"registered_5_years",	-20, "registered more than five years ago")
LOOKALIKE_WEIGHT(RANKED,	"ranked",		-30, "it is in an imported ranking of domains")
LOOKALIKE_WEIGHT(SAME_HOLDER,	"same_holder",		-60, "the registrant, name servers or certificate of the watched domain")

/* The difference between the sum and 0..100. */
LOOKALIKE_WEIGHT(CUT,		"cut",			  0, "the score is cut to 0 to 100")
