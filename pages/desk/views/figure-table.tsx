import type { OrderStatistics } from '../../../clients/typescript/src/index.js'
import { DataTable } from '../../parts/table.js'
import { numberText } from '../../parts/texts.js'
import { deskText } from '../desk-texts.js'

/** Figures of a group. The row of all small groups has no key. */
export interface NamedFigures {
  key: string | null
  name: string
  figures: OrderStatistics
}

const columns = [
  ...(['orders', 'fulfilled', 'rejected', 'cancelled', 'returned', 'late'] as const),
  ...(['answerHoursMedian', 'deliveryDaysMedian', 'devicesInUse'] as const)
] as const

/** Figures by group. */
export function FigureTable({
  label,
  head,
  rows,
  current
}: {
  label: string
  /** The head of the column of groups. */
  head: string
  rows: readonly NamedFigures[]
  /** The key of the group that the user chose. */
  current?: string | undefined
}) {
  return (
    <div class="figures">
      <DataTable
        label={label}
        heads={[head, ...columns.map((name) => deskText(name))]}
        rows={rows.map(({ key, name, figures }) => [
          <>
            {key !== null && key === current ? <b>✓ {name}</b> : name}
            {key === null && <small>{deskText('othersHint')}</small>}
          </>,
          ...columns.map((column) => {
            const value = figures[column]
            return value === null ? '–' : numberText(value)
          })
        ])}
      />
    </div>
  )
}
