import { sql } from 'drizzle-orm'
import {
  type AnyPgColumn,
  check,
  date,
  foreignKey,
  index,
  integer,
  pgTable,
  primaryKey,
  text,
  unique,
  uuid
} from 'drizzle-orm/pg-core'
import { foreignKeyTo, instant } from '../db/tables.js'
import type { WrittenRow } from '../db/written-columns.js'

export const parties = pgTable(
  'parties',
  {
    id: uuid('id').notNull(),
    allowedRoles: text('allowed_roles').array().notNull(),
    name: text('name').notNull(),
    email: text('email'),
    /** URL of the clinical Organization that the party is or belongs to. */
    organization: text('organization').notNull(),
    /** URL of the organization whose clerk created the party; null if its token named none. */
    registeredBy: text('registered_by'),
    eventCount: integer('event_count').notNull().default(0),
    createdAt: instant('created_at').notNull(),
    words: text('words').notNull().generatedAlwaysAs(sql`fold_text(name || coalesce(E'\\n' || email, ''))`)
  },
  (t) => [
    primaryKey({ name: 'parties_pk', columns: [t.id] }),
    // The key of the copies of the organization in orders and devices, which follow each change.
    unique('parties_organization_unique').on(t.id, t.organization),
    index('parties_organization_idx').on(t.organization),
    index('parties_registered_by_idx').on(t.registeredBy),
    index('parties_words_idx').using('gin', t.words.op('gin_trgm_ops')),
    check('parties_roles_known', sql`${t.allowedRoles} <@ array['BUYER','SELLER','ACCOUNTING']`)
  ]
)

export type PartyRow = WrittenRow<typeof parties>

/** A reference to a party and its organization, which the row copies and which may change. */
export const partyKey = (name: string, id: AnyPgColumn, organization: AnyPgColumn) =>
  foreignKey({
    name,
    columns: [id, organization],
    foreignColumns: [parties.id, parties.organization]
  }).onUpdate('cascade')

export const contracts = pgTable(
  'contracts',
  {
    id: uuid('id').notNull(),
    name: text('name').notNull(),
    /** Both days are inclusive. */
    firstDay: date('first_day', { mode: 'string' }).notNull(),
    lastDay: date('last_day', { mode: 'string' }).notNull(),
    sellerId: uuid('seller_id').notNull(),
    accountId: uuid('account_id').notNull(),
    /** Days before an agreed delivery at which an event reminds of the delivery. */
    reminderDays: integer('reminder_days'),
    /** Days before the last day at which an event reminds of it; null: `reminderDays` applies. */
    expiryReminderDays: integer('expiry_reminder_days'),
    /** Days after which a submitted order counts as unanswered. */
    answerDays: integer('answer_days'),
    /** The last day of the contract for which the event about its expiry was written. */
    expiryReported: date('expiry_reported', { mode: 'string' }),
    eventCount: integer('event_count').notNull().default(0),
    createdAt: instant('created_at').notNull()
  },
  (t) => [
    primaryKey({ name: 'contracts_pk', columns: [t.id] }),
    foreignKeyTo('contracts_seller_fk', t.sellerId, parties.id),
    foreignKeyTo('contracts_account_fk', t.accountId, parties.id),
    index('contracts_seller_idx').on(t.sellerId, t.lastDay),
    index('contracts_account_idx').on(t.accountId),
    check('contracts_days_ordered', sql`${t.firstDay} <= ${t.lastDay}`)
  ]
)

export const contractBuyers = pgTable(
  'contract_buyers',
  {
    contractId: uuid('contract_id').notNull(),
    /** Index in the contract's list of buyers. */
    position: integer('position').notNull(),
    buyerId: uuid('buyer_id').notNull()
  },
  (t) => [
    primaryKey({ name: 'contract_buyers_pk', columns: [t.contractId, t.buyerId] }),
    foreignKeyTo('contract_buyers_contract_fk', t.contractId, contracts.id),
    foreignKeyTo('contract_buyers_buyer_fk', t.buyerId, parties.id),
    index('contract_buyers_buyer_idx').on(t.buyerId, t.contractId)
  ]
)
