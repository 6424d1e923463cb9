import { readFile, rename, writeFile } from 'node:fs/promises'

const { ORDER_API, TOKEN, STATE = 'events.next' } = process.env

let next = await readFile(STATE, 'utf8').catch(() => `${ORDER_API}/events?wait=25`)
for (;;) {
  const response = await fetch(next, { headers: { authorization: `Bearer ${TOKEN}` } }).catch(() => undefined)
  if (response?.status === 410) {
    // Read the resources again here: some events are lost.
    next = `${ORDER_API}/events?wait=25`
    continue
  }
  if (!response || response.status === 429 || response.status >= 500) {
    await new Promise((resolve) =>
      setTimeout(resolve, 1000 * Number(response?.headers.get('retry-after') ?? 5))
    )
    continue
  }
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`)
  for (const { type, subject, data } of await response.json())
    console.log(type, subject, data.newStatus ?? '')
  next = /<([^>]+)>; rel="next"/.exec(response.headers.get('link'))[1]
  await writeFile(`${STATE}.new`, next)
  await rename(`${STATE}.new`, STATE)
}
