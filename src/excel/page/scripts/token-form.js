import { byId } from './elements.js'
import { translate } from './language.js'
import { createStatusLine } from './status.js'
import { currentToken, isEmbedded, onTokenChange, setToken, startToken } from './token.js'

/** Shows whether there is a token, and lets the user paste one. */
export function startTokenForm() {
  const setStatus = createStatusLine(byId('access-state', HTMLElement))
  const field = byId('token', HTMLInputElement)
  setStatus(() => translate(isEmbedded ? 'accessAwaited' : 'accessWanted'))
  onTokenChange(() => {
    const isThere = currentToken() !== undefined
    setStatus(() => (isThere ? `✓ ${translate('accessGiven')}` : `✗ ${translate('accessRefused')}`))
  })
  byId('access-form', HTMLFormElement).addEventListener('submit', (event) => {
    event.preventDefault()
    const isTaken = setToken(field.value)
    field.value = ''
    if (!isTaken) setStatus(() => `✗ ${translate('accessOdd')}`)
  })
  startToken()
}
