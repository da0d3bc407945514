/* The formats of surfacectl import for datasets of the table record: FORMAT(dataset, name, reader, help). The reader is
   the function read_<reader> of src/cli/import. The first format of a dataset is its default. */
FORMAT(DNS,		ndjson,	ndjson,	"our own documents, one JSON object each")
FORMAT(DNS,		cof,	cof,	"passive DNS in the Common Output Format, also in DNSDB's frames")
FORMAT(WHOIS,		ndjson,	ndjson,	"our own documents, one JSON object each")
FORMAT(CERTIFICATES,	ndjson,	ndjson,	"our own documents, one JSON object each")
FORMAT(CERTIFICATES,	pem,	pem,	"any number of certificates in PEM")
FORMAT(CERTIFICATES,	der,	der,	"one certificate in DER")
FORMAT(CERTIFICATES,	ct,	ct,	"answers of get-entries of a Certificate Transparency log")
FORMAT(CERTIFICATES,	ct-tile, ct_tile, "a data tile of a static Certificate Transparency log")
