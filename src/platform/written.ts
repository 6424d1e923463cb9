/** An answer, or an entry of one, whose JSON text PostgreSQL has written. */
export class Written {
  constructor(readonly json: string) {}

  /** The same object with more members: those of the JSON text of another one. */
  with(members: string): Written {
    return new Written(`${this.json.slice(0, -1)},${members}}`)
  }
}

/** The JSON text of an answer. */
export const writeAnswer = (answer: unknown): string =>
  answer instanceof Written ? answer.json : JSON.stringify(answer)

/** A list of entries as one answer; what is written is not written again. */
export const listOf = (entries: readonly unknown[]): unknown =>
  entries[0] instanceof Written ? new Written(`[${entries.map(writeAnswer).join()}]`) : entries
