-- Additive: a column that the version before does not know.
ALTER TABLE "subscriptions" ADD COLUMN "test_type" text;