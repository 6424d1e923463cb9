/** Members of documents that do not affect requests and responses. */
const TEXTS = ['description', 'summary', 'title', 'example', 'examples', 'info']

type Fact = [location: string, value: string]

/** The content of a document, as pairs of a location and a value. */
export function documentFacts(value: unknown, at: string): Fact[] {
  if (typeof value !== 'object' || value === null) return [[at, JSON.stringify(value)]]
  const facts = Array.isArray(value) ? entryFacts(value, at) : memberFacts(value, at)
  // The schema of an arbitrary value has only texts.
  return facts.length > 0 ? facts : [[at, '']]
}

/** Entries of a list are located by their name or value, because their order has no meaning. */
const entryFacts = (entries: readonly unknown[], at: string): Fact[] =>
  entries.flatMap((entry, index) => {
    if (typeof entry !== 'object' || entry === null) return [[`${at}: ${entry}`, '']]
    const { name, $ref } = entry as { name?: string; $ref?: string }
    return documentFacts(entry, `${at}.${name ?? $ref ?? index}`)
  })

function memberFacts(members: object, at: string): Fact[] {
  // A member of a resource may have the name of a text.
  const isOfNames = /\.(properties|schemas)$/.test(at)
  return Object.entries(members)
    .filter(([name]) => isOfNames || !TEXTS.includes(name))
    .flatMap(([name, member]) => documentFacts(member, `${at}.${name}`))
}

/** The differences between facts, a line each, in the order of locations. */
export function factDifferences(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>) {
  const missing = [...before.keys()].filter((at) => !after.has(at)).map((at) => `- ${at}`)
  const added = [...after.keys()].filter((at) => !before.has(at)).map((at) => `+ ${at}`)
  const changed = [...before].flatMap(([at, value]) => {
    const now = after.get(at)
    return now === undefined || now === value ? [] : [`~ ${at}: ${value} → ${now}`]
  })
  return { missing, lines: [...missing, ...added, ...changed] }
}
