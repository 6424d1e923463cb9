-- Additive: a version without the history writes none, and no column of it is required of items.
CREATE TABLE "catalogue_import_rows" (
	"import_id" uuid NOT NULL,
	"number" integer NOT NULL,
	"part" text NOT NULL,
	"row_ids" uuid[] NOT NULL,
	"former" json,
	CONSTRAINT "catalogue_import_rows_pk" PRIMARY KEY("import_id","number"),
	CONSTRAINT "catalogue_import_rows_part_known" CHECK ("catalogue_import_rows"."part" in ('catalogue','item','annotation','whiteList'))
);
--> statement-breakpoint
CREATE TABLE "catalogue_imports" (
	"id" uuid NOT NULL,
	"catalogue_id" uuid NOT NULL,
	"seller_id" uuid NOT NULL,
	"undoes" uuid,
	"user_type" text NOT NULL,
	"user_id" text,
	"organization" text,
	"file_name" text,
	"counts" jsonb NOT NULL,
	"recorded_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "catalogue_imports_pk" PRIMARY KEY("id"),
	CONSTRAINT "catalogue_imports_undone_once" UNIQUE("undoes"),
	CONSTRAINT "catalogue_imports_in_order" UNIQUE("catalogue_id","recorded_at")
);
--> statement-breakpoint
ALTER TABLE "catalogue_items" ADD COLUMN "withdrawn_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "catalogue_import_rows" ADD CONSTRAINT "catalogue_import_rows_import_fk" FOREIGN KEY ("import_id") REFERENCES "public"."catalogue_imports"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "catalogue_imports" ADD CONSTRAINT "catalogue_imports_catalogue_fk" FOREIGN KEY ("catalogue_id") REFERENCES "public"."catalogues"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "catalogue_imports" ADD CONSTRAINT "catalogue_imports_seller_fk" FOREIGN KEY ("seller_id") REFERENCES "public"."parties"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "catalogue_imports" ADD CONSTRAINT "catalogue_imports_undoes_fk" FOREIGN KEY ("undoes") REFERENCES "public"."catalogue_imports"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "catalogue_imports_recorded_idx" ON "catalogue_imports" USING btree ("recorded_at","id");--> statement-breakpoint
-- Compression would take a tenth of the time of an import, for what is kept for a month at most.
ALTER TABLE "catalogue_import_rows" ALTER COLUMN "former" SET STORAGE EXTERNAL;
