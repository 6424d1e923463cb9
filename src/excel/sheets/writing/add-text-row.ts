import type ExcelJS from 'exceljs'
import { escapeForCell } from '../cell-text.js'

/** Appends a row of texts and flushes it. */
export const addTextRow = (sheet: ExcelJS.Worksheet, texts: readonly (string | undefined)[]): void =>
  sheet.addRow(texts.map((text) => (text === undefined ? undefined : escapeForCell(text)))).commit()
