import type { Call } from '../../platform/auth/call.js'
import { problem } from '../../platform/errors/problem.js'
import { type Page, type PageRequest, serializedPage } from '../../platform/rest/pagination.js'
import type { Ports } from '../../ports.js'
import type { PublicValueSet } from './value-set.schemas.js'

type TerminologyPort = Pick<Ports, 'terminology'>

export function viewValueSet(
  { terminology }: TerminologyPort,
  { language }: Call,
  name: string
): PublicValueSet {
  const set = terminology.valueSets().get(name)
  if (!set) throw problem('not-found')
  const codes = set.codings.map((coding) => terminology.translate(coding, language))
  return { name: set.name, url: set.url, codes }
}

export async function listValueSets(
  ports: TerminologyPort,
  call: Call,
  request: PageRequest<string>
): Promise<Page<string>> {
  const { limit, after = '' } = request
  const names = [...ports.terminology.valueSets().keys()].sort().filter((name) => name > after)
  return serializedPage(
    names.slice(0, limit + 1),
    request,
    (name) => name,
    (name) => JSON.stringify(viewValueSet(ports, call, name))
  )
}
