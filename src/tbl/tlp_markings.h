/* The marking-definition objects of STIX for TLP 1.0, which bundles name without containing them:
   TLP_MARKING(level, marking). The levels are those of tbl/tlps.h, which has the objects of TLP
   2.0. */
TLP_MARKING("clear",		"613f2e26-407d-48c7-9eca-b8e91df99dc9")
TLP_MARKING("green",		"34098fce-860f-48ae-8e50-ebd3cc5e41da")
TLP_MARKING("amber",		"f88d31f6-486f-44da-b317-01333bde0b82")
TLP_MARKING("red",		"5e57c739-391a-4eb3-b6be-7d15ca92d5ed")
