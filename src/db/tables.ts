import { customType, pgTable, primaryKey, text } from 'drizzle-orm/pg-core'

const bytea = customType<{ data: Uint8Array; driverData: Uint8Array }>({ dataType: () => 'bytea' })

/** Keys that all instances on one database share. */
export const secrets = pgTable(
  'secrets',
  { name: text('name').notNull(), value: bytea('value').notNull() },
  (t) => [primaryKey({ name: 'secrets_pk', columns: [t.name] })]
)
