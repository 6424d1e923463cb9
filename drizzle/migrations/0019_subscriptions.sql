-- Additive: tables of subscriptions to events. The version before delivers none.
CREATE TABLE "subscription_deliveries" (
	"subscription_id" uuid NOT NULL,
	"position" bigint NOT NULL,
	"position_at" timestamp (3) with time zone NOT NULL,
	"failures" integer NOT NULL,
	"next_attempt_at" timestamp (3) with time zone,
	"lease" uuid,
	"lease_until" timestamp (3) with time zone,
	"sending_since" timestamp (3) with time zone,
	"attempts" jsonb NOT NULL,
	CONSTRAINT "subscription_deliveries_pk" PRIMARY KEY("subscription_id")
);
--> statement-breakpoint
CREATE TABLE "subscription_secrets" (
	"id" uuid NOT NULL,
	"subscription_id" uuid NOT NULL,
	"sealed" "bytea" NOT NULL,
	"valid_until" timestamp (3) with time zone,
	CONSTRAINT "subscription_secrets_pk" PRIMARY KEY("subscription_id","id")
);
--> statement-breakpoint
CREATE TABLE "subscriptions" (
	"id" uuid NOT NULL,
	"organization" text NOT NULL,
	"target" text NOT NULL,
	"types" text[] NOT NULL,
	"user_type" text NOT NULL,
	"user_id" text,
	"permissions" text[] NOT NULL,
	"status" text NOT NULL,
	"status_reason" text,
	"revision" integer NOT NULL,
	"test_id" uuid,
	"test_at" timestamp (3) with time zone,
	"test_count" integer NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "subscriptions_pk" PRIMARY KEY("id"),
	CONSTRAINT "subscriptions_status_known" CHECK ("subscriptions"."status" in ('PENDING','ACTIVE','PAUSED','SUSPENDED','ENDED'))
);
--> statement-breakpoint
ALTER TABLE "subscription_deliveries" ADD CONSTRAINT "subscription_deliveries_subscription_fk" FOREIGN KEY ("subscription_id") REFERENCES "public"."subscriptions"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "subscription_secrets" ADD CONSTRAINT "subscription_secrets_subscription_fk" FOREIGN KEY ("subscription_id") REFERENCES "public"."subscriptions"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "subscriptions_organization_idx" ON "subscriptions" USING btree ("organization","id");