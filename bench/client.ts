/** Calls a server with a token. The path may be a URL of any origin. */
export async function callServer(
  origin: string,
  token: string,
  method: string,
  path: string,
  body?: object
): Promise<Response> {
  const { pathname, search } = new URL(path, origin)
  const type = method === 'PATCH' ? 'application/json-patch+json' : 'application/json'
  const isFile = body === undefined || body instanceof FormData
  const response = await fetch(origin + pathname + search, {
    method,
    headers: { authorization: `Bearer ${token}`, ...(isFile ? {} : { 'content-type': type }) },
    body: isFile ? (body ?? null) : JSON.stringify(body)
  })
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`)
  return response
}

/** A page of the feed, and the path of the next page. */
export async function readEvents(origin: string, token: string, path: string) {
  const response = await callServer(origin, token, 'GET', path)
  const events = (await response.json()) as { time: string }[]
  const [, url = ''] = /<([^>]+)>/.exec(response.headers.get('link') ?? '') ?? []
  const { pathname, search } = new URL(url)
  return { events, next: pathname + search }
}
