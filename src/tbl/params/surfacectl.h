/* Parameters of surfacectl. See tbl/params.h. */
PARAM(public_url, url, IN_SURFACECTL,
	"", 0, 2000,
	"where people reach nginx, https://HOST[:PORT], for surfacectl watch and setup")
