/** Serialized JSON, mostly bytes as PostgreSQL sent them, which are neither decoded nor parsed. */
export class RawJson {
  constructor(readonly json: Buffer) {}
}

/** Serializes a response body. */
export const serializeResponse = (body: unknown): string | Buffer =>
  body instanceof RawJson ? body.json : JSON.stringify(body)

const [open, comma, close] = ['[', ',', ']'].map((text) => Buffer.from(text)) as [Buffer, Buffer, Buffer]

/** Joins entries into a JSON array without parsing them. */
export function jsonArray(entries: readonly RawJson[]): RawJson {
  const chunks = entries.flatMap(({ json }, at) => (at === 0 ? [json] : [comma, json]))
  return new RawJson(Buffer.concat([open, ...chunks, close]))
}

/** Joins members into a JSON object without parsing them. */
export function jsonObjectOf(members: Readonly<Record<string, RawJson>>): RawJson {
  const chunks = Object.entries(members).flatMap(([name, { json }], at) => [
    Buffer.from(`${at === 0 ? '' : ','}${JSON.stringify(name)}:`),
    json
  ])
  return new RawJson(Buffer.concat([Buffer.from('{'), ...chunks, Buffer.from('}')]))
}
