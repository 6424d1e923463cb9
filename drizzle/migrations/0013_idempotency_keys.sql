-- Additive: a version without this table accepts no keys.
CREATE TABLE "idempotency_keys" (
	"id" "bytea" NOT NULL,
	"request" "bytea" NOT NULL,
	"run" uuid NOT NULL,
	"lease_until" timestamp (3) with time zone NOT NULL,
	"result" jsonb,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "idempotency_keys_pk" PRIMARY KEY("id")
);
--> statement-breakpoint
CREATE INDEX "idempotency_keys_created_idx" ON "idempotency_keys" USING btree ("created_at");