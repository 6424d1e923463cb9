-- The bytes that a text has within JSON, or a little more: a character that may be escaped counts as six.
CREATE FUNCTION json_bytes_of(value text) RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN CASE WHEN value ~ '["\\\x01-\x1f]'
    THEN octet_length(value) + 5 * length(regexp_replace(value, '[^"\\\x01-\x1f]', '', 'g'))
    ELSE octet_length(value) END;
--> statement-breakpoint
CREATE FUNCTION json_bytes_of(value jsonb) RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN octet_length(value::text);
--> statement-breakpoint
-- What depends on the row of the bytes that it has in a list: a page adds it up without reading the values themselves.
ALTER TABLE "orders" ADD COLUMN "json_bytes" integer NOT NULL GENERATED ALWAYS AS (
  json_bytes_of(identifiers) + coalesce(json_bytes_of(name), 0) + json_bytes_of(status) + json_bytes_of(notes)
  + json_bytes_of(receiver_name) + coalesce(json_bytes_of(receiver_address_line1), 0)
  + coalesce(json_bytes_of(receiver_address_line2), 0) + coalesce(json_bytes_of(receiver_postal_code), 0)
  + coalesce(json_bytes_of(receiver_postal_district), 0) + coalesce(json_bytes_of(receiver_email), 0)
  + coalesce(json_bytes_of(receiver_phone), 0) + json_bytes_of(patient)) STORED;
--> statement-breakpoint
ALTER TABLE "catalogue_items" ADD COLUMN "json_bytes" integer NOT NULL GENERATED ALWAYS AS (
  json_bytes_of(type) + json_bytes_of(identifiers) + json_bytes_of(name) + coalesce(json_bytes_of(description), 0)
  + json_bytes_of(status) + coalesce(json_bytes_of(manufacturer), 0) + coalesce(json_bytes_of(model), 0)
  + coalesce(json_bytes_of(version), 0) + coalesce(json_bytes_of(service_type), 0)) STORED;
--> statement-breakpoint
ALTER TABLE "catalogues" ADD COLUMN "json_bytes" integer NOT NULL GENERATED ALWAYS AS (
  json_bytes_of(identifiers) + json_bytes_of(name) + json_bytes_of(status)) STORED;
