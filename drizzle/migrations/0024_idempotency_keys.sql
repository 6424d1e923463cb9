-- Additive: defaults of what only the version before writes.
ALTER TABLE "idempotency_keys" ALTER COLUMN "run" SET DEFAULT gen_random_uuid();--> statement-breakpoint
ALTER TABLE "idempotency_keys" ALTER COLUMN "lease_until" SET DEFAULT now();