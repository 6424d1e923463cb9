-- Additive: a version without this table writes no events. What it changes meanwhile is in no feed.
CREATE SEQUENCE "public"."event_positions" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1;--> statement-breakpoint
CREATE TABLE "events" (
	"position" bigint DEFAULT nextval('event_positions') NOT NULL,
	"time" timestamp (3) with time zone NOT NULL,
	"id" uuid NOT NULL,
	"type" text NOT NULL,
	"change" text NOT NULL,
	"subject_id" uuid NOT NULL,
	"owner_id" uuid NOT NULL,
	"sequence" integer NOT NULL,
	"old_status" text,
	"new_status" text,
	"is_of_draft" boolean NOT NULL,
	"traceparent" text,
	CONSTRAINT "events_pk" PRIMARY KEY("position","time"),
	CONSTRAINT "events_change_known" CHECK ("events"."change" in ('created','changed','deleted'))
) PARTITION BY RANGE ("time");
--> statement-breakpoint
ALTER TABLE "contracts" ADD COLUMN "expiry_reported" date;--> statement-breakpoint
ALTER TABLE "contracts" ADD COLUMN "event_count" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "parties" ADD COLUMN "event_count" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "annotations" ADD COLUMN "event_count" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "catalogue_items" ADD COLUMN "event_count" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "catalogues" ADD COLUMN "event_count" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "order_lines" ADD COLUMN "event_count" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "orders" ADD COLUMN "event_count" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
CREATE OR REPLACE FUNCTION refuse_event_change() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  RAISE EXCEPTION 'events are append-only: % is refused', TG_OP USING ERRCODE = 'restrict_violation';
END
$$;
--> statement-breakpoint
CREATE TRIGGER events_append_only BEFORE UPDATE OR DELETE ON "events"
  FOR EACH ROW EXECUTE FUNCTION refuse_event_change();--> statement-breakpoint
CREATE TRIGGER events_no_truncate BEFORE TRUNCATE ON "events"
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_event_change();--> statement-breakpoint
-- Until there are partitions of months, the first one takes what is earlier.
DO $$
DECLARE
  month timestamptz := date_trunc('month', now(), 'UTC');
  suffix text := to_char(month AT TIME ZONE 'UTC', '_YYYY_MM');
BEGIN
  EXECUTE format('CREATE TABLE events%s PARTITION OF events FOR VALUES FROM (MINVALUE) TO (%L)',
    suffix, (month AT TIME ZONE 'UTC' + interval '1 month') AT TIME ZONE 'UTC');
  EXECUTE format('CREATE TRIGGER events_no_truncate BEFORE TRUNCATE ON events%s
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_event_change()', suffix);
END
$$;--> statement-breakpoint
-- Makes the partitions of this month and the next three where they are missing. A table is attached only once it is
-- complete: creating it as a partition would block inserts.
CREATE FUNCTION prepare_event_partitions() RETURNS void LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = public, pg_temp SET timezone = 'UTC' AS $$
DECLARE
  month timestamptz;
  suffix text;
BEGIN
  PERFORM pg_advisory_xact_lock(5417266);
  FOR ahead IN 0..3 LOOP
    month := date_trunc('month', now()) + ahead * interval '1 month';
    suffix := to_char(month, '_YYYY_MM');
    CONTINUE WHEN to_regclass('events' || suffix) IS NOT NULL;
    EXECUTE format('CREATE TABLE events%s (LIKE events INCLUDING ALL)', suffix);
    EXECUTE format('CREATE TRIGGER events_no_truncate BEFORE TRUNCATE ON events%s
      FOR EACH STATEMENT EXECUTE FUNCTION refuse_event_change()', suffix);
    EXECUTE format('ALTER TABLE events ATTACH PARTITION events%s FOR VALUES FROM (%L) TO (%L)',
      suffix, month, month + interval '1 month');
  END LOOP;
END
$$;--> statement-breakpoint
SELECT prepare_event_partitions();
