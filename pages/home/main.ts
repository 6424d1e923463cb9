import './home.css'

// Opens the page of an interface with a token. Swagger UI finds it where it keeps its own tokens.

const KEY = 'authorized'
const schema = { type: 'apiKey', in: 'header', name: 'authorization' }

async function fetchToken(userType: string): Promise<string> {
  const response = await fetch('home/tokens.json', { cache: 'no-store' })
  const tokens = (await response.json()) as Record<string, string | undefined>
  const token = tokens[userType]
  if (token === undefined) throw new Error('There is no such token.')
  return token
}

for (const button of document.querySelectorAll<HTMLButtonElement>('button[data-api]'))
  button.addEventListener('click', async () => {
    const { userType = '', api } = button.dataset
    try {
      const value = await fetchToken(userType)
      localStorage.setItem(KEY, JSON.stringify({ token: { name: 'token', schema, value } }))
      location.assign(`${api}/v1/docs/`)
    } catch {
      const state = document.querySelector('#token-state')
      if (state) state.textContent = state.getAttribute('data-failed')
    }
  })
