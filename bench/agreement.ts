import { isDeepStrictEqual } from 'node:util'
import type { RunningServer } from './running.js'
import type { Prepared, Work } from './works/work.js'

/** Requests that are compared. */
const few = 20

/**
 * Makes sure that all servers answer the same, so that none wins by answering less.
 * @throws Error with the first answers that differ.
 */
export async function assertAgreement(
  work: Work,
  { requests }: Prepared,
  tokens: readonly string[],
  servers: readonly RunningServer[]
): Promise<void> {
  if (!work.gist) return
  for (const { method, path, token } of requests.slice(0, few)) {
    const answers = await Promise.all(
      servers.map(async ({ kind, origin }) => {
        const answer = await fetch(origin + path, {
          method,
          headers: { authorization: `Bearer ${tokens[token]}` }
        })
        const text = await answer.text()
        if (answer.status !== work.status)
          throw new Error(`${kind.title} answers ${answer.status} to ${path}: ${text.slice(0, 500)}`)
        return { kind, gist: work.gist?.(JSON.parse(text)) }
      })
    )
    const [first, ...others] = answers
    const other = others.find(({ gist }) => !isDeepStrictEqual(gist, first?.gist))
    if (first && other)
      throw new Error(
        `${first.kind.title} and ${other.kind.title} differ on ${path}:\n${JSON.stringify(first.gist)}\n${JSON.stringify(other.gist)}`
      )
  }
}
