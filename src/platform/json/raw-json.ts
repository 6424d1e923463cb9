/** A response body that is JSON already. */
export class RawJson {
  readonly bytes: Buffer
  constructor(json: string) {
    this.bytes = Buffer.from(json)
  }
}

export const serializeResponse = (body: unknown): string | Buffer =>
  body instanceof RawJson ? body.bytes : JSON.stringify(body)
