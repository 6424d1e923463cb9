import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fill, type HttpFile, type HttpRequest, parseHttpFile } from './http-file.js'

const FOLDER = 'examples'

/** A code sample of an operation, as ReDoc and other readers of `x-codeSamples` show it. */
interface CodeSample {
  lang: string
  label: string
  source: string
}

/** The code samples of operations by their ids: the requests and statements of the examples. */
export function codeSamples(): Record<string, CodeSample[]> {
  const names = readdirSync(FOLDER).sort()
  const textOf = (name: string) => readFileSync(join(FOLDER, name), 'utf8')
  const programs = names.filter((name) => name.endsWith('.ts'))
  const samples: Record<string, CodeSample[]> = {}
  for (const name of names.filter((name) => name.endsWith('.http'))) {
    const { variables, requests } = parseHttpFile(textOf(name))
    const isOwn = (program: string) => program === name.replace('.http', '.ts')
    const texts = [...programs.filter(isOwn), ...programs].map(textOf)
    for (const request of requests) {
      const [operationId = '', variant] = request.name.split('_')
      const label = variant === undefined ? 'curl' : `curl: ${request.title}`
      const sample = { lang: 'Shell', label, source: curlOf(request, variables) }
      const earlier = samples[operationId]
      samples[operationId] = earlier ? [...earlier, sample] : [sample, ...statementSample(operationId, texts)]
    }
  }
  return samples
}

/** In the documents, the placeholders of base URLs; for the reader, the token. */
const PLACEHOLDERS: Readonly<Record<string, string>> = {
  order: 'ssl-order:',
  catalogue: 'ssl-catalogue:',
  token: '$TOKEN'
}

/** A request as a command. What an earlier response says is left to the reader. */
function curlOf({ method, url, headers, body }: HttpRequest, variables: HttpFile['variables']): string {
  const filled = (text: string) => fill(text, (name) => PLACEHOLDERS[name] ?? variables[name] ?? '…')
  return [
    `curl${method === 'GET' ? '' : ` -X ${method}`} "${filled(url)}"`,
    ...Object.entries(headers).map(([name, value]) => `-H "${name}: ${filled(value)}"`),
    ...(body === undefined ? [] : [`-d '${filled(body)}'`])
  ].join(' \\\n  ')
}

/** The statement that calls an operation, in the first program that does. */
function statementSample(operationId: string, programs: readonly string[]): CodeSample[] {
  const [source] = programs.flatMap((text) => statementWith(operationId, text) ?? [])
  return source === undefined ? [] : [{ lang: 'TypeScript', label: 'client', source }]
}

/** Methods of the client that have another name than their operation. */
const METHODS: Readonly<Record<string, string>> = { listOrderEvents: 'events' }

/** The statement of a program that calls an operation. */
function statementWith(operationId: string, text: string): string | undefined {
  const lines = text.split('\n')
  const call = new RegExp(`\\b(order|catalogue)\\.${METHODS[operationId] ?? operationId}\\(`)
  const first = lines.findIndex((line) => call.test(line))
  if (first < 0) return undefined
  const indent = /^ */.exec(lines[first] ?? '')?.[0] ?? ''
  const isOpen = /[([{]$/.test(lines[first] ?? '')
  const last = isOpen
    ? lines.findIndex(
        (line, at) =>
          at > first && /^ *[)\]}]/.test(line) && line.startsWith(indent) && !line.startsWith(`${indent} `)
      )
    : first
  return lines
    .slice(first, last + 1)
    .map((line) => line.slice(indent.length))
    .join('\n')
}
