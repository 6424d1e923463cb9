import type { ImportResult } from '../../src/excel/schemas.js'
import { DataTable } from '../parts/table.js'
import { uploadText, uploadTextsOf } from './upload-texts.js'

type ChangedRow = ImportResult['changes']['rows'][number]

/** Rows that are shown at once. Further rows are folded. */
export const MAX_UNFOLDED = 20

/** The changes, row by row, and the columns that were not read. */
export function ChangesView({ dryRun, changes: { total, rows }, ignored }: ImportResult) {
  return (
    <>
      {total > 0 && (
        <details class="changes" open={rows.length <= MAX_UNFOLDED}>
          <summary>{uploadText('changesTitle', { count: total })}</summary>
          {rows.length < total && <p>{uploadText('someShown', { shown: rows.length, total })}</p>}
          <DataTable
            isWide
            label={uploadText(dryRun ? 'changesTable' : 'changedTable')}
            heads={uploadTextsOf('changeWhere', 'changeWhat', 'column', 'changeOld', 'changeNew')}
            rows={rows.flatMap(linesOf)}
          />
        </details>
      )}
      {ignored.length > 0 && (
        <div class="ignored">
          <p>{uploadText('ignoredTitle')}</p>
          <ul>
            {ignored.map(({ sheet, cell, column }) => (
              <li key={`${sheet} ${cell}`}>{`${sheet} ${cell}: ${column}`}</li>
            ))}
          </ul>
        </div>
      )}
    </>
  )
}

/** A line for each changed cell, or one line for a new row. */
function linesOf({ sheet, row, change, name, identifier, columns }: ChangedRow): string[][] {
  const head = [`${sheet} ${row}`, [identifier, name].filter((text) => text !== null).join(' – ')]
  const nothing = uploadText('nothing')
  if (change === 'changed')
    return columns.map(({ column, old, new: text }) => [...head, column, old ?? nothing, text ?? nothing])
  const texts = columns.map(({ column, new: text }) => `${column}: ${text ?? ''}`)
  return [[...head, uploadText('changeCreated'), nothing, texts.join('; ')]]
}
