-- Additive: devices in use, times of delivery, answers that are awaited, and reminders.
CREATE TABLE "devices" (
	"line_id" uuid NOT NULL,
	"order_id" uuid NOT NULL,
	"buyer_id" uuid NOT NULL,
	"seller_id" uuid NOT NULL,
	"item_id" uuid NOT NULL,
	"serial_number" text,
	"lot_number" text,
	"udi" text,
	"expiry_date" date,
	"used_from" timestamp (3) with time zone NOT NULL,
	"used_until" timestamp (3) with time zone,
	"end_reason" text,
	"ended_by" uuid,
	"is_confirmed" boolean DEFAULT true NOT NULL,
	CONSTRAINT "devices_pk" PRIMARY KEY("line_id"),
	CONSTRAINT "devices_end_complete" CHECK (("devices"."used_until" is null) = ("devices"."end_reason" is null))
);
--> statement-breakpoint
CREATE TABLE "reminders" (
	"subject_id" uuid NOT NULL,
	"kind" text NOT NULL,
	"due_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "reminders_pk" PRIMARY KEY("subject_id","kind","due_at"),
	CONSTRAINT "reminders_kind_known" CHECK ("reminders"."kind" in ('UNANSWERED','LATE','DELIVERY_DUE'))
);
--> statement-breakpoint
ALTER TABLE "contracts" ADD COLUMN "expiry_reminder_days" integer;--> statement-breakpoint
ALTER TABLE "contracts" ADD COLUMN "answer_days" integer;--> statement-breakpoint
ALTER TABLE "order_lines" ADD COLUMN "related_to" uuid;--> statement-breakpoint
ALTER TABLE "order_lines" ADD COLUMN "agreed_from" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "order_lines" ADD COLUMN "agreed_to" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "orders" ADD COLUMN "earliest_delivery_date" date;--> statement-breakpoint
ALTER TABLE "orders" ADD COLUMN "latest_delivery_date" date;--> statement-breakpoint
ALTER TABLE "orders" ADD COLUMN "awaiting" text;--> statement-breakpoint
ALTER TABLE "orders" ADD COLUMN "agreed_until" timestamp (3) with time zone;--> statement-breakpoint
CREATE INDEX "devices_order_idx" ON "devices" USING btree ("order_id");--> statement-breakpoint
CREATE INDEX "devices_buyer_in_use_idx" ON "devices" USING btree ("buyer_id","order_id","line_id") WHERE "devices"."used_until" is null;--> statement-breakpoint
CREATE INDEX "devices_seller_in_use_idx" ON "devices" USING btree ("seller_id","order_id","line_id") WHERE "devices"."used_until" is null;--> statement-breakpoint
CREATE INDEX "devices_buyer_item_idx" ON "devices" USING btree ("buyer_id","item_id","lot_number");--> statement-breakpoint
CREATE INDEX "devices_seller_item_idx" ON "devices" USING btree ("seller_id","item_id","lot_number");--> statement-breakpoint
CREATE INDEX "devices_serial_number_idx" ON "devices" USING btree ("serial_number");--> statement-breakpoint
CREATE INDEX "devices_udi_idx" ON "devices" USING btree ("udi");--> statement-breakpoint
CREATE INDEX "order_lines_related_idx" ON "order_lines" USING btree ("related_to") WHERE "order_lines"."related_to" is not null;--> statement-breakpoint
CREATE INDEX "orders_seller_agreed_idx" ON "orders" USING btree ("seller_id","agreed_until","id") WHERE "orders"."agreed_until" is not null;