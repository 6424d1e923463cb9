CREATE TABLE "contract_buyers" (
	"contract_id" uuid NOT NULL,
	"position" integer NOT NULL,
	"buyer_id" uuid NOT NULL,
	CONSTRAINT "contract_buyers_pk" PRIMARY KEY("contract_id","buyer_id")
);
--> statement-breakpoint
CREATE TABLE "contracts" (
	"id" uuid NOT NULL,
	"name" text NOT NULL,
	"first_day" date NOT NULL,
	"last_day" date NOT NULL,
	"seller_id" uuid NOT NULL,
	"account_id" uuid NOT NULL,
	"reminder_days" integer,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "contracts_pk" PRIMARY KEY("id"),
	CONSTRAINT "contracts_days_ordered" CHECK ("contracts"."first_day" <= "contracts"."last_day")
);
--> statement-breakpoint
CREATE TABLE "parties" (
	"id" uuid NOT NULL,
	"allowed_roles" text[] NOT NULL,
	"name" text NOT NULL,
	"email" text,
	"organization" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "parties_pk" PRIMARY KEY("id"),
	CONSTRAINT "parties_roles_known" CHECK ("parties"."allowed_roles" <@ array['BUYER','SELLER','ACCOUNTING'])
);
--> statement-breakpoint
CREATE TABLE "annotations" (
	"id" uuid NOT NULL,
	"item_id" uuid NOT NULL,
	"buyer_id" uuid NOT NULL,
	"name" text NOT NULL,
	"system" text NOT NULL,
	"code" text NOT NULL,
	"display" text,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "annotations_pk" PRIMARY KEY("id"),
	CONSTRAINT "annotations_value_unique" UNIQUE("item_id","buyer_id","name","system","code")
);
--> statement-breakpoint
CREATE TABLE "black_list_entries" (
	"id" uuid NOT NULL,
	"patient" text NOT NULL,
	"item_id" uuid NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "black_list_entries_pk" PRIMARY KEY("id"),
	CONSTRAINT "black_list_entries_unique" UNIQUE("patient","item_id")
);
--> statement-breakpoint
CREATE TABLE "catalogue_items" (
	"id" uuid NOT NULL,
	"catalogue_id" uuid NOT NULL,
	"type" text NOT NULL,
	"identifiers" jsonb NOT NULL,
	"name" text NOT NULL,
	"description" text,
	"status" text NOT NULL,
	"manufacturer" text,
	"model" text,
	"version" text,
	"related_to_id" uuid,
	"service_type" text,
	"search_text" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "catalogue_items_pk" PRIMARY KEY("id"),
	CONSTRAINT "catalogue_items_status_known" CHECK ("catalogue_items"."status" in ('AVAILABLE','UNAVAILABLE','DISCONTINUED')),
	CONSTRAINT "catalogue_items_members_of_type" CHECK (case "catalogue_items"."type"
        when 'DeviceModel' then "catalogue_items"."manufacturer" is not null and "catalogue_items"."model" is not null and "catalogue_items"."service_type" is null and "catalogue_items"."related_to_id" is null
        when 'Service' then "catalogue_items"."service_type" is not null and "catalogue_items"."manufacturer" is null and "catalogue_items"."model" is null and "catalogue_items"."version" is null
        else false end)
);
--> statement-breakpoint
CREATE TABLE "catalogues" (
	"id" uuid NOT NULL,
	"identifiers" jsonb NOT NULL,
	"seller_id" uuid NOT NULL,
	"name" text NOT NULL,
	"status" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "catalogues_pk" PRIMARY KEY("id"),
	CONSTRAINT "catalogues_status_known" CHECK ("catalogues"."status" in ('DRAFT','ACTIVE','INACTIVE'))
);
--> statement-breakpoint
CREATE TABLE "item_identifiers" (
	"catalogue_id" uuid NOT NULL,
	"digest" text NOT NULL,
	"item_id" uuid NOT NULL,
	CONSTRAINT "item_identifiers_pk" PRIMARY KEY("catalogue_id","digest")
);
--> statement-breakpoint
CREATE TABLE "white_list_entries" (
	"id" uuid NOT NULL,
	"buyer_id" uuid NOT NULL,
	"item_id" uuid NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "white_list_entries_pk" PRIMARY KEY("id"),
	CONSTRAINT "white_list_entries_unique" UNIQUE("buyer_id","item_id")
);
--> statement-breakpoint
CREATE TABLE "secrets" (
	"name" text NOT NULL,
	"value" "bytea" NOT NULL,
	CONSTRAINT "secrets_pk" PRIMARY KEY("name")
);
--> statement-breakpoint
CREATE TABLE "order_lines" (
	"id" uuid NOT NULL,
	"order_id" uuid NOT NULL,
	"item_id" uuid NOT NULL,
	"status" text NOT NULL,
	"action" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "order_lines_pk" PRIMARY KEY("id"),
	CONSTRAINT "order_lines_status_known" CHECK ("order_lines"."status" in ('UNFULFILLED','SUBMITTED','FULFILLED','CANCELLED'))
);
--> statement-breakpoint
CREATE TABLE "orders" (
	"id" uuid NOT NULL,
	"identifiers" jsonb NOT NULL,
	"name" text,
	"status" text NOT NULL,
	"priority" boolean NOT NULL,
	"notes" jsonb NOT NULL,
	"buyer_id" uuid NOT NULL,
	"seller_id" uuid NOT NULL,
	"receiver_name" text NOT NULL,
	"receiver_address_line1" text,
	"receiver_address_line2" text,
	"receiver_postal_code" text,
	"receiver_postal_district" text,
	"receiver_email" text,
	"receiver_phone" text,
	"patient" text NOT NULL,
	"search_text" text NOT NULL,
	"revision" integer NOT NULL,
	"trace_count" integer NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"changed_at" timestamp (3) with time zone NOT NULL,
	"submitted_at" timestamp (3) with time zone,
	"deleted_at" timestamp (3) with time zone,
	CONSTRAINT "orders_pk" PRIMARY KEY("id"),
	CONSTRAINT "orders_status_known" CHECK ("orders"."status" in ('DRAFT','SUBMITTED','ACCEPTED','REJECTED','FULFILLED','CANCELLED')),
	CONSTRAINT "orders_submitted" CHECK ("orders"."status" in ('DRAFT','CANCELLED') or "orders"."submitted_at" is not null),
	CONSTRAINT "orders_draft_unsubmitted" CHECK ("orders"."status" <> 'DRAFT' or "orders"."submitted_at" is null),
	CONSTRAINT "orders_deleted_draft" CHECK ("orders"."deleted_at" is null or "orders"."status" = 'DRAFT')
);
--> statement-breakpoint
CREATE TABLE "trace_lines" (
	"id" uuid NOT NULL,
	"order_id" uuid NOT NULL,
	"seq" integer NOT NULL,
	"timestamp" timestamp (3) with time zone NOT NULL,
	"created_by_organization" text NOT NULL,
	"text" text NOT NULL,
	"supplementary_text" text NOT NULL,
	"order_line_id" uuid,
	"old_status" text,
	"new_status" text,
	CONSTRAINT "trace_lines_pk" PRIMARY KEY("id"),
	CONSTRAINT "trace_lines_seq_unique" UNIQUE("order_id","seq"),
	CONSTRAINT "trace_lines_change_complete" CHECK (("trace_lines"."old_status" is null) = ("trace_lines"."new_status" is null))
);
--> statement-breakpoint
ALTER TABLE "contract_buyers" ADD CONSTRAINT "contract_buyers_contract_fk" FOREIGN KEY ("contract_id") REFERENCES "public"."contracts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "contract_buyers" ADD CONSTRAINT "contract_buyers_buyer_fk" FOREIGN KEY ("buyer_id") REFERENCES "public"."parties"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "contracts" ADD CONSTRAINT "contracts_seller_fk" FOREIGN KEY ("seller_id") REFERENCES "public"."parties"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "contracts" ADD CONSTRAINT "contracts_account_fk" FOREIGN KEY ("account_id") REFERENCES "public"."parties"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "annotations" ADD CONSTRAINT "annotations_item_fk" FOREIGN KEY ("item_id") REFERENCES "public"."catalogue_items"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "annotations" ADD CONSTRAINT "annotations_buyer_fk" FOREIGN KEY ("buyer_id") REFERENCES "public"."parties"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "black_list_entries" ADD CONSTRAINT "black_list_entries_item_fk" FOREIGN KEY ("item_id") REFERENCES "public"."catalogue_items"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "catalogue_items" ADD CONSTRAINT "catalogue_items_catalogue_fk" FOREIGN KEY ("catalogue_id") REFERENCES "public"."catalogues"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "catalogue_items" ADD CONSTRAINT "catalogue_items_related_to_fk" FOREIGN KEY ("related_to_id") REFERENCES "public"."catalogue_items"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "catalogues" ADD CONSTRAINT "catalogues_seller_fk" FOREIGN KEY ("seller_id") REFERENCES "public"."parties"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "item_identifiers" ADD CONSTRAINT "item_identifiers_catalogue_fk" FOREIGN KEY ("catalogue_id") REFERENCES "public"."catalogues"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "item_identifiers" ADD CONSTRAINT "item_identifiers_item_fk" FOREIGN KEY ("item_id") REFERENCES "public"."catalogue_items"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "white_list_entries" ADD CONSTRAINT "white_list_entries_buyer_fk" FOREIGN KEY ("buyer_id") REFERENCES "public"."parties"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "white_list_entries" ADD CONSTRAINT "white_list_entries_item_fk" FOREIGN KEY ("item_id") REFERENCES "public"."catalogue_items"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "order_lines" ADD CONSTRAINT "order_lines_order_fk" FOREIGN KEY ("order_id") REFERENCES "public"."orders"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "order_lines" ADD CONSTRAINT "order_lines_item_fk" FOREIGN KEY ("item_id") REFERENCES "public"."catalogue_items"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "orders" ADD CONSTRAINT "orders_buyer_fk" FOREIGN KEY ("buyer_id") REFERENCES "public"."parties"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "orders" ADD CONSTRAINT "orders_seller_fk" FOREIGN KEY ("seller_id") REFERENCES "public"."parties"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "trace_lines" ADD CONSTRAINT "trace_lines_order_fk" FOREIGN KEY ("order_id") REFERENCES "public"."orders"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "trace_lines" ADD CONSTRAINT "trace_lines_order_line_fk" FOREIGN KEY ("order_line_id") REFERENCES "public"."order_lines"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "contract_buyers_buyer_idx" ON "contract_buyers" USING btree ("buyer_id","contract_id");--> statement-breakpoint
CREATE INDEX "contracts_seller_idx" ON "contracts" USING btree ("seller_id","last_day");--> statement-breakpoint
CREATE INDEX "contracts_account_idx" ON "contracts" USING btree ("account_id");--> statement-breakpoint
CREATE INDEX "parties_organization_idx" ON "parties" USING btree ("organization");--> statement-breakpoint
CREATE INDEX "annotations_search_idx" ON "annotations" USING btree ("buyer_id","name","system","code","item_id");--> statement-breakpoint
CREATE INDEX "black_list_entries_item_idx" ON "black_list_entries" USING btree ("item_id");--> statement-breakpoint
CREATE INDEX "catalogue_items_catalogue_idx" ON "catalogue_items" USING btree ("catalogue_id","id");--> statement-breakpoint
CREATE INDEX "catalogue_items_search_idx" ON "catalogue_items" USING gin ("search_text" gin_trgm_ops);--> statement-breakpoint
CREATE INDEX "catalogue_items_related_to_idx" ON "catalogue_items" USING btree ("related_to_id");--> statement-breakpoint
CREATE INDEX "catalogues_seller_idx" ON "catalogues" USING btree ("seller_id","status");--> statement-breakpoint
CREATE INDEX "item_identifiers_item_idx" ON "item_identifiers" USING btree ("item_id");--> statement-breakpoint
CREATE INDEX "white_list_entries_item_idx" ON "white_list_entries" USING btree ("item_id");--> statement-breakpoint
CREATE INDEX "order_lines_order_idx" ON "order_lines" USING btree ("order_id","id");--> statement-breakpoint
CREATE INDEX "order_lines_item_idx" ON "order_lines" USING btree ("item_id");--> statement-breakpoint
CREATE INDEX "orders_buyer_idx" ON "orders" USING btree ("buyer_id","id");--> statement-breakpoint
CREATE INDEX "orders_seller_idx" ON "orders" USING btree ("seller_id","status","id");--> statement-breakpoint
CREATE INDEX "orders_patient_idx" ON "orders" USING btree ("patient","id");--> statement-breakpoint
CREATE INDEX "orders_search_idx" ON "orders" USING gin ("search_text" gin_trgm_ops);--> statement-breakpoint
CREATE INDEX "trace_lines_order_idx" ON "trace_lines" USING btree ("order_id","timestamp","seq");--> statement-breakpoint
CREATE INDEX "trace_lines_order_line_idx" ON "trace_lines" USING btree ("order_line_id");