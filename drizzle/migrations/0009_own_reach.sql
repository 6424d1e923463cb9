ALTER TABLE "black_list_entries" DROP CONSTRAINT "black_list_entries_unique";--> statement-breakpoint
ALTER TABLE "parties" ADD COLUMN "registered_by" text;--> statement-breakpoint
ALTER TABLE "black_list_entries" ADD COLUMN "organization" text;--> statement-breakpoint
CREATE INDEX "parties_registered_by_idx" ON "parties" USING btree ("registered_by");--> statement-breakpoint
ALTER TABLE "black_list_entries" ADD CONSTRAINT "black_list_entries_unique" UNIQUE NULLS NOT DISTINCT("patient","item_id","organization");--> statement-breakpoint
-- Older entries take the organization from their audit record, which was written in the same transaction, a moment later.
-- Patients stand in it by their reference or by their HMAC-SHA256, here made of sha256 (RFC 2104). An entry stays without an
-- organization where there is no such record, or where the records of that minute name several organizations, or none.
WITH "pads" AS (
	SELECT
		string_agg(set_byte('\x00', 0, "byte" # 54), '' ORDER BY "at") AS "inner",
		string_agg(set_byte('\x00', 0, "byte" # 92), '' ORDER BY "at") AS "outer"
	FROM "secrets", generate_series(0, 63) AS "at",
		LATERAL (SELECT CASE WHEN "at" < length("value") THEN get_byte("value", "at") ELSE 0 END AS "byte") AS "padded"
	WHERE "name" = 'audit'
), "hashed" AS (
	SELECT "id", "patient", "created_at",
		'hmac-sha256:' || rtrim(translate(encode(
			sha256("outer" || sha256("inner" || convert_to("patient", 'UTF8'))), 'base64'), '+/', '-_'), '=') AS "hash"
	FROM "black_list_entries", "pads"
)
UPDATE "black_list_entries" SET "organization" = (
	SELECT min(regexp_replace("recorded"."organization", '(?<!/)/$', ''))
	FROM "audit_events" AS "recorded"
	WHERE "recorded"."patients" && ARRAY["hashed"."patient", "hashed"."hash"]
		AND "recorded"."operation" = 'createBlackList' AND "recorded"."problem" IS NULL
		AND "recorded"."recorded" >= "hashed"."created_at"
		AND "recorded"."recorded" < "hashed"."created_at" + interval '1 minute'
	HAVING count(DISTINCT coalesce("recorded"."organization", '')) = 1
)
FROM "hashed" WHERE "hashed"."id" = "black_list_entries"."id";
