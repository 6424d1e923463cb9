import { is } from 'drizzle-orm'
import { getTableConfig, PgTable } from 'drizzle-orm/pg-core'
import * as agreement from '../../src/agreement/tables.js'
import * as catalogue from '../../src/catalogue/tables.js'
import * as device from '../../src/device/tables.js'
import * as order from '../../src/order/store/tables.js'

/** A Mermaid diagram of the tables of the domain and their foreign keys. */
export function entityDiagram(): string {
  const tables = [agreement, catalogue, order, device]
    .flatMap((module): unknown[] => Object.values(module))
    .filter((value): value is PgTable => is(value, PgTable))
  const columnsOf = new Map<string, Set<string>>()
  for (const { name, foreignKeys } of tables.map(getTableConfig))
    for (const { columns, foreignTable } of foreignKeys.map((key) => key.reference())) {
      const relation = `${getTableConfig(foreignTable).name} ||--o{ ${name}`
      const names = columns.map((column) => column.name).filter((column) => column.endsWith('_id'))
      columnsOf.set(relation, new Set([...(columnsOf.get(relation) ?? []), ...names]))
    }
  const lines = [...columnsOf].map(([relation, columns]) => `  ${relation} : "${[...columns].join(', ')}"`)
  return ['```mermaid', 'erDiagram', ...lines, '```'].join('\n')
}
