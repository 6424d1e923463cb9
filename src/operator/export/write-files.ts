import { createWriteStream, existsSync, renameSync, rmSync, statSync } from 'node:fs'
import { basename, dirname, extname, join } from 'node:path'
import type { Writable } from 'node:stream'
import { newId } from '../../db/unit-of-work.js'
import type { ExportSource } from './kinds.js'
import { writeJson } from './write-json.js'
import { writePatientWorkbook } from './write-workbook.js'

type Write = (source: ExportSource, stream: Writable) => Promise<void>

const writers: Readonly<Record<string, Write>> = { '.json': writeJson, '.xlsx': writePatientWorkbook }

/**
 * The files to write: in an existing folder both formats, with the time as their name; else the
 * file itself.
 * @throws Error if a file exists, or its name has neither ending.
 */
export function exportFiles(target: string, exported: string): string[] {
  const isFolder = existsSync(target) && statSync(target).isDirectory()
  const name = `patient-${exported.replaceAll(/[-:]|\.\d+/g, '')}`
  const files = isFolder ? Object.keys(writers).map((ending) => join(target, name + ending)) : [target]
  for (const file of files) {
    if (!(extname(file) in writers))
      throw new Error('--to must be an existing folder, or a file that ends with .json or .xlsx.')
    if (existsSync(file)) throw new Error(`${file} exists already. Remove it, or name another file.`)
  }
  return files
}

/**
 * Writes a file that only its owner reads (mode 0600). It has its name only when it is complete:
 * until then a name that begins with a dot and ends with `.partial`.
 */
export async function writeExport(file: string, source: ExportSource): Promise<void> {
  const write = writers[extname(file)] as Write
  const partial = join(dirname(file), `.${basename(file)}.${newId()}.partial`)
  const stream = createWriteStream(partial, { flags: 'wx', mode: 0o600, flush: true })
  try {
    await write(source, stream)
    renameSync(partial, file)
  } catch (error) {
    stream.destroy()
    rmSync(partial, { force: true })
    throw error
  }
}
