import { sql } from 'drizzle-orm'
import {
  check,
  foreignKey,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  text,
  unique,
  uuid
} from 'drizzle-orm/pg-core'
import { parties } from '../agreement/tables.js'
import { instant } from '../db/tables.js'
import type { Identifier } from '../platform/schemas/schemas.js'

const createdAt = () => instant('created_at').notNull()

export const catalogues = pgTable(
  'catalogues',
  {
    id: uuid('id').notNull(),
    identifiers: jsonb('identifiers').$type<Identifier[]>().notNull(),
    sellerId: uuid('seller_id').notNull(),
    name: text('name').notNull(),
    status: text('status').notNull(),
    /** Number of events. */
    eventCount: integer('event_count').notNull().default(0),
    createdAt: createdAt()
  },
  (t) => [
    primaryKey({ name: 'catalogues_pk', columns: [t.id] }),
    foreignKey({ name: 'catalogues_seller_fk', columns: [t.sellerId], foreignColumns: [parties.id] }),
    index('catalogues_seller_idx').on(t.sellerId, t.status),
    // A hash, because a name can exceed the maximum size of a row of a B-tree.
    index('catalogues_name_idx').using('hash', t.name),
    check('catalogues_status_known', sql`${t.status} in ('DRAFT','ACTIVE','INACTIVE')`)
  ]
)

export const catalogueItems = pgTable(
  'catalogue_items',
  {
    id: uuid('id').notNull(),
    catalogueId: uuid('catalogue_id').notNull(),
    type: text('type').$type<'DeviceModel' | 'Service'>().notNull(),
    identifiers: jsonb('identifiers').$type<Identifier[]>().notNull(),
    name: text('name').notNull(),
    description: text('description'),
    status: text('status').notNull(),
    manufacturer: text('manufacturer'),
    model: text('model'),
    version: text('version'),
    relatedToId: uuid('related_to_id'),
    serviceType: text('service_type'),
    /** Name, model, manufacturer and identifiers, folded for search. Part of the column `words`. */
    searchText: text('search_text').notNull(),
    /** Number of events. */
    eventCount: integer('event_count').notNull().default(0),
    createdAt: createdAt(),
    /**
     * Set when the import that created the item was undone, until the item changes. Exports leave
     * the item out.
     */
    withdrawnAt: instant('withdrawn_at')
  },
  (t) => [
    primaryKey({ name: 'catalogue_items_pk', columns: [t.id] }),
    foreignKey({
      name: 'catalogue_items_catalogue_fk',
      columns: [t.catalogueId],
      foreignColumns: [catalogues.id]
    }),
    foreignKey({ name: 'catalogue_items_related_to_fk', columns: [t.relatedToId], foreignColumns: [t.id] }),
    index('catalogue_items_catalogue_idx').on(t.catalogueId, t.id),
    index('catalogue_items_related_to_idx').on(t.relatedToId),
    check('catalogue_items_status_known', sql`${t.status} in ('AVAILABLE','UNAVAILABLE','DISCONTINUED')`),
    check(
      'catalogue_items_members_of_type',
      sql`case ${t.type}
        when 'DeviceModel' then ${t.manufacturer} is not null and ${t.model} is not null and ${t.serviceType} is null and ${t.relatedToId} is null
        when 'Service' then ${t.serviceType} is not null and ${t.manufacturer} is null and ${t.model} is null and ${t.version} is null
        else false end`
    )
  ]
)

/**
 * Index of the identifiers of items, which makes them unique within a catalogue and finds items by
 * them. Holds a digest of system and value, which may exceed the maximum size of an index row.
 */
export const itemIdentifiers = pgTable(
  'item_identifiers',
  {
    catalogueId: uuid('catalogue_id').notNull(),
    digest: text('digest').notNull(),
    itemId: uuid('item_id').notNull()
  },
  (t) => [
    primaryKey({ name: 'item_identifiers_pk', columns: [t.catalogueId, t.digest] }),
    foreignKey({
      name: 'item_identifiers_catalogue_fk',
      columns: [t.catalogueId],
      foreignColumns: [catalogues.id]
    }),
    foreignKey({
      name: 'item_identifiers_item_fk',
      columns: [t.itemId],
      foreignColumns: [catalogueItems.id]
    }),
    index('item_identifiers_item_idx').on(t.itemId)
  ]
)

export const annotations = pgTable(
  'annotations',
  {
    id: uuid('id').notNull(),
    itemId: uuid('item_id').notNull(),
    buyerId: uuid('buyer_id').notNull(),
    name: text('name').notNull(),
    system: text('system').notNull(),
    code: text('code').notNull(),
    display: text('display'),
    /** Number of events. */
    eventCount: integer('event_count').notNull().default(0),
    createdAt: createdAt()
  },
  (t) => [
    primaryKey({ name: 'annotations_pk', columns: [t.id] }),
    foreignKey({ name: 'annotations_item_fk', columns: [t.itemId], foreignColumns: [catalogueItems.id] }),
    foreignKey({ name: 'annotations_buyer_fk', columns: [t.buyerId], foreignColumns: [parties.id] }),
    unique('annotations_value_unique').on(t.itemId, t.buyerId, t.name, t.system, t.code),
    index('annotations_search_idx').on(t.buyerId, t.name, t.system, t.code, t.itemId),
    index('annotations_name_idx').on(t.name, t.id)
  ]
)

export const whiteListEntries = pgTable(
  'white_list_entries',
  {
    id: uuid('id').notNull(),
    buyerId: uuid('buyer_id').notNull(),
    itemId: uuid('item_id').notNull(),
    createdAt: createdAt()
  },
  (t) => [
    primaryKey({ name: 'white_list_entries_pk', columns: [t.id] }),
    foreignKey({ name: 'white_list_entries_buyer_fk', columns: [t.buyerId], foreignColumns: [parties.id] }),
    foreignKey({
      name: 'white_list_entries_item_fk',
      columns: [t.itemId],
      foreignColumns: [catalogueItems.id]
    }),
    unique('white_list_entries_unique').on(t.buyerId, t.itemId),
    index('white_list_entries_item_idx').on(t.itemId)
  ]
)

export const blackListEntries = pgTable(
  'black_list_entries',
  {
    id: uuid('id').notNull(),
    /** URL of the clinical Patient. */
    patient: text('patient').notNull(),
    itemId: uuid('item_id').notNull(),
    /** URL of the clinical Organization that made the entry; null for older entries. */
    organization: text('organization'),
    createdAt: createdAt()
  },
  (t) => [
    primaryKey({ name: 'black_list_entries_pk', columns: [t.id] }),
    foreignKey({
      name: 'black_list_entries_item_fk',
      columns: [t.itemId],
      foreignColumns: [catalogueItems.id]
    }),
    unique('black_list_entries_unique').on(t.patient, t.itemId, t.organization).nullsNotDistinct(),
    index('black_list_entries_item_idx').on(t.itemId)
  ]
)

export type CatalogueRow = typeof catalogues.$inferSelect
export type ItemRow = typeof catalogueItems.$inferSelect
export type AnnotationRow = typeof annotations.$inferSelect
