import { byId } from './elements.js'
import { say } from './language.js'
import { statusIn } from './status.js'
import { currentToken, giveToken, isEmbedded, onToken, startToken } from './token.js'

/** Shows whether there is a token, and lets the reader paste one in. */
export function startAccess() {
  const tell = statusIn(byId('access-state', HTMLElement))
  const field = byId('token', HTMLInputElement)
  tell(() => say(isEmbedded ? 'accessAwaited' : 'accessWanted'))
  onToken(() => {
    const isThere = currentToken() !== undefined
    tell(() => (isThere ? `✓ ${say('accessGiven')}` : `✗ ${say('accessRefused')}`))
  })
  byId('access-form', HTMLFormElement).addEventListener('submit', (event) => {
    event.preventDefault()
    const isTaken = giveToken(field.value)
    field.value = ''
    if (!isTaken) tell(() => `✗ ${say('accessOdd')}`)
  })
  startToken()
}
