/** What holds for every operation, in Markdown; the table of codes follows it. */
export const apiRules = `## Calling

- Every request carries a JSON Web Token in the header \`authorization\`. Its \`user_type\` (\`AdministrativeClerk\`,
  \`MonitoringResponsible\` or \`Provider\`), the permissions in \`realm_access.roles\` and the organization in
  \`context.organization_id\` decide what the caller may do. What lies outside the caller’s reach answers like what does not
  exist.
- Bodies are \`application/json\` in UTF-8. An unknown field or query parameter is refused, never ignored.
- Ids are opaque and given by the server. A reference is the fully qualified URL of a resource, also as a query parameter.
- A timestamp is ISO 8601 in UTC with three fractional digits and \`Z\`. A member without a value is answered as null, which in
  the schemas is \`x-nullable\`; such a member may be sent as null as well, or left out. Where \`x-alternative-types\` stands, the
  other type is accepted too.
- A list is a plain array. A further page is announced in the header \`Link\` with \`rel="next"\`; follow its URL as it is.
- Writes follow “last writer wins”. Every answer has the header \`x-request-id\`; a request may bring its own.

## Errors

Every answer from 400 up has a body after RFC 9457 (\`application/problem+json\` for who accepts that) with a stable \`code\`; where
fields are at fault, \`errors\` names each with an RFC 6901 pointer. A known address called with another method is answered
with 405, and \`Allow\` names its methods. An answer from 400 to 499 has changed nothing.`

/** Paragraphs and list entries of a Markdown text on one line each: some readers take every line break for one. */
export const unwrapped = (text: string) => text.replace(/(?<=[^\n|])\n {0,2}(?=[^\s|#-])/g, ' ')
