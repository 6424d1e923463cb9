import { useEffect, useState } from 'preact/hooks'
import { NoResponseError, ProblemError } from '../../../clients/typescript/src/index.js'
import { errorText, StatusText } from '../errors.js'
import { language } from '../language.js'
import { useStore } from '../store.js'
import { type UserType, userTypeNames } from '../user-type-names.js'
import { type AccessState, access, hasAccess } from './access.js'
import { accessText } from './access-texts.js'

/**
 * Shows whether the user has access, and lets users sign in and out, or paste a token.
 * @param isQuiet whether to hide at the next click that a token was received.
 */
export function AccessSection({ isQuiet = false }) {
  const state = useStore(access.state)
  const [isMalformed, setMalformed] = useState(false)
  const isGiven = state.kind === 'given'
  const [isConfirmed, setConfirmed] = useState(false)
  // Hides the confirmation at the next click.
  useEffect(() => {
    if (!isGiven) setConfirmed(false)
    if (!isGiven || !isQuiet) return
    const onClick = () => setConfirmed(true)
    window.addEventListener('click', onClick)
    return () => window.removeEventListener('click', onClick)
  }, [isGiven, isQuiet])
  const text = isGiven && isConfirmed ? '' : stateText(state)
  return (
    <section aria-labelledby="access-title">
      <h2 id="access-title">{accessText('title')}</h2>
      <StatusText id="access-state" text={isMalformed ? accessText('malformed') : text} />
      {access.peoplePage && !hasAccess(state) && (
        <p>
          <a href={`${access.peoplePage}?language=${language.get()}`}>{accessText('choosePerson')}</a>
        </p>
      )}
      {access.issuers ? (
        <SignInButtons />
      ) : (
        <TokenForm onSubmit={(token) => setMalformed(!access.give(token))} />
      )}
    </section>
  )
}

function SignInButtons() {
  const { issuers = [], state, signIn } = access
  const hasSession = ['in', 'otherUserType', 'given'].includes(state.get().kind)
  return (
    <div class="row">
      {!hasSession &&
        issuers.map((issuer) => (
          <button type="button" key={issuer.issuer} onClick={() => signIn(issuer)}>
            {issuers.length === 1
              ? accessText('signIn')
              : accessText('signInAt', { issuer: issuer.issuer.replace(/^https?:\/\//, '') })}
          </button>
        ))}
    </div>
  )
}

function TokenForm({ onSubmit }: { onSubmit(token: string): void }) {
  function submit(event: SubmitEvent) {
    event.preventDefault()
    const form = event.currentTarget as HTMLFormElement
    onSubmit(String(new FormData(form).get('token')))
    form.reset()
  }
  return (
    <form id="access-form" onSubmit={submit}>
      <label for="token">{accessText('token')}</label>
      <div class="search">
        <input
          {...{ id: 'token', name: 'token', type: 'password', autocomplete: 'off', spellcheck: false }}
          aria-describedby="token-hint"
        />
        <button type="submit">{accessText('useToken')}</button>
      </div>
      <small id="token-hint">{accessText('tokenHint')}</small>
    </form>
  )
}

const nameOf = (userType: UserType) => userTypeNames[userType][language.get()]

function stateText(state: AccessState): string {
  if (state.kind === 'failed') return failureText(state.error)
  if (state.kind !== 'in' && state.kind !== 'otherUserType') return accessText(state.kind)
  const { name, userType } = state.person
  const values = { name, userType: nameOf(userType), userTypes: access.userTypes.map(nameOf).join(', ') }
  return accessText(state.kind, values)
}

function failureText(error: unknown): string {
  // Of this server.
  if (error instanceof ProblemError || error instanceof NoResponseError) return `✗ ${errorText(error)}`
  const { error: refusal, code, name } = error as { error?: string; code?: string; name: string }
  if (refusal === 'access_denied') return accessText('denied')
  // A request or a script without a response in time.
  if (error instanceof TypeError || code === 'OAUTH_TIMEOUT') return accessText('unreachable')
  return accessText('refused', { error: refusal ?? code ?? name })
}
