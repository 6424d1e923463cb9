import type { ProblemTable } from './problem.js'

/** What an example of a problem takes from the operation that it is for. */
export interface ProblemHints {
  permission: string
  /** Pointer to a member that a body must have. */
  required: string
  /** Pointer to a reference in a body that has any. */
  reference: string
}

interface Told {
  detail: string
  /** The pointer to the field at fault, which rule it breaks, and what to do. */
  field?: readonly [pointer: string, code: string, detail: string]
}

/** What is told along with a code, as the server tells it; other codes are told by their titles. */
const told: Readonly<Record<string, (hints: ProblemHints) => Told>> = {
  'invalid-body': ({ required }) => ({
    detail: `In the body: ${required} is required.`,
    field: [required, 'required', 'is required']
  }),
  'invalid-query': () => ({
    detail: 'Query parameter colour is not a known field.',
    field: ['/colour', 'unknown-field', 'is not a known field']
  }),
  unauthorized: () => ({ detail: 'Send a token in the authorization header.' }),
  forbidden: ({ permission }) => ({ detail: `The token lacks the permission ${permission}.` }),
  'read-only': () => ({
    detail: '/id cannot be changed.',
    field: ['/id', 'read-only', '/id cannot be changed.']
  }),
  'dangling-reference': ({ reference }) => {
    const detail = 'It must be the URL of a resource within your reach.'
    return { detail, field: [reference, 'dangling-reference', detail] }
  },
  'not-found': () => ({ detail: 'No resource has this address.' }),
  'payload-too-large': () => ({ detail: 'Send a smaller body.' }),
  'unsupported-media-type': () => ({ detail: 'Send the body as application/json.' }),
  'internal-error': () => ({ detail: 'The fault is ours. It is in the log under this request id.' }),
  'database-unavailable': () => ({ detail: 'Try again later.' })
}

/** The code whose example tells most. */
export const tellingCode = (codes: readonly string[]) => codes.find((code) => code in told) ?? codes[0] ?? ''

/** The answer of a code as a caller gets it. */
export function problemExample(problems: ProblemTable, code: string, hints: ProblemHints) {
  const [status, title] = rowOf(problems, code)
  const { detail, field }: Told = told[code]?.(hints) ?? { detail: `${title}.` }
  return {
    type: `urn:problem:${code}`,
    title,
    status,
    detail,
    instance: '5f2c1c9e-7d57-4f0e-9f0a-3b8f3a0d8c11',
    code,
    ...(field ? { errors: [{ pointer: field[0], code: field[1], detail: field[2] }] } : {})
  }
}

/** Codes by the status that they come with. */
export function byStatus(problems: ProblemTable, codes: readonly string[]): Record<number, string[]> {
  const statuses: Record<number, string[]> = {}
  for (const code of codes) {
    const [status] = rowOf(problems, code)
    statuses[status] = [...(statuses[status] ?? []), code]
  }
  return statuses
}

/** The table of codes for people, in Markdown. */
export function problemTable(problems: ProblemTable, codes: readonly string[]): string {
  const rows = [...new Set(codes)]
    .map((code) => ({ code, row: rowOf(problems, code) }))
    .sort((one, other) => one.row[0] - other.row[0] || (one.code < other.code ? -1 : 1))
    .map(({ code, row: [status, title] }) => `| \`${code}\` | ${status} | ${title} |`)
  return ['| code | status | meaning |', '|---|---|---|', ...rows].join('\n')
}

function rowOf(problems: ProblemTable, code: string): readonly [number, string] {
  const row = problems[code]
  if (!row) throw new Error(`No problem has the code ${code}`)
  return row
}
