ALTER TABLE "audit_events" ADD COLUMN "same_as" uuid;--> statement-breakpoint
CREATE INDEX "audit_events_same_as_idx" ON "audit_events" USING btree ("same_as") WHERE "audit_events"."same_as" is not null;--> statement-breakpoint
ALTER TABLE "audit_events" ADD CONSTRAINT "audit_events_named_once" CHECK ("audit_events"."same_as" is null or cardinality("audit_events"."orders") = 0);--> statement-breakpoint
-- Hashes and ids do not get shorter: to try takes longer than to write them.
ALTER TABLE "audit_events" ALTER COLUMN "patients" SET STORAGE EXTERNAL, ALTER COLUMN "orders" SET STORAGE EXTERNAL;
