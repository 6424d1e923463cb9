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
  const names = readdirSync(FOLDER).filter((file) => file.endsWith('.http'))
  const samples: Record<string, CodeSample[]> = {}
  for (const file of names.sort()) {
    const { variables, requests } = parseHttpFile(readFileSync(join(FOLDER, file), 'utf8'))
    const program = readFileSync(join(FOLDER, file.replace('.http', '.ts')), 'utf8')
    for (const request of requests) {
      const statement = statementWith(request.name, program)
      samples[request.name] = [
        { lang: 'Shell', label: 'curl', source: curlOf(request, variables) },
        ...(statement === undefined ? [] : [{ lang: 'TypeScript', label: 'client', source: statement }])
      ]
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

/** The statement of a program that calls an operation. */
function statementWith(operationId: string, text: string): string | undefined {
  const lines = text.split('\n')
  const first = lines.findIndex((line) => new RegExp(`\\b(order|catalogue)\\.${operationId}\\(`).test(line))
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
