CREATE TABLE "audit_events" (
	"id" uuid NOT NULL,
	"recorded" timestamp (3) with time zone NOT NULL,
	"request_id" text NOT NULL,
	"operation" text NOT NULL,
	"interaction" text NOT NULL,
	"problem" text,
	"user_type" text NOT NULL,
	"user_id" text,
	"organization" text,
	"patients" text[] NOT NULL,
	"orders" uuid[] NOT NULL,
	CONSTRAINT "audit_events_pk" PRIMARY KEY("id"),
	CONSTRAINT "audit_events_paired" CHECK (cardinality("audit_events"."patients") = cardinality("audit_events"."orders"))
);
--> statement-breakpoint
CREATE INDEX "audit_events_organization_idx" ON "audit_events" USING btree ("organization","recorded","id");--> statement-breakpoint
CREATE INDEX "audit_events_patients_idx" ON "audit_events" USING gin ("patients");--> statement-breakpoint
CREATE INDEX "audit_events_orders_idx" ON "audit_events" USING gin ("orders");