// Opens the page of an interface with a token. Swagger UI finds it where it keeps its own tokens.

const KEY = 'authorized'
const schema = { type: 'apiKey', in: 'header', name: 'authorization' }

/** @param {string} userType */
async function fetchToken(userType) {
  const response = await fetch('home/tokens.json', { cache: 'no-store' })
  const tokens = await response.json()
  if (typeof tokens[userType] !== 'string') throw new Error('There is no such token.')
  return tokens[userType]
}

/** @type {NodeListOf<HTMLButtonElement>} */
const buttons = document.querySelectorAll('button[data-api]')
for (const button of buttons)
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
