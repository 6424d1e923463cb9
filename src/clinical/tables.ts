import { index, jsonb, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core'

/** Former references to patients, by their URLs, which an operator replaced by other references. */
export const patientAliases = pgTable(
  'patient_aliases',
  {
    reference: text('reference').notNull(),
    replacedBy: text('replaced_by').notNull(),
    /** Ids of the orders and black list entries that were moved to the new reference. */
    moved: uuid('moved').array().notNull(),
    /**
     * Ids of black list entries that were removed because both references had them, each with the
     * id of the entry that stayed.
     */
    joined: jsonb('joined').$type<Readonly<Record<string, string>>>().notNull()
  },
  (t) => [
    primaryKey({ name: 'patient_aliases_pk', columns: [t.reference] }),
    index('patient_aliases_replaced_by_idx').on(t.replacedBy)
  ]
)
