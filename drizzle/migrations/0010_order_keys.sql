-- Keys of lines and trace lines begin with their order. The trace of an order is sorted by its sequence alone.
ALTER TABLE "trace_lines" DROP CONSTRAINT "trace_lines_order_line_fk";--> statement-breakpoint
ALTER TABLE "order_lines" DROP CONSTRAINT "order_lines_pk";--> statement-breakpoint
ALTER TABLE "order_lines" ADD CONSTRAINT "order_lines_pk" PRIMARY KEY("order_id","id");--> statement-breakpoint
DROP INDEX "order_lines_order_idx";--> statement-breakpoint
CREATE INDEX "order_lines_id_idx" ON "order_lines" USING btree ("id");--> statement-breakpoint
ALTER TABLE "trace_lines" DROP CONSTRAINT "trace_lines_pk";--> statement-breakpoint
ALTER TABLE "trace_lines" ADD CONSTRAINT "trace_lines_pk" PRIMARY KEY("order_id","id");--> statement-breakpoint
DROP INDEX "trace_lines_order_idx";--> statement-breakpoint
DROP INDEX "trace_lines_order_line_idx";--> statement-breakpoint
CREATE INDEX "trace_lines_id_idx" ON "trace_lines" USING btree ("id");--> statement-breakpoint
ALTER TABLE "trace_lines" ADD CONSTRAINT "trace_lines_order_line_fk" FOREIGN KEY ("order_id","order_line_id") REFERENCES "public"."order_lines"("order_id","id") ON DELETE no action ON UPDATE no action;
