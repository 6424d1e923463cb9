-- Additive: the triggers accept two changes, each only from the owner of the table, in a transaction that names the change
-- and itself in ssl_backend.operator_change. A setting that outlives its transaction therefore permits nothing.
--
-- The trace of an order leaves with the order.
CREATE OR REPLACE FUNCTION refuse_trace_change() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF TG_OP = 'DELETE'
    AND current_setting('ssl_backend.operator_change', true) = 'remove orders ' || pg_current_xact_id()
    AND pg_has_role((SELECT relowner FROM pg_class WHERE oid = TG_RELID), 'USAGE')
  THEN
    RETURN OLD;
  END IF;
  RAISE EXCEPTION 'trace lines are append-only: % is refused', TG_OP USING ERRCODE = 'restrict_violation';
END
$$;
--> statement-breakpoint
-- A reference to a patient, which is longer than 16 bytes, becomes a hash of 16 bytes. Nothing else of a record changes.
CREATE OR REPLACE FUNCTION refuse_audit_change() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF TG_OP = 'UPDATE'
    AND current_setting('ssl_backend.operator_change', true) = 'hash patients ' || pg_current_xact_id()
    AND pg_has_role((SELECT relowner FROM pg_class WHERE oid = TG_RELID), 'USAGE')
  THEN
    IF to_jsonb(NEW) - 'patients' = to_jsonb(OLD) - 'patients' AND NOT EXISTS (
      SELECT FROM unnest(OLD.patients, NEW.patients) AS patient (before, after)
      WHERE before IS DISTINCT FROM after AND (coalesce(length(before), 0) <= 16 OR length(after) IS DISTINCT FROM 16))
    THEN
      RETURN NEW;
    END IF;
  END IF;
  RAISE EXCEPTION 'audit events are append-only: % is refused', TG_OP USING ERRCODE = 'restrict_violation';
END
$$;
