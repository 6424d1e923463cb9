import { createRequire } from 'node:module'

/*
 * exceljs hands the parts of a workbook to JSZip as texts, which encodes them in pieces of 16K and breaks every character that
 * stands across the edge of two. As bytes they stay whole; exceljs itself hands them over so in a browser alone.
 */

interface ZipWriter {
  append(data: string | Uint8Array, options: { name: string; base64?: boolean }): void
}

const { ZipWriter } = createRequire(import.meta.url)('exceljs/lib/utils/zip-stream') as {
  ZipWriter: { prototype: ZipWriter }
}
const { append } = ZipWriter.prototype

ZipWriter.prototype.append = function (data, options) {
  const isText = typeof data === 'string' && !options.base64
  append.call(this, isText ? Buffer.from(data) : data, options)
}
