CREATE TABLE "imports" (
	"id" uuid NOT NULL,
	"state" text NOT NULL,
	"phase" text NOT NULL,
	"rows_done" integer NOT NULL,
	"rows" integer NOT NULL,
	"is_rehearsal" boolean NOT NULL,
	"report" jsonb,
	"problem" jsonb,
	"user_type" text NOT NULL,
	"user_id" text,
	"organization" text,
	"created_at" timestamp (3) with time zone NOT NULL,
	"changed_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "imports_pk" PRIMARY KEY("id"),
	CONSTRAINT "imports_state_known" CHECK ("imports"."state" in ('running','succeeded','failed','interrupted'))
);
--> statement-breakpoint
CREATE INDEX "imports_created_idx" ON "imports" USING btree ("created_at");