/* The datasets of search (SPEC 2.2): DATASET(id, name, count unit). A dataset with an empty unit can be searched
   but not counted. */
DATASET(HOSTS,		"hosts",		"host")
