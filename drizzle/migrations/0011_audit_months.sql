-- Audit events are partitioned by month, so that an old month can be removed without a trace of work. What is there becomes
-- the first partition, which ends with this month. Its rows are read once, to check that they belong there.
ALTER TABLE "audit_events" RENAME TO "audit_events_first";--> statement-breakpoint
ALTER TABLE "audit_events_first" DROP CONSTRAINT "audit_events_pk";--> statement-breakpoint
ALTER TABLE "audit_events_first" ADD CONSTRAINT "audit_events_first_pk" PRIMARY KEY("id","recorded");--> statement-breakpoint
ALTER INDEX "audit_events_organization_idx" RENAME TO "audit_events_first_organization_idx";--> statement-breakpoint
ALTER INDEX "audit_events_patients_idx" RENAME TO "audit_events_first_patients_idx";--> statement-breakpoint
ALTER INDEX "audit_events_orders_idx" RENAME TO "audit_events_first_orders_idx";--> statement-breakpoint
ALTER INDEX "audit_events_same_as_idx" RENAME TO "audit_events_first_same_as_idx";--> statement-breakpoint
-- The partitioned table gives its triggers for rows to its partitions.
DROP TRIGGER "audit_events_append_only" ON "audit_events_first";--> statement-breakpoint
CREATE TABLE "audit_events" (LIKE "audit_events_first" INCLUDING DEFAULTS INCLUDING STORAGE INCLUDING CONSTRAINTS)
  PARTITION BY RANGE ("recorded");--> statement-breakpoint
ALTER TABLE "audit_events" ADD CONSTRAINT "audit_events_pk" PRIMARY KEY("id","recorded");--> statement-breakpoint
CREATE INDEX "audit_events_organization_idx" ON "audit_events" USING btree ("organization","recorded","id");--> statement-breakpoint
CREATE INDEX "audit_events_patients_idx" ON "audit_events" USING gin ("patients");--> statement-breakpoint
CREATE INDEX "audit_events_orders_idx" ON "audit_events" USING gin ("orders");--> statement-breakpoint
CREATE INDEX "audit_events_same_as_idx" ON "audit_events" USING btree ("same_as") WHERE "audit_events"."same_as" is not null;--> statement-breakpoint
CREATE TRIGGER audit_events_append_only BEFORE UPDATE OR DELETE ON "audit_events"
  FOR EACH ROW EXECUTE FUNCTION refuse_audit_change();--> statement-breakpoint
CREATE TRIGGER audit_events_no_truncate BEFORE TRUNCATE ON "audit_events"
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_change();--> statement-breakpoint
DO $$
DECLARE
  month timestamptz := date_trunc('month', now(), 'UTC');
BEGIN
  EXECUTE format('ALTER TABLE audit_events ATTACH PARTITION audit_events_first FOR VALUES FROM (MINVALUE) TO (%L)',
    (month AT TIME ZONE 'UTC' + interval '1 month') AT TIME ZONE 'UTC');
  EXECUTE format('ALTER TABLE audit_events_first RENAME TO %I',
    'audit_events_' || to_char(month AT TIME ZONE 'UTC', 'YYYY_MM'));
END
$$;--> statement-breakpoint
-- Makes the partitions of this month and the next three where they are missing. A table is attached only once it is complete: creating it as a partition would block inserts.
CREATE FUNCTION prepare_audit_partitions() RETURNS void LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = public, pg_temp SET timezone = 'UTC' AS $$
DECLARE
  month timestamptz;
  partition text;
BEGIN
  PERFORM pg_advisory_xact_lock(5417265);
  FOR ahead IN 0..3 LOOP
    month := date_trunc('month', now()) + ahead * interval '1 month';
    partition := 'audit_events_' || to_char(month, 'YYYY_MM');
    CONTINUE WHEN to_regclass(partition) IS NOT NULL;
    EXECUTE format('CREATE TABLE %I (LIKE audit_events INCLUDING ALL)', partition);
    EXECUTE format('CREATE TRIGGER audit_events_no_truncate BEFORE TRUNCATE ON %I
      FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_change()', partition);
    EXECUTE format('ALTER TABLE audit_events ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)',
      partition, month, month + interval '1 month');
  END LOOP;
END
$$;--> statement-breakpoint
SELECT prepare_audit_partitions();
