/* The marks of the Traffic Light Protocol 2.0: TLP(spelling, name, strict, marking). spelling: its
   letters and digits alone. strict: 1 if the mark forbids that other organisations read the report,
   so it is never shared (sql/0007-reports.sql). marking: the UUID of its marking-definition in
   STIX. */
TLP("clear",		"clear",	0,	"94868c89-83c2-464b-929b-a1a8aa3c8487")
TLP("green",		"green",	0,	"bab4a63c-aed9-4cf5-a766-dfca5abac2bb")
TLP("amber",		"amber",	0,	"55d920b0-5e8b-4f79-9ee9-91f868d9b421")
TLP("amberstrict",	"amber+strict",	1,	"939a9414-2ddd-4d32-a0cd-375ea402b003")
TLP("red",		"red",		1,	"e828b379-4e03-4974-9ac4-e53a884c97c1")
