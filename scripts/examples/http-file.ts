/** A request of a `.http` file. Its texts may have placeholders, `{{name}}`. */
export interface HttpRequest {
  title: string
  /** The id of its operation; with `_` and another word where one before it has the same operation. */
  name: string
  method: string
  url: string
  headers: Readonly<Record<string, string>>
  body: string | undefined
}

export interface HttpFile {
  variables: Readonly<Record<string, string>>
  requests: readonly HttpRequest[]
}

/** Reads a `.http` file: variables, and after `###` a request with a name each. */
export function parseHttpFile(text: string): HttpFile {
  const [head = '', ...parts] = text.split(/^### /m)
  const variables = [...head.matchAll(/^@(\w+) = (.*)$/gm)].map(([, name = '', value = '']) => [name, value])
  return { variables: Object.fromEntries(variables), requests: parts.map(requestOf) }
}

function requestOf(part: string): HttpRequest {
  const [, title = '', name = '', method = '', url = '', rest = ''] =
    /^(.*)\n# @name (\w+)\n([A-Z]+) (\S+)\n([\s\S]*)$/.exec(part) ?? []
  if (name === '') throw new Error(`A request has no name: ${part}`)
  const [head = '', ...body] = rest.split('\n\n')
  const headers = head
    .trim()
    .split('\n')
    .map((line) => line.split(': '))
  return {
    title,
    name,
    method,
    url,
    headers: Object.fromEntries(headers),
    body: body.join('\n\n').trim() || undefined
  }
}

/** Fills placeholders, also those in the values. */
export const fill = (text: string, lookUp: (name: string) => string): string =>
  text.replace(/\{\{(.+?)\}\}/g, (_, name: string) => fill(lookUp(name), lookUp))
