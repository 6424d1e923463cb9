import type { ComponentChildren } from 'preact'
import { DataTable } from '../parts/table.js'
import { type DeskTextKey, deskText } from './desk-texts.js'

interface RowTableProps {
  label: DeskTextKey
  heads: readonly DeskTextKey[]
  rows: readonly (readonly ComponentChildren[])[]
  /** The text without rows. */
  none?: DeskTextKey
  /** What each page of paper shows above the heads. */
  pageHead?: string
}

/** A table, or a text if it would be empty. */
export const RowTable = ({ label, heads, rows, none, pageHead = '' }: RowTableProps) =>
  rows.length > 0 ? (
    <DataTable
      isPlain
      label={deskText(label)}
      heads={heads.map((key) => deskText(key))}
      rows={rows}
      pageHead={pageHead}
    />
  ) : (
    <p class={none && 'empty'} role="status">
      {none && deskText(none)}
    </p>
  )
