-- Additive: indexes for the lists of orders by status, and for polls of what has changed.
CREATE INDEX "orders_buyer_status_idx" ON "orders" USING btree ("buyer_id","status","id");--> statement-breakpoint
CREATE INDEX "orders_buyer_changed_idx" ON "orders" USING btree ("buyer_id","changed_at","id");--> statement-breakpoint
CREATE INDEX "orders_seller_changed_idx" ON "orders" USING btree ("seller_id","changed_at","id") WHERE "orders"."submitted_at" is not null;
