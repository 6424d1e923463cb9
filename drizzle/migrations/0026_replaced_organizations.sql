-- Additive: a table that the version before does not know.
CREATE TABLE "replaced_organizations" (
	"organization" text NOT NULL,
	"replaced_by" text NOT NULL,
	CONSTRAINT "replaced_organizations_pk" PRIMARY KEY("organization")
);
