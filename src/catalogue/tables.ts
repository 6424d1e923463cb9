import { sql } from 'drizzle-orm'
import { check, index, integer, jsonb, pgTable, primaryKey, text, unique, uuid } from 'drizzle-orm/pg-core'
import { parties } from '../agreement/tables.js'
import { foreignKeyTo, instant, sortKey } from '../db/tables.js'
import type { WrittenRow } from '../db/written-columns.js'
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
    eventCount: integer('event_count').notNull().default(0),
    createdAt: createdAt(),
    /** The approximate number of bytes of the row in a list. */
    jsonBytes: integer('json_bytes')
      .notNull()
      .generatedAlwaysAs(sql`json_bytes_of(identifiers) + json_bytes_of(name) + json_bytes_of(status)`),
    words: text('words').notNull().generatedAlwaysAs(sql`fold_text(name)`)
  },
  (t) => [
    primaryKey({ name: 'catalogues_pk', columns: [t.id] }),
    foreignKeyTo('catalogues_seller_fk', t.sellerId, parties.id),
    index('catalogues_seller_idx').on(t.sellerId, t.status),
    // A hash, because a name can exceed the maximum size of a row of a B-tree.
    index('catalogues_name_idx').using('hash', t.name),
    index('catalogues_words_idx').using('gin', t.words.op('gin_trgm_ops')),
    index('catalogues_identifiers_idx').using('gin', t.identifiers.op('jsonb_path_ops')),
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
    /** Name, model, manufacturer and identifiers, folded for search. Part of `words`. */
    searchText: text('search_text').notNull(),
    eventCount: integer('event_count').notNull().default(0),
    createdAt: createdAt(),
    /**
     * Set when the import that created the item was undone, until the item changes. Exports leave
     * the item out.
     */
    withdrawnAt: instant('withdrawn_at'),
    /** The approximate number of bytes of the row in a list. */
    jsonBytes: integer('json_bytes')
      .notNull()
      .generatedAlwaysAs(sql`json_bytes_of(type) + json_bytes_of(identifiers) + json_bytes_of(name)
        + coalesce(json_bytes_of(description), 0) + json_bytes_of(status) + coalesce(json_bytes_of(manufacturer), 0)
        + coalesce(json_bytes_of(model), 0) + coalesce(json_bytes_of(version), 0)
        + coalesce(json_bytes_of(service_type), 0)`),
    /** The sort key of the name in Danish. */
    sortName: sortKey('sort_name').notNull().generatedAlwaysAs(sql`sort_key(name)`),
    /** The words of `searchText` and of the description. */
    words: text('words')
      .notNull()
      .generatedAlwaysAs(
        sql`search_text || coalesce(E'\\n' || fold_text(replace(description, ' ', E'\\n')), '')`
      )
  },
  (t) => [
    primaryKey({ name: 'catalogue_items_pk', columns: [t.id] }),
    foreignKeyTo('catalogue_items_catalogue_fk', t.catalogueId, catalogues.id),
    foreignKeyTo('catalogue_items_related_to_fk', t.relatedToId, t.id),
    index('catalogue_items_catalogue_idx').on(t.catalogueId, t.sortName, t.id),
    index('catalogue_items_related_to_idx').on(t.relatedToId),
    index('catalogue_items_words_idx').using('gin', t.words.op('gin_trgm_ops')),
    index('catalogue_items_identifiers_idx').using('gin', t.identifiers.op('jsonb_path_ops')),
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
 * Index of the identifiers of items, which makes identifiers unique within a catalogue and finds
 * items. Holds a digest of system and value, which may exceed the maximum size of an index row.
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
    foreignKeyTo('item_identifiers_catalogue_fk', t.catalogueId, catalogues.id),
    foreignKeyTo('item_identifiers_item_fk', t.itemId, catalogueItems.id),
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
    eventCount: integer('event_count').notNull().default(0),
    createdAt: createdAt(),
    /** Name, code and display, folded for search. */
    words: text('words')
      .notNull()
      .generatedAlwaysAs(sql`fold_text(name || E'\\n' || code || coalesce(E'\\n' || display, ''))`)
  },
  (t) => [
    primaryKey({ name: 'annotations_pk', columns: [t.id] }),
    foreignKeyTo('annotations_item_fk', t.itemId, catalogueItems.id),
    foreignKeyTo('annotations_buyer_fk', t.buyerId, parties.id),
    unique('annotations_value_unique').on(t.itemId, t.buyerId, t.name, t.system, t.code),
    index('annotations_search_idx').on(t.buyerId, t.name, t.system, t.code, t.itemId),
    index('annotations_name_idx').on(t.name, t.id),
    index('annotations_words_idx').using('gin', t.words.op('gin_trgm_ops'))
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
    foreignKeyTo('white_list_entries_buyer_fk', t.buyerId, parties.id),
    foreignKeyTo('white_list_entries_item_fk', t.itemId, catalogueItems.id),
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
    /** URL of the clinical Organization that made the entry. */
    organization: text('organization').notNull(),
    createdAt: createdAt()
  },
  (t) => [
    primaryKey({ name: 'black_list_entries_pk', columns: [t.id] }),
    foreignKeyTo('black_list_entries_item_fk', t.itemId, catalogueItems.id),
    unique('black_list_entries_unique').on(t.patient, t.itemId, t.organization),
    index('black_list_entries_item_idx').on(t.itemId)
  ]
)

export type CatalogueRow = WrittenRow<typeof catalogues>
export type ItemRow = WrittenRow<typeof catalogueItems>
export type AnnotationRow = WrittenRow<typeof annotations>
export type WhiteListRow = typeof whiteListEntries.$inferSelect
export type BlackListRow = typeof blackListEntries.$inferSelect
