/** JSON that is written already, mostly by PostgreSQL: bytes as it sent them, which are neither decoded nor parsed here. */
export class RawJson {
  constructor(readonly json: Buffer) {}
}

/** The JSON of an answer. */
export const serializeResponse = (answer: unknown): string | Buffer =>
  answer instanceof RawJson ? answer.json : JSON.stringify(answer)

const [open, comma, close] = ['[', ',', ']'].map((text) => Buffer.from(text)) as [Buffer, Buffer, Buffer]

/** A list of entries as one answer: what is written is not written again. */
export function jsonArray(entries: readonly RawJson[]): RawJson {
  const pieces = entries.flatMap(({ json }, at) => (at === 0 ? [json] : [comma, json]))
  return new RawJson(Buffer.concat([open, ...pieces, close]))
}
