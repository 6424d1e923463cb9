/*
 * The schema of version 1.0.0, by module. The tables.ts of each module declares the same tables, and
 * test/db/schema.test.ts compares these with the database. Only this file has functions, triggers, partitions and
 * storage parameters, which Drizzle cannot declare.
 */

-- Indexes for parts of words. PostgreSQL trusts pg_trgm: a role that may create objects in the database may add it.
CREATE EXTENSION IF NOT EXISTS pg_trgm;

-- Lower case, without the accents of Latin, Greek and Cyrillic letters. Keeps the Danish letters æ, ø and å.
CREATE FUNCTION plain_text(value text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN CASE WHEN octet_length(value) = length(value) THEN lower(value) ELSE
    regexp_replace(
      replace(translate(lower(normalize(value, NFKD)), 'ØĐđÆẞ', 'øddæß'), U&'a\030A', 'å'),
      '[\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]', '', 'g') END;

-- A text as a search compares it, as search-text.ts does. Other white space than spaces separates words.
CREATE FUNCTION fold_text(value text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN replace(replace(replace(replace(
    translate(plain_text(value),
      U&' -/.\00AD\200B\200C\200D\200E\200F\2010\2011\2012\2013\2014\2060\FEFF', ''),
    'å', 'aa'), 'æ', 'ae'), 'ø', 'oe'), 'ß', 'ss');

-- A name as Danish sorts it, for the collation "C": æ, ø and å after z, and aa as å. Limited, because an index and a
-- cursor contain it.
CREATE FUNCTION sort_key(value text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN left(translate(replace(plain_text(value), 'aa', 'å'), 'æøå', '{|}'), 255);

-- The bytes of a text within JSON, or a little more: a character that may be escaped counts as six.
CREATE FUNCTION json_bytes_of(value text) RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN CASE WHEN value ~ '["\\\x01-\x1f]'
    THEN octet_length(value) + 5 * length(regexp_replace(value, '[^"\\\x01-\x1f]', '', 'g'))
    ELSE octet_length(value) END;

CREATE FUNCTION json_bytes_of(value jsonb) RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN octet_length(value::text);

-- A key of a serial number or a lot number without regard to the case of Latin letters and spaces, independent of
-- collations. NFD separates accents from letters. "lower" with "C" changes ASCII letters only. "translate" changes the
-- European letters that have no decomposition, and removes spaces.
CREATE FUNCTION number_key(value text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN normalize(translate(lower(normalize(value, NFD) COLLATE "C"), 'ÆØÐÞĐĦĲĿŁŊŒŦẞ ', 'æøðþđħĳŀłŋœŧß'), NFC);

-- As number_key, of a UDI: also without the prefix of the scanner, parentheses and separators.
CREATE FUNCTION udi_key(value text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN regexp_replace(number_key(value), '^\][a-z][0-9]|[()\x1d]', '', 'g');

-- The other numbers of a device model that may be GTINs, with 14 digits. Null without such a number.
CREATE FUNCTION other_gtins(model jsonb, gtin text) RETURNS text[] LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN (
    SELECT array_agg(lpad(each ->> 'value', 14, '0')) FROM jsonb_array_elements(model -> 'identifiers') each
    WHERE each ->> 'value' ~ '^([0-9]{8}|[0-9]{12,14})$' AND lpad(each ->> 'value', 14, '0') IS DISTINCT FROM gtin);

/*
 * Database access: keys of repeatable requests, shared secrets, fixed settings, replaced
 * organizations
 */

CREATE TABLE idempotency_keys (
  id bytea NOT NULL,
  request bytea NOT NULL,
  result jsonb NOT NULL,
  created_at timestamptz(3) NOT NULL,
  CONSTRAINT idempotency_keys_pk PRIMARY KEY (id)
);
CREATE INDEX idempotency_keys_created_idx ON idempotency_keys (created_at);

CREATE TABLE secrets (
  name text NOT NULL,
  value bytea NOT NULL,
  CONSTRAINT secrets_pk PRIMARY KEY (name)
);

CREATE TABLE fixed_settings (
  name text NOT NULL,
  value text NOT NULL,
  CONSTRAINT fixed_settings_pk PRIMARY KEY (name)
);

CREATE TABLE replaced_organizations (
  organization text NOT NULL,
  replaced_by text NOT NULL,
  CONSTRAINT replaced_organizations_pk PRIMARY KEY (organization)
);

/*
 * Clinical references
 */

-- References to patients whose record was replaced. `moved` has the orders and black list entries that went to the new
-- reference, `joined` the entry that stayed for each entry that was removed because both references had it.
CREATE TABLE patient_aliases (
  reference text NOT NULL,
  replaced_by text NOT NULL,
  moved uuid[] NOT NULL,
  joined jsonb NOT NULL,
  CONSTRAINT patient_aliases_pk PRIMARY KEY (reference)
);
CREATE INDEX patient_aliases_replaced_by_idx ON patient_aliases (replaced_by);

-- The reference under which a patient is stored: the given one, or the last one that replaced it.
CREATE FUNCTION current_patient(sent text) RETURNS text
  LANGUAGE sql STABLE PARALLEL SAFE RETURN (
    WITH RECURSIVE chain (reference, step) AS (
      SELECT sent, 0
      UNION ALL
      SELECT a.replaced_by, chain.step + 1 FROM chain JOIN patient_aliases a ON a.reference = chain.reference)
    SELECT reference FROM chain ORDER BY step DESC LIMIT 1);

-- No order and no black list entry is written with a reference that was replaced. The lock waits for the end of a
-- replacement, and a replacement waits for the end of the write.
CREATE FUNCTION set_current_patient() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  present text;
BEGIN
  LOOP
    PERFORM pg_advisory_xact_lock_shared(hashtextextended('patient ' || NEW.patient, 0));
    SELECT replaced_by INTO present FROM patient_aliases WHERE reference = NEW.patient;
    EXIT WHEN NOT FOUND;
    NEW.patient = present;
  END LOOP;
  RETURN NEW;
END
$$;

-- Until the end of the transaction no row is written with this reference, and its orders stay as they are. The wait is
-- shorter than deadlock_timeout and then releases both, so that PostgreSQL cancels no write that has locked an order.
CREATE FUNCTION lock_patient(reference text) RETURNS void LANGUAGE plpgsql
  SET search_path = public, pg_temp SET lock_timeout = 500 AS $$
BEGIN
  LOOP
    BEGIN
      PERFORM pg_advisory_xact_lock(hashtextextended('patient ' || reference, 0));
      PERFORM FROM orders WHERE patient = reference ORDER BY id FOR NO KEY UPDATE;
      RETURN;
    EXCEPTION WHEN lock_not_available THEN
    END;
  END LOOP;
END
$$;

/*
 * Agreement
 */

CREATE TABLE parties (
  id uuid NOT NULL,
  allowed_roles text[] NOT NULL,
  name text NOT NULL,
  email text,
  organization text NOT NULL,
  registered_by text,
  event_count integer DEFAULT 0 NOT NULL,
  created_at timestamptz(3) NOT NULL,
  words text GENERATED ALWAYS AS (fold_text(name || coalesce(E'\n' || email, ''))) STORED NOT NULL,
  CONSTRAINT parties_pk PRIMARY KEY (id),
  CONSTRAINT parties_organization_unique UNIQUE (id, organization),
  CONSTRAINT parties_roles_known CHECK (allowed_roles <@ ARRAY['BUYER', 'SELLER', 'ACCOUNTING'])
);
CREATE INDEX parties_organization_idx ON parties (organization);
CREATE INDEX parties_registered_by_idx ON parties (registered_by);
CREATE INDEX parties_words_idx ON parties USING gin (words gin_trgm_ops);

CREATE TABLE contracts (
  id uuid NOT NULL,
  name text NOT NULL,
  first_day date NOT NULL,
  last_day date NOT NULL,
  seller_id uuid NOT NULL,
  account_id uuid NOT NULL,
  reminder_days integer,
  expiry_reminder_days integer,
  answer_days integer,
  expiry_reported date,
  event_count integer DEFAULT 0 NOT NULL,
  created_at timestamptz(3) NOT NULL,
  CONSTRAINT contracts_pk PRIMARY KEY (id),
  CONSTRAINT contracts_seller_fk FOREIGN KEY (seller_id) REFERENCES parties (id),
  CONSTRAINT contracts_account_fk FOREIGN KEY (account_id) REFERENCES parties (id),
  CONSTRAINT contracts_days_ordered CHECK (first_day <= last_day)
);
CREATE INDEX contracts_seller_idx ON contracts (seller_id, last_day);
CREATE INDEX contracts_account_idx ON contracts (account_id);

CREATE TABLE contract_buyers (
  contract_id uuid NOT NULL,
  position integer NOT NULL,
  buyer_id uuid NOT NULL,
  CONSTRAINT contract_buyers_pk PRIMARY KEY (contract_id, buyer_id),
  CONSTRAINT contract_buyers_contract_fk FOREIGN KEY (contract_id) REFERENCES contracts (id),
  CONSTRAINT contract_buyers_buyer_fk FOREIGN KEY (buyer_id) REFERENCES parties (id)
);
CREATE INDEX contract_buyers_buyer_idx ON contract_buyers (buyer_id, contract_id);

/*
 * Catalogue
 */

CREATE TABLE catalogues (
  id uuid NOT NULL,
  identifiers jsonb NOT NULL,
  seller_id uuid NOT NULL,
  name text NOT NULL,
  status text NOT NULL,
  event_count integer DEFAULT 0 NOT NULL,
  created_at timestamptz(3) NOT NULL,
  json_bytes integer GENERATED ALWAYS AS (
    json_bytes_of(identifiers) + json_bytes_of(name) + json_bytes_of(status)) STORED NOT NULL,
  words text GENERATED ALWAYS AS (fold_text(name)) STORED NOT NULL,
  CONSTRAINT catalogues_pk PRIMARY KEY (id),
  CONSTRAINT catalogues_seller_fk FOREIGN KEY (seller_id) REFERENCES parties (id),
  CONSTRAINT catalogues_status_known CHECK (status IN ('DRAFT', 'ACTIVE', 'INACTIVE'))
);
CREATE INDEX catalogues_seller_idx ON catalogues (seller_id, status);
-- A hash, because a name can exceed the maximum size of a row of a B-tree.
CREATE INDEX catalogues_name_idx ON catalogues USING hash (name);
CREATE INDEX catalogues_words_idx ON catalogues USING gin (words gin_trgm_ops);
CREATE INDEX catalogues_identifiers_idx ON catalogues USING gin (identifiers jsonb_path_ops);

CREATE TABLE catalogue_items (
  id uuid NOT NULL,
  catalogue_id uuid NOT NULL,
  type text NOT NULL,
  identifiers jsonb NOT NULL,
  name text NOT NULL,
  description text,
  status text NOT NULL,
  manufacturer text,
  model text,
  version text,
  related_to_id uuid,
  service_type text,
  search_text text NOT NULL,
  event_count integer DEFAULT 0 NOT NULL,
  created_at timestamptz(3) NOT NULL,
  withdrawn_at timestamptz(3),
  json_bytes integer GENERATED ALWAYS AS (
    json_bytes_of(type) + json_bytes_of(identifiers) + json_bytes_of(name) + coalesce(json_bytes_of(description), 0)
    + json_bytes_of(status) + coalesce(json_bytes_of(manufacturer), 0) + coalesce(json_bytes_of(model), 0)
    + coalesce(json_bytes_of(version), 0) + coalesce(json_bytes_of(service_type), 0)) STORED NOT NULL,
  sort_name text COLLATE "C" GENERATED ALWAYS AS (sort_key(name)) STORED NOT NULL,
  words text GENERATED ALWAYS AS (
    search_text || coalesce(E'\n' || fold_text(replace(description, ' ', E'\n')), '')) STORED NOT NULL,
  CONSTRAINT catalogue_items_pk PRIMARY KEY (id),
  CONSTRAINT catalogue_items_catalogue_fk FOREIGN KEY (catalogue_id) REFERENCES catalogues (id),
  CONSTRAINT catalogue_items_related_to_fk FOREIGN KEY (related_to_id) REFERENCES catalogue_items (id),
  CONSTRAINT catalogue_items_status_known CHECK (status IN ('AVAILABLE', 'UNAVAILABLE', 'DISCONTINUED')),
  CONSTRAINT catalogue_items_members_of_type CHECK (
    CASE type
      WHEN 'DeviceModel' THEN manufacturer IS NOT NULL AND model IS NOT NULL AND service_type IS NULL
        AND related_to_id IS NULL
      WHEN 'Service' THEN service_type IS NOT NULL AND manufacturer IS NULL AND model IS NULL AND version IS NULL
      ELSE false
    END)
);
CREATE INDEX catalogue_items_catalogue_idx ON catalogue_items (catalogue_id, sort_name, id);
CREATE INDEX catalogue_items_related_to_idx ON catalogue_items (related_to_id);
CREATE INDEX catalogue_items_words_idx ON catalogue_items USING gin (words gin_trgm_ops);
CREATE INDEX catalogue_items_identifiers_idx ON catalogue_items USING gin (identifiers jsonb_path_ops);

CREATE TABLE item_identifiers (
  catalogue_id uuid NOT NULL,
  digest text NOT NULL,
  item_id uuid NOT NULL,
  CONSTRAINT item_identifiers_pk PRIMARY KEY (catalogue_id, digest),
  CONSTRAINT item_identifiers_catalogue_fk FOREIGN KEY (catalogue_id) REFERENCES catalogues (id),
  CONSTRAINT item_identifiers_item_fk FOREIGN KEY (item_id) REFERENCES catalogue_items (id)
);
CREATE INDEX item_identifiers_item_idx ON item_identifiers (item_id);

CREATE TABLE annotations (
  id uuid NOT NULL,
  item_id uuid NOT NULL,
  buyer_id uuid NOT NULL,
  name text NOT NULL,
  system text NOT NULL,
  code text NOT NULL,
  display text,
  event_count integer DEFAULT 0 NOT NULL,
  created_at timestamptz(3) NOT NULL,
  words text GENERATED ALWAYS AS (fold_text(name || E'\n' || code || coalesce(E'\n' || display, ''))) STORED NOT NULL,
  CONSTRAINT annotations_pk PRIMARY KEY (id),
  CONSTRAINT annotations_item_fk FOREIGN KEY (item_id) REFERENCES catalogue_items (id),
  CONSTRAINT annotations_buyer_fk FOREIGN KEY (buyer_id) REFERENCES parties (id),
  CONSTRAINT annotations_value_unique UNIQUE (item_id, buyer_id, name, system, code)
);
CREATE INDEX annotations_search_idx ON annotations (buyer_id, name, system, code, item_id);
CREATE INDEX annotations_name_idx ON annotations (name, id);
CREATE INDEX annotations_words_idx ON annotations USING gin (words gin_trgm_ops);

CREATE TABLE white_list_entries (
  id uuid NOT NULL,
  buyer_id uuid NOT NULL,
  item_id uuid NOT NULL,
  created_at timestamptz(3) NOT NULL,
  CONSTRAINT white_list_entries_pk PRIMARY KEY (id),
  CONSTRAINT white_list_entries_buyer_fk FOREIGN KEY (buyer_id) REFERENCES parties (id),
  CONSTRAINT white_list_entries_item_fk FOREIGN KEY (item_id) REFERENCES catalogue_items (id),
  CONSTRAINT white_list_entries_unique UNIQUE (buyer_id, item_id)
);
CREATE INDEX white_list_entries_item_idx ON white_list_entries (item_id);

CREATE TABLE catalogue_imports (
  id uuid NOT NULL,
  catalogue_id uuid NOT NULL,
  seller_id uuid NOT NULL,
  undoes uuid,
  user_type text NOT NULL,
  user_id text,
  organization text,
  file_name text,
  counts jsonb NOT NULL,
  recorded_at timestamptz(3) NOT NULL,
  former jsonb,
  created jsonb,
  event_count bigint,
  CONSTRAINT catalogue_imports_pk PRIMARY KEY (id),
  CONSTRAINT catalogue_imports_catalogue_fk FOREIGN KEY (catalogue_id) REFERENCES catalogues (id),
  CONSTRAINT catalogue_imports_seller_fk FOREIGN KEY (seller_id) REFERENCES parties (id),
  CONSTRAINT catalogue_imports_undoes_fk FOREIGN KEY (undoes) REFERENCES catalogue_imports (id),
  CONSTRAINT catalogue_imports_undone_once UNIQUE (undoes),
  CONSTRAINT catalogue_imports_in_order UNIQUE (catalogue_id, recorded_at)
);
CREATE INDEX catalogue_imports_recorded_idx ON catalogue_imports (recorded_at, id);

CREATE TABLE black_list_entries (
  id uuid NOT NULL,
  patient text NOT NULL,
  item_id uuid NOT NULL,
  organization text NOT NULL,
  created_at timestamptz(3) NOT NULL,
  CONSTRAINT black_list_entries_pk PRIMARY KEY (id),
  CONSTRAINT black_list_entries_item_fk FOREIGN KEY (item_id) REFERENCES catalogue_items (id),
  CONSTRAINT black_list_entries_unique UNIQUE (patient, item_id, organization)
);
CREATE INDEX black_list_entries_item_idx ON black_list_entries (item_id);
CREATE TRIGGER black_list_entries_patient BEFORE INSERT OR UPDATE OF patient ON black_list_entries
  FOR EACH ROW EXECUTE FUNCTION set_current_patient();

/*
 * Order
 */

CREATE SEQUENCE order_numbers MAXVALUE 1099511627775;

INSERT INTO secrets VALUES ('order-numbers', uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()));

-- Eight digits of Crockford's base 32: a Feistel network of 40 bits, so numbers are unique. Its key is secret, because
-- numbers must not show how many orders there are.
CREATE FUNCTION order_number(n bigint) RETURNS text LANGUAGE sql STABLE PARALLEL SAFE SET search_path = public, pg_temp AS $$
  WITH RECURSIVE rounds (round, high, low) AS (
    SELECT 0::bigint, n >> 20, n & 1048575
    UNION ALL
    SELECT round + 1, low,
      high # ('x' || left(encode(sha256(value || int8send(round << 20 | low)), 'hex'), 5))::bit(20)::bigint
    FROM rounds, secrets WHERE round < 4 AND name = 'order-numbers')
  SELECT overlay(string_agg(
    substr('0123456789ABCDEFGHJKMNPQRSTVWXYZ', 1 + ((high << 20 | low) >> 5 * digit & 31)::integer, 1), '' ORDER BY digit)
    PLACING '-' FROM 5 FOR 0)
  FROM rounds, generate_series(0, 7) digit WHERE round = 4
$$;

CREATE TABLE orders (
  id uuid NOT NULL,
  number text DEFAULT order_number(nextval('order_numbers')) NOT NULL,
  identifiers jsonb NOT NULL,
  name text,
  status text NOT NULL,
  status_reason_code text,
  status_reason_text text,
  priority boolean NOT NULL,
  notes jsonb NOT NULL,
  buyer_id uuid NOT NULL,
  seller_id uuid NOT NULL,
  buyer_organization text NOT NULL,
  seller_organization text NOT NULL,
  receiver_name text NOT NULL,
  receiver_address_line1 text,
  receiver_address_line2 text,
  receiver_postal_code text,
  receiver_postal_district text,
  receiver_email text,
  receiver_phone text,
  receiver_patient_name text,
  patient text NOT NULL,
  search_text text NOT NULL,
  revision integer NOT NULL,
  trace_count integer NOT NULL,
  event_count integer DEFAULT 0 NOT NULL,
  created_at timestamptz(3) NOT NULL,
  changed_at timestamptz(3) NOT NULL,
  submitted_at timestamptz(3),
  answered_at timestamptz(3),
  deleted_at timestamptz(3),
  earliest_delivery_date date,
  latest_delivery_date date,
  awaiting text,
  has_returned_line boolean DEFAULT false NOT NULL,
  was_returned boolean DEFAULT false NOT NULL,
  was_late boolean DEFAULT false NOT NULL,
  answer_due_at timestamptz(3),
  delivery_due_at timestamptz(3),
  due_at timestamptz(3) GENERATED ALWAYS AS (
    CASE WHEN answered_at IS NULL THEN least(answer_due_at, delivery_due_at) ELSE delivery_due_at END) STORED,
  json_bytes integer GENERATED ALWAYS AS (
    json_bytes_of(identifiers) + coalesce(json_bytes_of(name), 0) + json_bytes_of(status) + json_bytes_of(notes)
    + json_bytes_of(receiver_name) + coalesce(json_bytes_of(receiver_address_line1), 0)
    + coalesce(json_bytes_of(receiver_address_line2), 0) + coalesce(json_bytes_of(receiver_postal_code), 0)
    + coalesce(json_bytes_of(receiver_postal_district), 0) + coalesce(json_bytes_of(receiver_email), 0)
    + coalesce(json_bytes_of(receiver_phone), 0) + coalesce(json_bytes_of(receiver_patient_name), 0)
    + json_bytes_of(patient)) STORED NOT NULL,
  CONSTRAINT orders_pk PRIMARY KEY (id),
  CONSTRAINT orders_number_unique UNIQUE (number),
  CONSTRAINT orders_buyer_fk FOREIGN KEY (buyer_id, buyer_organization) REFERENCES parties (id, organization)
    ON UPDATE CASCADE,
  CONSTRAINT orders_seller_fk FOREIGN KEY (seller_id, seller_organization) REFERENCES parties (id, organization)
    ON UPDATE CASCADE,
  CONSTRAINT orders_status_known CHECK (
    status IN ('DRAFT', 'SUBMITTED', 'ACCEPTED', 'REJECTED', 'FULFILLED', 'CANCELLED')),
  CONSTRAINT orders_submitted CHECK (status IN ('DRAFT', 'CANCELLED') OR submitted_at IS NOT NULL),
  CONSTRAINT orders_draft_unsubmitted CHECK (status <> 'DRAFT' OR submitted_at IS NULL),
  CONSTRAINT orders_deleted_draft CHECK (deleted_at IS NULL OR status = 'DRAFT')
);
-- Lists read the orders of an organization on one side. A count of them reads the indexes by status only.
CREATE INDEX orders_buyer_status_idx ON orders (buyer_organization, status, id, buyer_id) WHERE deleted_at IS NULL;
CREATE INDEX orders_seller_status_idx ON orders (seller_organization, status, id, seller_id)
  WHERE submitted_at IS NOT NULL AND deleted_at IS NULL;
CREATE INDEX orders_buyer_changed_idx ON orders (buyer_organization, changed_at, id) WHERE deleted_at IS NULL;
CREATE INDEX orders_seller_changed_idx ON orders (seller_organization, changed_at, id)
  WHERE submitted_at IS NOT NULL AND deleted_at IS NULL;
CREATE INDEX orders_buyer_due_idx ON orders (buyer_organization, coalesce(due_at, 'infinity'), id)
  WHERE status IN ('SUBMITTED', 'ACCEPTED');
CREATE INDEX orders_seller_due_idx ON orders (seller_organization, coalesce(due_at, 'infinity'), id)
  WHERE status IN ('SUBMITTED', 'ACCEPTED');
-- Orders of an organization with one party of the other side. The foreign keys use these indexes.
CREATE INDEX orders_seller_partner_idx ON orders (seller_id, buyer_organization, status, id);
CREATE INDEX orders_buyer_partner_idx ON orders (buyer_id, seller_organization, status, id);
CREATE INDEX orders_patient_idx ON orders (patient, id);
CREATE INDEX orders_identifiers_idx ON orders USING gin (identifiers jsonb_path_ops);

-- Orders and devices have the organizations of their parties, and nothing else writes these columns. A change of the
-- organization of a party reaches them by the foreign keys. The lock waits for the end of such a change.
CREATE FUNCTION set_organizations() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  SELECT organization INTO NEW.buyer_organization FROM parties WHERE id = NEW.buyer_id FOR KEY SHARE;
  SELECT organization INTO NEW.seller_organization FROM parties WHERE id = NEW.seller_id FOR KEY SHARE;
  RETURN NEW;
END
$$;
CREATE TRIGGER orders_organizations_inserted BEFORE INSERT ON orders
  FOR EACH ROW EXECUTE FUNCTION set_organizations();
CREATE TRIGGER orders_organizations_changed BEFORE UPDATE OF buyer_id, seller_id ON orders FOR EACH ROW
  WHEN (OLD.buyer_id <> NEW.buyer_id OR OLD.seller_id <> NEW.seller_id) EXECUTE FUNCTION set_organizations();
CREATE TRIGGER orders_patient_inserted BEFORE INSERT ON orders FOR EACH ROW EXECUTE FUNCTION set_current_patient();
CREATE TRIGGER orders_patient_changed BEFORE UPDATE OF patient ON orders FOR EACH ROW
  WHEN (OLD.patient <> NEW.patient) EXECUTE FUNCTION set_current_patient();

CREATE TABLE order_lines (
  id uuid NOT NULL,
  order_id uuid NOT NULL,
  item_id uuid NOT NULL,
  status text NOT NULL,
  status_reason_code text,
  status_reason_text text,
  action text NOT NULL,
  event_count integer DEFAULT 0 NOT NULL,
  created_at timestamptz(3) NOT NULL,
  deleted_at timestamptz(3),
  related_to uuid,
  agreed_from timestamptz(3),
  agreed_to timestamptz(3),
  closed_at timestamptz(3),
  performed_at timestamptz(3),
  received_by text,
  took_end_back boolean DEFAULT false NOT NULL,
  ordered_item jsonb,
  buyer_organization text NOT NULL,
  seller_organization text NOT NULL,
  patient text NOT NULL,
  submitted_at timestamptz(3),
  CONSTRAINT order_lines_pk PRIMARY KEY (order_id, id),
  CONSTRAINT order_lines_order_fk FOREIGN KEY (order_id) REFERENCES orders (id),
  CONSTRAINT order_lines_item_fk FOREIGN KEY (item_id) REFERENCES catalogue_items (id),
  CONSTRAINT order_lines_id_unique UNIQUE (id),
  CONSTRAINT order_lines_status_known CHECK (status IN ('UNFULFILLED', 'SUBMITTED', 'FULFILLED', 'CANCELLED'))
);
CREATE INDEX order_lines_buyer_status_idx ON order_lines (buyer_organization, status, order_id, id)
  WHERE deleted_at IS NULL;
CREATE INDEX order_lines_seller_status_idx ON order_lines (seller_organization, status, order_id, id)
  WHERE submitted_at IS NOT NULL AND deleted_at IS NULL;
CREATE INDEX order_lines_buyer_agreed_idx ON order_lines (buyer_organization, agreed_from, id, agreed_to)
  WHERE agreed_from IS NOT NULL;
CREATE INDEX order_lines_seller_agreed_idx ON order_lines (seller_organization, agreed_from, id, agreed_to)
  WHERE agreed_from IS NOT NULL;
CREATE INDEX order_lines_patient_idx ON order_lines (patient, order_id, id);
CREATE INDEX order_lines_buyer_item_idx ON order_lines (item_id, buyer_organization, order_id, id);
CREATE INDEX order_lines_seller_item_idx ON order_lines (item_id, seller_organization, order_id, id);
CREATE INDEX order_lines_related_idx ON order_lines (related_to) WHERE related_to IS NOT NULL;

-- Lines have what decides who sees them from their order, and nothing else writes these columns.
CREATE FUNCTION copy_order_to_new_line() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  SELECT buyer_organization, seller_organization, patient, submitted_at
    INTO NEW.buyer_organization, NEW.seller_organization, NEW.patient, NEW.submitted_at
    FROM orders WHERE id = NEW.order_id;
  RETURN NEW;
END
$$;
CREATE TRIGGER order_lines_inserted BEFORE INSERT ON order_lines
  FOR EACH ROW EXECUTE FUNCTION copy_order_to_new_line();

CREATE FUNCTION copy_order_to_lines() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  UPDATE order_lines SET buyer_organization = NEW.buyer_organization, seller_organization = NEW.seller_organization,
    patient = NEW.patient, submitted_at = NEW.submitted_at, deleted_at = coalesce(deleted_at, NEW.deleted_at)
    WHERE order_id = NEW.id;
  RETURN NULL;
END
$$;
CREATE TRIGGER orders_changed AFTER UPDATE ON orders FOR EACH ROW
  WHEN (OLD.buyer_organization IS DISTINCT FROM NEW.buyer_organization
    OR OLD.seller_organization IS DISTINCT FROM NEW.seller_organization
    OR OLD.patient IS DISTINCT FROM NEW.patient
    OR OLD.submitted_at IS DISTINCT FROM NEW.submitted_at
    OR OLD.deleted_at IS DISTINCT FROM NEW.deleted_at)
  EXECUTE FUNCTION copy_order_to_lines();

CREATE TABLE trace_lines (
  id uuid NOT NULL,
  order_id uuid NOT NULL,
  seq integer NOT NULL,
  timestamp timestamptz(3) NOT NULL,
  created_by_organization text NOT NULL,
  code text NOT NULL,
  text text NOT NULL,
  supplementary_text text NOT NULL,
  order_line_id uuid,
  old_status text,
  new_status text,
  CONSTRAINT trace_lines_pk PRIMARY KEY (order_id, id),
  CONSTRAINT trace_lines_order_fk FOREIGN KEY (order_id) REFERENCES orders (id),
  CONSTRAINT trace_lines_order_line_fk FOREIGN KEY (order_id, order_line_id) REFERENCES order_lines (order_id, id),
  CONSTRAINT trace_lines_id_unique UNIQUE (id),
  CONSTRAINT trace_lines_seq_unique UNIQUE (order_id, seq),
  CONSTRAINT trace_lines_change_complete CHECK ((old_status IS NULL) = (new_status IS NULL))
);

-- No role changes or removes the trace of an order, with one exception: the owner of the table removes an order with
-- its trace, in a transaction that names this change and itself in ssl_backend.operator_change. A setting that outlives
-- its transaction therefore permits nothing.
CREATE FUNCTION refuse_trace_change() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF TG_OP = 'DELETE'
    AND current_setting('ssl_backend.operator_change', true) = 'remove orders ' || pg_current_xact_id()
    AND pg_has_role((SELECT relowner FROM pg_class WHERE oid = TG_RELID), 'USAGE')
  THEN
    RETURN OLD;
  END IF;
  RAISE EXCEPTION 'trace lines are append-only: % is refused', TG_OP USING ERRCODE = 'restrict_violation';
END
$$;
CREATE TRIGGER trace_lines_append_only BEFORE UPDATE OR DELETE ON trace_lines
  FOR EACH ROW EXECUTE FUNCTION refuse_trace_change();
CREATE TRIGGER trace_lines_no_truncate BEFORE TRUNCATE ON trace_lines
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_trace_change();

CREATE TABLE devices (
  line_id uuid NOT NULL,
  order_id uuid NOT NULL,
  buyer_id uuid NOT NULL,
  seller_id uuid NOT NULL,
  buyer_organization text NOT NULL,
  seller_organization text NOT NULL,
  item_id uuid NOT NULL,
  model jsonb NOT NULL,
  serial_number text,
  lot_number text,
  udi text,
  gtin text,
  expiry_date text,
  used_from timestamptz(3) NOT NULL,
  used_until timestamptz(3),
  end_reason text,
  ended_by uuid,
  is_orderable boolean DEFAULT true NOT NULL,
  words text GENERATED ALWAYS AS (
    fold_text(coalesce(serial_number, '') || E'\n' || coalesce(lot_number, ''))) STORED NOT NULL,
  other_gtins text[] GENERATED ALWAYS AS (other_gtins(model, gtin)) STORED,
  CONSTRAINT devices_pk PRIMARY KEY (line_id),
  CONSTRAINT devices_line_fk FOREIGN KEY (order_id, line_id) REFERENCES order_lines (order_id, id),
  CONSTRAINT devices_buyer_fk FOREIGN KEY (buyer_id, buyer_organization) REFERENCES parties (id, organization)
    ON UPDATE CASCADE,
  CONSTRAINT devices_seller_fk FOREIGN KEY (seller_id, seller_organization) REFERENCES parties (id, organization)
    ON UPDATE CASCADE,
  CONSTRAINT devices_item_fk FOREIGN KEY (item_id) REFERENCES catalogue_items (id),
  CONSTRAINT devices_end_complete CHECK ((used_until IS NULL) = (end_reason IS NULL))
);
CREATE INDEX devices_order_idx ON devices (order_id);
CREATE INDEX devices_buyer_in_use_idx ON devices (buyer_organization, (used_until IS NULL), order_id, line_id);
CREATE INDEX devices_seller_in_use_idx ON devices (seller_organization, (used_until IS NULL), order_id, line_id);
CREATE INDEX devices_item_idx ON devices (item_id, buyer_organization, seller_organization);
CREATE INDEX devices_lot_number_idx ON devices (number_key(lot_number), buyer_organization, seller_organization)
  WHERE lot_number IS NOT NULL;
CREATE INDEX devices_serial_number_idx ON devices (number_key(serial_number), buyer_organization, seller_organization)
  WHERE serial_number IS NOT NULL;
CREATE INDEX devices_udi_idx ON devices (udi_key(udi), buyer_organization, seller_organization) WHERE udi IS NOT NULL;
CREATE INDEX devices_gtin_idx ON devices (gtin, buyer_organization, seller_organization) WHERE gtin IS NOT NULL;
CREATE INDEX devices_other_gtins_idx ON devices USING gin (other_gtins) WHERE other_gtins IS NOT NULL;
CREATE INDEX devices_words_idx ON devices USING gin (words gin_trgm_ops);
CREATE TRIGGER devices_organizations_inserted BEFORE INSERT ON devices
  FOR EACH ROW EXECUTE FUNCTION set_organizations();
CREATE TRIGGER devices_organizations_changed BEFORE UPDATE OF buyer_id, seller_id ON devices FOR EACH ROW
  WHEN (OLD.buyer_id <> NEW.buyer_id OR OLD.seller_id <> NEW.seller_id) EXECUTE FUNCTION set_organizations();

CREATE TABLE reminders (
  subject_id uuid NOT NULL,
  kind text NOT NULL,
  due_at timestamptz(3) NOT NULL,
  CONSTRAINT reminders_pk PRIMARY KEY (subject_id, kind, due_at),
  CONSTRAINT reminders_kind_known CHECK (kind IN ('UNANSWERED', 'LATE', 'DELIVERY_DUE'))
);

/*
 * Audit record, partitioned by the month of "recorded" in UTC
 */

CREATE TABLE audit_events (
  id uuid NOT NULL,
  recorded timestamptz(3) NOT NULL,
  request_id text NOT NULL,
  operation text NOT NULL,
  interaction text NOT NULL,
  problem text,
  user_type text NOT NULL,
  user_id text,
  organization text,
  patients bytea[] NOT NULL,
  orders uuid[] NOT NULL,
  same_as uuid,
  CONSTRAINT audit_events_pk PRIMARY KEY (id, recorded),
  CONSTRAINT audit_events_paired CHECK (cardinality(patients) = cardinality(orders)),
  CONSTRAINT audit_events_named_once CHECK (same_as IS NULL OR cardinality(orders) = 0)
) PARTITION BY RANGE (recorded);
-- Hashes and ids cannot be compressed, and the attempt takes longer than the write.
ALTER TABLE audit_events ALTER COLUMN patients SET STORAGE EXTERNAL, ALTER COLUMN orders SET STORAGE EXTERNAL;
CREATE INDEX audit_events_organization_idx ON audit_events (organization, recorded, id);
CREATE INDEX audit_events_patients_idx ON audit_events USING gin (patients);
CREATE INDEX audit_events_orders_idx ON audit_events USING gin (orders);
CREATE INDEX audit_events_same_as_idx ON audit_events (same_as) WHERE same_as IS NOT NULL;

-- No role changes or removes an audit record.
CREATE FUNCTION refuse_audit_change() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  RAISE EXCEPTION 'audit events are append-only: % is refused', TG_OP USING ERRCODE = 'restrict_violation';
END
$$;
CREATE TRIGGER audit_events_append_only BEFORE UPDATE OR DELETE ON audit_events
  FOR EACH ROW EXECUTE FUNCTION refuse_audit_change();
CREATE TRIGGER audit_events_no_truncate BEFORE TRUNCATE ON audit_events
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_change();

-- Creates the missing partitions of this month and the next three. A table is attached only once it is complete:
-- creating it as a partition would block inserts.
CREATE FUNCTION prepare_audit_partitions() RETURNS void LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = public, pg_temp SET timezone = 'UTC' AS $$
DECLARE
  month timestamptz;
  partition text;
BEGIN
  PERFORM pg_advisory_xact_lock(5417265);
  FOR ahead IN 0..3 LOOP
    month := date_trunc('month', now()) + ahead * interval '1 month';
    partition := 'audit_events_' || to_char(month, 'YYYY_MM');
    CONTINUE WHEN to_regclass(partition) IS NOT NULL;
    EXECUTE format('CREATE TABLE %I (LIKE audit_events INCLUDING ALL)', partition);
    EXECUTE format('CREATE TRIGGER audit_events_no_truncate BEFORE TRUNCATE ON %I
      FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_change()', partition);
    EXECUTE format('ALTER TABLE audit_events ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)',
      partition, month, month + interval '1 month');
  END LOOP;
END
$$;

/*
 * Ledger of events, partitioned by the month of "time" in UTC
 */

CREATE SEQUENCE event_positions;

CREATE TABLE events (
  position bigint DEFAULT nextval('event_positions') NOT NULL,
  time timestamptz(3) NOT NULL,
  id uuid NOT NULL,
  type text NOT NULL,
  change text NOT NULL,
  subject_id uuid NOT NULL,
  owner_id uuid NOT NULL,
  sequence integer NOT NULL,
  old_status text,
  new_status text,
  is_of_draft boolean NOT NULL,
  traceparent text,
  CONSTRAINT events_pk PRIMARY KEY (position, time),
  CONSTRAINT events_change_known CHECK (change IN ('created', 'changed', 'deleted'))
) PARTITION BY RANGE (time);

CREATE FUNCTION refuse_event_change() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  RAISE EXCEPTION 'events are append-only: % is refused', TG_OP USING ERRCODE = 'restrict_violation';
END
$$;
CREATE TRIGGER events_append_only BEFORE UPDATE OR DELETE ON events
  FOR EACH ROW EXECUTE FUNCTION refuse_event_change();
CREATE TRIGGER events_no_truncate BEFORE TRUNCATE ON events
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_event_change();

-- As prepare_audit_partitions.
CREATE FUNCTION prepare_event_partitions() RETURNS void LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = public, pg_temp SET timezone = 'UTC' AS $$
DECLARE
  month timestamptz;
  suffix text;
BEGIN
  PERFORM pg_advisory_xact_lock(5417266);
  FOR ahead IN 0..3 LOOP
    month := date_trunc('month', now()) + ahead * interval '1 month';
    suffix := to_char(month, '_YYYY_MM');
    CONTINUE WHEN to_regclass('events' || suffix) IS NOT NULL;
    EXECUTE format('CREATE TABLE events%s (LIKE events INCLUDING ALL)', suffix);
    EXECUTE format('CREATE TRIGGER events_no_truncate BEFORE TRUNCATE ON events%s
      FOR EACH STATEMENT EXECUTE FUNCTION refuse_event_change()', suffix);
    EXECUTE format('ALTER TABLE events ATTACH PARTITION events%s FOR VALUES FROM (%L) TO (%L)',
      suffix, month, month + interval '1 month');
  END LOOP;
END
$$;

-- The first partition of both tables accepts all earlier times.
DO $$
DECLARE
  month timestamptz := date_trunc('month', now(), 'UTC');
  suffix text := to_char(month AT TIME ZONE 'UTC', '_YYYY_MM');
  next_month timestamptz := (month AT TIME ZONE 'UTC' + interval '1 month') AT TIME ZONE 'UTC';
BEGIN
  EXECUTE format('CREATE TABLE audit_events%s PARTITION OF audit_events FOR VALUES FROM (MINVALUE) TO (%L)',
    suffix, next_month);
  EXECUTE format('CREATE TRIGGER audit_events_no_truncate BEFORE TRUNCATE ON audit_events%s
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_change()', suffix);
  EXECUTE format('CREATE TABLE events%s PARTITION OF events FOR VALUES FROM (MINVALUE) TO (%L)', suffix, next_month);
  EXECUTE format('CREATE TRIGGER events_no_truncate BEFORE TRUNCATE ON events%s
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_event_change()', suffix);
END
$$;
SELECT prepare_audit_partitions(), prepare_event_partitions();

/*
 * Webhooks
 */

CREATE TABLE subscriptions (
  id uuid NOT NULL,
  organization text NOT NULL,
  target text NOT NULL,
  types text[] NOT NULL,
  user_type text NOT NULL,
  user_id text,
  permissions text[] NOT NULL,
  status text NOT NULL,
  status_reason text,
  revision integer NOT NULL,
  test_id uuid,
  test_at timestamptz(3),
  test_type text,
  test_count integer NOT NULL,
  created_at timestamptz(3) NOT NULL,
  CONSTRAINT subscriptions_pk PRIMARY KEY (id),
  CONSTRAINT subscriptions_status_known CHECK (status IN ('PENDING', 'ACTIVE', 'PAUSED', 'SUSPENDED', 'ENDED'))
);
CREATE INDEX subscriptions_organization_idx ON subscriptions (organization, id);

CREATE TABLE subscription_secrets (
  id uuid NOT NULL,
  subscription_id uuid NOT NULL,
  sealed bytea NOT NULL,
  valid_until timestamptz(3),
  CONSTRAINT subscription_secrets_pk PRIMARY KEY (subscription_id, id),
  CONSTRAINT subscription_secrets_subscription_fk FOREIGN KEY (subscription_id) REFERENCES subscriptions (id)
);

CREATE TABLE subscription_deliveries (
  subscription_id uuid NOT NULL,
  position bigint NOT NULL,
  position_at timestamptz(3) NOT NULL,
  failures integer NOT NULL,
  next_attempt_at timestamptz(3),
  lease uuid,
  lease_until timestamptz(3),
  attempts jsonb NOT NULL,
  CONSTRAINT subscription_deliveries_pk PRIMARY KEY (subscription_id),
  CONSTRAINT subscription_deliveries_subscription_fk FOREIGN KEY (subscription_id) REFERENCES subscriptions (id)
);
