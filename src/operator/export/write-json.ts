import type { Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { ExportKind, ExportSource } from './kinds.js'

/** Writes an object with an array for each kind. */
export const writeJson = (source: ExportSource, stream: Writable): Promise<void> =>
  pipeline(document(source), stream)

async function* document({ patient, exported, kinds, read }: ExportSource): AsyncGenerator<string> {
  yield `{"patient":${JSON.stringify(patient)},"exported":${JSON.stringify(exported)}`
  for (const kind of kinds) yield* array(kind, read(kind))
  yield '\n}\n'
}

async function* array({ name }: ExportKind, rows: AsyncIterable<string>): AsyncGenerator<string> {
  yield `,\n${JSON.stringify(name)}:[`
  let separator = '\n'
  for await (const row of rows) {
    yield separator + row
    separator = ',\n'
  }
  yield ']'
}
