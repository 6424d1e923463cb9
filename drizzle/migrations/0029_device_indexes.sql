-- Additive: indexes of the devices of a party whose use has ended, and of their numbers; less speed for the version before.
DROP INDEX "devices_serial_number_idx";--> statement-breakpoint
DROP INDEX "devices_udi_idx";--> statement-breakpoint
CREATE INDEX "devices_buyer_ended_idx" ON "devices" USING btree ("buyer_id","order_id","line_id") WHERE "devices"."used_until" is not null;--> statement-breakpoint
CREATE INDEX "devices_seller_ended_idx" ON "devices" USING btree ("seller_id","order_id","line_id") WHERE "devices"."used_until" is not null;--> statement-breakpoint
CREATE INDEX "devices_buyer_serial_number_idx" ON "devices" USING btree ("buyer_id","serial_number") WHERE "devices"."serial_number" is not null;--> statement-breakpoint
CREATE INDEX "devices_seller_serial_number_idx" ON "devices" USING btree ("seller_id","serial_number") WHERE "devices"."serial_number" is not null;--> statement-breakpoint
CREATE INDEX "devices_buyer_udi_idx" ON "devices" USING btree ("buyer_id","udi") WHERE "devices"."udi" is not null;--> statement-breakpoint
CREATE INDEX "devices_seller_udi_idx" ON "devices" USING btree ("seller_id","udi") WHERE "devices"."udi" is not null;