import { readEvents } from '../client.js'
import type { BenchRequest } from '../workloads/workload.js'
import { catalogue, excel, order, type Role, type World } from './world.js'

/** A request of the maximum cost allowed, with its token. */
export type HeavyRequest = Omit<BenchRequest, 'token'> & { token: string }

/** The size of a JSON body, a little below the limit. */
export const limit = 1_048_000

export const textOf = (length: number) => 'x'.repeat(length)

/** A request of a role. A text is sent as the body. */
export const requestBy = (
  { tokens }: World,
  role: Role,
  method: string,
  path: string,
  body?: unknown
): HeavyRequest => ({
  ...{ token: tokens[role], method, path },
  ...(method === 'PATCH' && { contentType: 'application/json-patch+json' }),
  ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) })
})
export const getRequest = (world: World, role: Role, path: string) => requestBy(world, role, 'GET', path)
export const postRequest = (world: World, role: Role, path: string, body: unknown) =>
  requestBy(world, role, 'POST', path, body)
/** A change of the draft of the world. */
export const patchRequest = (world: World, operations: unknown) =>
  requestBy(world, 'nurse', 'PATCH', new URL(world.target).pathname, operations)

/** A dry run of an import. */
export function uploadRequest({ tokens }: World, file: Buffer): HeavyRequest {
  const head = '--x\r\ncontent-disposition: form-data; name="file"; filename="a.xlsx"\r\n\r\n'
  return {
    ...{ token: tokens.clerk, method: 'POST', path: `${excel}/catalogue?dryRun=true` },
    contentType: 'multipart/form-data; boundary=x',
    body: Buffer.concat([Buffer.from(head), file, Buffer.from('\r\n--x--\r\n')])
  }
}

/** Devices of the catalogue. */
export const devices = (world: World, count: number, more: (at: number) => object = () => ({})) =>
  Array.from({ length: count }, (_, at) => ({
    ...{ catalogueItemType: 'DeviceModel', catalogue: world.catalogue, name: `Device ${at}` },
    ...{ manufacturer: 'Maker', model: 'M', ...more(at) }
  }))

/** A bulk create. */
export const postItems = (world: World, items: readonly object[]) =>
  postRequest(world, 'clerk', `${catalogue}/catalogue-items`, items)

/** A JSON object with this many members and 1 MB. */
export const objectOf = (members: number) =>
  Object.fromEntries(
    Array.from({ length: members }, (_, at) => [`${at}`, textOf(Math.max(0, limit / members - 13))])
  )

/** Every writing route of the documents, with an unknown body that is read and rejected. */
export async function unknownBodies(world: World): Promise<HeavyRequest[]> {
  const objects = Array(9000).fill({ a: 1 })
  const body = JSON.stringify([...objects, textOf(limit - JSON.stringify(objects).length - 3)])
  const requests: HeavyRequest[] = []
  for (const base of [order, catalogue]) {
    const response = await fetch(`${world.origin}${base}/openapi.json`)
    const { paths } = (await response.json()) as { paths: Record<string, object> }
    for (const [path, methods] of Object.entries(paths))
      for (const method of ['post', 'put', 'patch'].filter((each) => each in methods))
        for (const role of ['clerk', 'nurse'] as const) {
          const url = base + path.replace(/\{[^}]+\}/g, '018f0000-0000-7000-8000-000000000000')
          requests.push(requestBy(world, role, method.toUpperCase(), url, body))
        }
  }
  return requests
}

/** The path of the next events. */
export async function endOfEvents({ origin, tokens }: World): Promise<string> {
  for (let path = `${order}/events`; ; ) {
    const { events, next } = await readEvents(origin, tokens.nurse, path)
    if (events.length === 0) return next
    path = next
  }
}
