-- Additive: what an undo needs is in columns of imports, which may be null.
ALTER TABLE "catalogue_imports" ADD COLUMN "former" jsonb;--> statement-breakpoint
ALTER TABLE "catalogue_imports" ADD COLUMN "created" jsonb;--> statement-breakpoint
ALTER TABLE "catalogue_imports" ADD COLUMN "event_count" bigint;
