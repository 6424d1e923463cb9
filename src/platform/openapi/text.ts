import { type AccessRule, permissionsOf } from '../auth/access-rule.js'
import type { Scope } from '../auth/call.js'

/** Rules of every operation, in Markdown. The table of codes follows it. */
export const apiRulesText = `## Calling

- Every request carries a JSON Web Token in the header \`authorization\`. Its \`user_type\` (\`AdministrativeClerk\`,
  \`MonitoringResponsible\` or \`Provider\`), the permissions in \`realm_access.roles\` and the organization in
  \`context.organization_id\` decide what the caller may do. A resource that the caller cannot access looks like one that
  does not exist.
- Bodies are \`application/json\` in UTF-8. Unknown fields and query parameters are rejected.
- The server assigns opaque ids. A reference is the fully qualified URL of a resource, also in query parameters.
- A timestamp is ISO 8601 in UTC with three fractional digits and \`Z\`. A member without a value is null in responses.
  In requests it may be null or absent.
- A Coding of a value set may be its bare code in requests, and a code the Coding. Codes of a value set
  (\`x-value-set\`) are accepted in upper and lower case.
- The schemas of OpenAPI 3.1 say all this. OpenAPI 2.0 has \`x-nullable\`, \`x-null-only\` for what must be null or absent,
  \`x-alternative-types\` for further types in requests, and \`x-with-parameter\` for the form that a response has with a
  query parameter.
- \`Accept-Language\` with \`da\` or \`en\` chooses the language of the displays of codes, and of errors.
- A list is a plain array. The header \`Link\` with \`rel="next"\` names the next page; use its URL unchanged.
- Every response has the header \`x-request-id\`; a request may send its own, a UUID, or a W3C \`traceparent\`, whose trace
  id it then is.

## Errors

Every response from 400 up has a body after RFC 9457 (\`application/problem+json\` if the client accepts it) with a stable
\`code\`, and a \`type\` that is the URL of a page about it. \`errors\` names each invalid field with an RFC 6901 pointer
into the sent body. A wrong method gets 405 with the allowed methods in
\`Allow\`. A request with a response from 400 to 499 has changed nothing.`

/** Joins the lines of paragraphs and list entries, because some readers render every line break. */
export const joinWrappedLines = (text: string) => text.replace(/(?<=[^\n|])\n {0,2}(?=[^\s|#-])/g, ' ')

/** A Markdown table. Cells are Markdown; vertical bars in them are escaped. */
export function markdownTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
  return [line(head), `|${'---|'.repeat(head.length)}`, ...rows.map(line)].join('\n')
}

const scopeTexts: Readonly<Record<Scope, string>> = {
  any: 'everything',
  own: 'resources of its own organization',
  'own-buyer': 'resources of the buyers of its own organization',
  'own-seller': 'resources of the sellers of its own organization',
  administered:
    'resources of its own organization: its parties and those it registered, the catalogues of these, contracts with it as account or buyer',
  'administered-buyer': 'resources of the buyers of its own organization and of those it registered'
}

export function accessSentences({ scopes, patientData, ...rule }: AccessRule): string {
  const { alternatives = [] } = rule
  const permissions = [...permissionsOf({ scopes, ...rule }), ...alternatives].map((permission) => {
    const [resource, verb] = permission.split('.')
    const wider = [...(verb === 'read' ? [] : [`\`${resource}.write\``]), `\`${resource}.*\``].join(' or ')
    return `\`${permission}\` (or ${wider})`
  })
  const isPartial = alternatives.length > 0
  const callers = Object.entries(scopes).map(
    ([userType, scope]) =>
      `- ${userType}: ${isPartial ? 'what it can read elsewhere with each of these permissions' : scopeTexts[scope]}`
  )
  return [
    `Permission: ${permissions.join(isPartial ? ' or ' : ' and ')}. User types and what they can access:`,
    ...(callers.length > 0 ? ['', ...callers] : []),
    ...(patientData ? ['', 'Reads or writes patient data. The response must not be stored.'] : [])
  ].join('\n')
}
