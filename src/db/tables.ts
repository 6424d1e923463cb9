import { customType, index, jsonb, pgTable, primaryKey, text, timestamp, uuid } from 'drizzle-orm/pg-core'

export const bytea = customType<{ data: Uint8Array; driverData: Uint8Array }>({ dataType: () => 'bytea' })

/** A time with milliseconds, as `Date` has them. */
export const instant = (name: string) => timestamp(name, { withTimezone: true, precision: 3 })

/** Keys that all instances on one database share. */
export const secrets = pgTable(
  'secrets',
  { name: text('name').notNull(), value: bytea('value').notNull() },
  (t) => [primaryKey({ name: 'secrets_pk', columns: [t.name] })]
)

/**
 * Keys of POST requests (`Idempotency-Key`), each reserved by a run of the request, then with its
 * result. Holds no patient data: callers, keys and requests are keyed hashes.
 */
export const idempotencyKeys = pgTable(
  'idempotency_keys',
  {
    /** Hash of the caller and the key. */
    id: bytea('id').notNull(),
    /** Hash of the method, the URL and the body. */
    request: bytea('request').notNull(),
    /** The run of the request that holds the reservation, or held it until its commit. */
    run: uuid('run').notNull(),
    /** From then on another run may take over the reservation. */
    leaseUntil: instant('lease_until').notNull(),
    /** Ids of what the run made, or numbers. Null until its commit. */
    result: jsonb('result').$type<object>(),
    createdAt: instant('created_at').notNull()
  },
  (t) => [
    primaryKey({ name: 'idempotency_keys_pk', columns: [t.id] }),
    index('idempotency_keys_created_idx').on(t.createdAt)
  ]
)
