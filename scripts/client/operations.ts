import { type ClientSchema, docComment, memberName } from './types.js'

interface ClientParameter extends ClientSchema {
  name: string
  in: string
  schema?: ClientSchema
}

export interface ClientOperation {
  operationId: string
  summary: string
  parameters?: ClientParameter[]
  responses: Record<string, { schema?: ClientSchema }>
}

type Print = (schema: ClientSchema) => string

/** Query parameters that the client sets. */
const OWN_PARAMETERS = ['after', 'form']

/** Prints an operation as a method of the client. */
export function printMethod(
  path: string,
  method: string,
  { operationId, summary, parameters = [], responses }: ClientOperation,
  print: Print
): string {
  const inPath = parameters.filter((each) => each.in === 'path').map(({ name }) => name)
  const query = parameters.filter((each) => each.in === 'query' && !OWN_PARAMETERS.includes(each.name))
  const isList = parameters.some(({ name }) => name === 'after')
  const body = parameters.find((each) => each.in === 'body')?.schema
  const bodyArgs = body ? [`body: ${print(body)}`] : []
  const queryArgs = query.length > 0 ? [`query: ${queryType(query, print)} = {}`] : []
  const queryArg = query.length > 0 ? 'query' : '{}'
  const response = print((responses[200] ?? responses[201])?.schema ?? {})
  const address = `\`${path.replace(/\{(\w+)\}/g, (_, name) => `\${this.segment('${name}', ${name})}`)}\``
  const patched = operationId.replace('patch', '')
  const forms: Record<string, [parameters: string[], result: string]> = {
    list: [
      [`query: ${queryType(query, print)} = {}`, 'options: CallOptions = {}'],
      `this.list<${print(listItem(responses))}>(${address}, query, options)`
    ],
    get: [
      [...queryArgs, `options: ReadOptions<${response}> = {}`],
      `this.read<${response}>(${address}, ${queryArg}, options)`
    ],
    create: [
      [...bodyArgs, 'options: PostOptions = {}'],
      `this.create<${response}>(${address}, body, options)`
    ],
    submit: [
      [...bodyArgs, ...queryArgs, 'options: PostOptions = {}'],
      `this.submit<${response}>(${address}, ${body ? 'body' : 'undefined'}, ${queryArg}, options)`
    ],
    put: [
      [...bodyArgs, 'options: WriteOptions = {}'],
      `this.write<${response}>('PUT', ${address}, body, options)`
    ],
    patch: [
      [
        ...(inPath.length > 0 ? [`body: readonly PatchOf<${patched}>[]`] : bodyArgs),
        'options: WriteOptions = {}'
      ],
      `this.write<${response}>('PATCH', ${address}, body, options)`
    ],
    delete: [['options: WriteOptions = {}'], `this.remove(${address}, options)`]
  }
  const isCreate = method === 'post' && parameters.some(({ name }) => name === 'Prefer')
  const kind = isList ? 'list' : method === 'post' ? (isCreate ? 'create' : 'submit') : method
  const form = forms[kind]
  if (!form) throw new Error(`${operationId} has no form in the client.`)
  const args = [...inPath.map((name) => `${name}: string`), ...form[0]].join(', ')
  // Rejects for an empty id. A list has no id.
  const name = kind === 'list' ? operationId : `async ${operationId}`
  return `${docComment(summary)}${name}(${args}) { return ${form[1]} }`
}

const listItem = (responses: ClientOperation['responses']) => responses[200]?.schema?.items ?? {}

const queryType = (query: readonly ClientParameter[], print: Print) =>
  `{ ${query.map((each) => `${docComment(each.description)}${memberName(each.name)}?: ${print(each)}`).join('\n')} }`
