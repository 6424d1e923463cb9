-- Additive: a version without reasons writes none, and keeps that of a line whose status it changes.
ALTER TABLE "order_lines" ADD COLUMN "status_reason_code" text;--> statement-breakpoint
ALTER TABLE "order_lines" ADD COLUMN "status_reason_text" text;--> statement-breakpoint
ALTER TABLE "orders" ADD COLUMN "status_reason_code" text;--> statement-breakpoint
ALTER TABLE "orders" ADD COLUMN "status_reason_text" text;