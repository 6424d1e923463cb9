-- What happened to an order can be added to, and never be changed or removed: not by this program, and not by hand.
CREATE FUNCTION refuse_trace_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'trace lines are append-only: % is refused', TG_OP USING ERRCODE = 'restrict_violation';
END
$$;
--> statement-breakpoint
CREATE TRIGGER trace_lines_append_only BEFORE UPDATE OR DELETE ON "trace_lines"
  FOR EACH ROW EXECUTE FUNCTION refuse_trace_change();
--> statement-breakpoint
CREATE TRIGGER trace_lines_no_truncate BEFORE TRUNCATE ON "trace_lines"
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_trace_change();
