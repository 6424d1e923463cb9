/*
 * Opens pages with the token of a user. The order desk and the upload page request it from this
 * page; Swagger UI reads it from localStorage.
 */

async function fetchToken(person: string): Promise<string> {
  const response = await fetch('home/tokens.json', { cache: 'no-store' })
  const token = ((await response.json()) as Record<string, string | undefined>)[person]
  if (token === undefined) throw new Error('There is no such token.')
  return token
}

/** The user of each window that this page opened. */
const people = new Map<MessageEventSource, string>()

function openPage(url: string, person: string): void {
  const opened = window.open(`${url}?language=${document.documentElement.lang}`)
  if (opened) people.set(opened, person)
}

async function openDocuments(url: string, person: string): Promise<void> {
  const schema = { type: 'apiKey', in: 'header', name: 'authorization' }
  const value = await fetchToken(person)
  localStorage.setItem('authorized', JSON.stringify({ token: { name: 'token', schema, value } }))
  location.assign(url)
}

/** Runs an action, and reports if the token could not be fetched. */
async function attempt(action: () => Promise<void>): Promise<void> {
  const state = document.querySelector<HTMLElement>('#token-state')
  await action().catch(() => {
    if (state) state.textContent = state.dataset.failed ?? ''
  })
}

window.addEventListener('message', ({ source, origin, data }) => {
  const person = source === null ? undefined : people.get(source)
  if (person === undefined || origin !== location.origin || data?.type !== 'ssl-token-wanted') return
  void attempt(async () => {
    const token = await fetchToken(person)
    source?.postMessage({ type: 'ssl-token', token }, { targetOrigin: origin })
  })
})

for (const button of document.querySelectorAll<HTMLButtonElement>('button[data-page]'))
  button.addEventListener('click', () => {
    const chosen = document.querySelector<HTMLSelectElement>('#person')?.value
    const { page = '', person = chosen ?? '' } = button.dataset
    if (!page.endsWith('/docs/')) return openPage(page, person)
    void attempt(() => openDocuments(page, person))
  })
