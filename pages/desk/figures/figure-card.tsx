import type { ComponentChildren } from 'preact'
import type { OrderStatistics } from '../../../clients/typescript/src/index.js'
import { fetchBody } from '../../parts/calls.js'
import { DownloadButton } from '../../parts/download.js'
import { DataTable } from '../../parts/table.js'
import { numberText } from '../../parts/texts.js'
import { Card } from '../card.js'
import { deskText, deskTextsOf } from '../desk-texts.js'
import { joined } from '../resource-texts.js'
import { useSession } from '../session.js'
import { type Choice, type GroupKey, periodOf, queryOf } from './figure-query.js'

/** Figures of a group. The row of all small groups has no key. */
export interface NamedFigures {
  key: string | null
  name: string
  figures: OrderStatistics
}

export interface FigureCardProps {
  by: GroupKey
  rows: readonly NamedFigures[]
  choice: Choice
  /** The key of the row that the user chose. */
  chosen?: string | undefined
  children?: ComponentChildren
}

const titles = { month: 'byMonth', buyer: 'byBuyer', seller: 'bySeller', action: 'byAction' } as const

const columns = [
  ...(['orders', 'fulfilled', 'rejected', 'cancelled', 'returned', 'late'] as const),
  ...(['answerHoursMedian', 'deliveryDaysMedian', 'devicesInUse'] as const)
] as const

/** A table of figures by group, which can be downloaded. */
export function FigureCard({ by, rows, choice, chosen, children }: FigureCardProps) {
  const session = useSession()
  const title = deskText(titles[by])
  async function fetchFile() {
    const parameters = Object.entries(queryOf(session, choice, by)).flatMap(([name, value]) =>
      [value].flat().map((each) => [name, each])
    )
    const url = `${session.client.order.baseUrl}/order-statistics?${new URLSearchParams(parameters)}`
    const { body: file } = await fetchBody(session.source, url, { headers: { accept: 'text/csv' } })
    return choice.action === '' ? file : rowsOf(file, choice.action)
  }
  return (
    <Card
      title={title}
      isFlush
      actions={
        <DownloadButton
          label={deskText('downloadCsv')}
          name={`${joined(', ', title, periodOf(choice), choice.action)}.csv`}
          fetchFile={fetchFile}
        />
      }
    >
      {children}
      <div class="figures">
        <DataTable
          isWide
          label={`${deskText('figures')}: ${title}`}
          heads={deskTextsOf(by, ...columns)}
          rows={rows.map(({ key, name, figures }) => [
            <>
              {key !== null && key === chosen ? <b>✓ {name}</b> : name}
              {key === null && <small>{deskText('othersHint')}</small>}
            </>,
            ...columns.map((column) => (figures[column] === null ? '–' : numberText(figures[column])))
          ])}
        />
      </div>
    </Card>
  )
}

/** The rows of a CSV file about an action. Neither keys nor the action contain commas. */
async function rowsOf(file: Blob, action: string): Promise<Blob> {
  const [heads = '', ...rows] = (await file.text()).split('\r\n')
  const at = heads.split(',').indexOf('action')
  const shown = rows.filter((row) => row.split(',')[at] === action)
  // Excel reads a file with this mark as UTF-8.
  return new Blob(['\ufeff', [heads, ...shown, ''].join('\r\n')], { type: file.type })
}
