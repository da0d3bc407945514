/* DATASET(id, name, count unit): SPEC 2.2, CONTRACT A3. An empty unit: searchable, not countable. */
DATASET(HOSTS,		"hosts",		"host")
