/* Options of surfacectl import that single formats of tbl/formats.h read:

     FORMAT_OPTION(name, kind, formats, required)

   name      --<name>, and the member of struct format_options (src/cli/import/format_options.h)
   kind      TEXT: 1 to 200 bytes; NUMBER: from 0 to 9007199254740991; FLAG: no value; URL: of an
             open directory; PORT: 443, 443/tcp
   formats   their names, with a blank before and behind each; with another format the option is refused
   required  whether these formats cannot be read without it */
FORMAT_OPTION(type,	TEXT,	" zdns dnsx ",	0)
FORMAT_OPTION(authorities, FLAG, " massdns ",	0)
FORMAT_OPTION(log,	TEXT,	" ct ct-tile ",	0)
FORMAT_OPTION(start,	NUMBER,	" ct ",		0)
FORMAT_OPTION(chains,	FLAG,	" ct certstream ", 0)
FORMAT_OPTION(url,	URL,	" autoindex ",	1)
FORMAT_OPTION(domain,	TEXT,	" rdap ",	0)
FORMAT_OPTION(port,	PORT,	" zmap ",	0)
FORMAT_OPTION(columns,	TEXT,	" zmap ",	0)
