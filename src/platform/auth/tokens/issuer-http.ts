import { Agent } from 'undici'

/** Milliseconds an issuer may take to answer, from connecting to the end of the body. */
const patience = 5000
/** Bytes of an answer at most. */
const maxAnswer = 262_144

/** Asks one issuer for documents. There is no retry here: how often an issuer is asked is up to who keeps its keys. */
export interface IssuerHttp {
  /** @throws Error when the answer is not a 200 with JSON; no redirect is followed. */
  getJson(url: URL): Promise<unknown>
  /** Breaks off what is under way. */
  close(): Promise<void>
}

/** Opens a way to an issuer: one of its own, so that an issuer that hangs holds up no other. */
export function createIssuerHttp(): IssuerHttp {
  const agent = new Agent({ connect: { timeout: patience }, maxResponseSize: maxAnswer })
  return {
    async getJson({ origin, pathname, search }) {
      const answer = await agent.request({
        origin,
        path: `${pathname}${search}`,
        method: 'GET',
        headers: { accept: 'application/json, application/jwk-set+json' },
        signal: AbortSignal.timeout(patience)
      })
      const text = await answer.body.text()
      if (answer.statusCode !== 200) throw new Error(`It answered ${answer.statusCode}.`)
      return JSON.parse(text)
    },
    close: () => agent.destroy()
  }
}
