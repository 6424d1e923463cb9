/** JSON that PostgreSQL has written: the bytes as it sent them, which are neither decoded nor parsed here, and what stands between. */
export class Written {
  constructor(readonly pieces: readonly Buffer[]) {}
}

/** The JSON of an answer. */
export const writeAnswer = (answer: unknown): string | Buffer =>
  answer instanceof Written ? Buffer.concat(answer.pieces) : JSON.stringify(answer)

const [open, comma, close] = ['[', ',', ']'].map((text) => Buffer.from(text)) as [Buffer, Buffer, Buffer]

/** A list of entries as one answer; what is written is not written again. */
export function listOf(entries: readonly unknown[]): unknown {
  if (!areWritten(entries)) return entries
  const pieces = entries.flatMap((each, at) => [at === 0 ? open : comma, ...each.pieces])
  return new Written([...pieces, close])
}

const areWritten = (entries: readonly unknown[]): entries is readonly Written[] =>
  entries[0] instanceof Written
