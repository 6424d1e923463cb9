-- Additive: the version before has no statement that uses these indexes.
DROP INDEX "catalogue_items_search_idx";--> statement-breakpoint
DROP INDEX "orders_search_idx";