/* The classes of look-alike domains: LOOKALIKE_CLASS(id, name). surfaced-api(7) explains them. */
LOOKALIKE_CLASS(HOMOGLYPH, "homoglyph")
LOOKALIKE_CLASS(TYPO, "typo")
LOOKALIKE_CLASS(COMBO, "combo")
LOOKALIKE_CLASS(TLD, "tld")
LOOKALIKE_CLASS(SUBDOMAIN, "subdomain")
