-- Additive: generated columns with the words of a row, their indexes, and indexes of names. The version before goes on using
-- the index of catalogue_items.search_text.
--
-- Lower case, without the accents of Latin, Greek and Cyrillic letters, Danish letters in ASCII; as search-text.ts.
CREATE FUNCTION fold_text(value text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN replace(replace(translate(lower(regexp_replace(normalize(lower(value), NFKD),
    '[\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]', '', 'g')),
    'ØøĐđÆẞ', 'ooddæß'), 'æ', 'ae'), 'ß', 'ss');
--> statement-breakpoint
ALTER TABLE "parties" ADD COLUMN "words" text NOT NULL GENERATED ALWAYS AS (fold_text(name || coalesce(' ' || email, ''))) STORED;
--> statement-breakpoint
CREATE INDEX "parties_words_idx" ON "parties" USING gin ("words" gin_trgm_ops);
--> statement-breakpoint
ALTER TABLE "catalogues" ADD COLUMN "words" text NOT NULL GENERATED ALWAYS AS (fold_text(name)) STORED;
--> statement-breakpoint
CREATE INDEX "catalogues_words_idx" ON "catalogues" USING gin ("words" gin_trgm_ops);
--> statement-breakpoint
CREATE INDEX "catalogues_name_idx" ON "catalogues" USING hash ("name");
--> statement-breakpoint
ALTER TABLE "catalogue_items" ADD COLUMN "words" text NOT NULL GENERATED ALWAYS AS (
  search_text || coalesce(' ' || fold_text(description), '')) STORED;
--> statement-breakpoint
CREATE INDEX "catalogue_items_words_idx" ON "catalogue_items" USING gin ("words" gin_trgm_ops);
--> statement-breakpoint
ALTER TABLE "annotations" ADD COLUMN "words" text NOT NULL GENERATED ALWAYS AS (
  fold_text(name || ' ' || code || coalesce(' ' || display, ''))) STORED;
--> statement-breakpoint
CREATE INDEX "annotations_words_idx" ON "annotations" USING gin ("words" gin_trgm_ops);
--> statement-breakpoint
CREATE INDEX "annotations_name_idx" ON "annotations" USING btree ("name","id");
