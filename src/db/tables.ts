import {
  type AnyPgColumn,
  customType,
  foreignKey,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  text,
  timestamp
} from 'drizzle-orm/pg-core'

export const bytea = customType<{ data: Uint8Array; driverData: Uint8Array }>({ dataType: () => 'bytea' })

/** A result of the function `sort_key`, which is compared by bytes. */
export const sortKey = customType<{ data: string }>({ dataType: () => 'text collate "C"' })

export const foreignKeyTo = (name: string, column: AnyPgColumn, target: AnyPgColumn) =>
  foreignKey({ name, columns: [column], foreignColumns: [target] })

/** A time with milliseconds, like `Date`. */
export const instant = (name: string) => timestamp(name, { withTimezone: true, precision: 3 })

/**
 * A text that a trigger copies from another table. The default allows inserts of Drizzle to omit
 * the column.
 */
export const copied = (name: string) =>
  text(name)
    .notNull()
    .$default(() => '')

/**
 * A number of events that only SQL increments. The second default allows inserts of Drizzle to omit
 * the column.
 */
export const eventCounter = (name: string) =>
  integer(name)
    .notNull()
    .default(0)
    .$default(() => 0)

/** Keys that all instances on one database share. */
export const secrets = pgTable(
  'secrets',
  { name: text('name').notNull(), value: bytea('value').notNull() },
  (t) => [primaryKey({ name: 'secrets_pk', columns: [t.name] })]
)

/** Settings that stored values depend on, as they were at the first start. */
export const fixedSettings = pgTable(
  'fixed_settings',
  { name: text('name').notNull(), value: text('value').notNull() },
  (t) => [primaryKey({ name: 'fixed_settings_pk', columns: [t.name] })]
)

/**
 * Organizations, by their URLs, that an operator replaced by other organizations. Their tokens are
 * rejected.
 */
export const replacedOrganizations = pgTable(
  'replaced_organizations',
  { organization: text('organization').notNull(), replacedBy: text('replaced_by').notNull() },
  (t) => [primaryKey({ name: 'replaced_organizations_pk', columns: [t.organization] })]
)

/** Keys of POST requests (`Idempotency-Key`) with their results. Callers and keys are hashed. */
export const idempotencyKeys = pgTable(
  'idempotency_keys',
  {
    id: bytea('id').notNull(),
    /** Hash of the method, the URL and the body. */
    request: bytea('request').notNull(),
    /** Ids of the created resources, or numbers. */
    result: jsonb('result').$type<object>().notNull(),
    createdAt: instant('created_at').notNull()
  },
  (t) => [
    primaryKey({ name: 'idempotency_keys_pk', columns: [t.id] }),
    index('idempotency_keys_created_idx').on(t.createdAt)
  ]
)
