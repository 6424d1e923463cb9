-- Additive: an index for the lists of orders between a buyer and a seller.
CREATE INDEX "orders_parties_idx" ON "orders" USING btree ("buyer_id","seller_id","status","id");