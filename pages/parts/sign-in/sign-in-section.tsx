import { AuthorizationResponseError } from 'oauth4webapi'
import { NoResponseError, ProblemError } from '../../../clients/typescript/src/index.js'
import { errorText } from '../errors.js'
import { language } from '../language.js'
import { useStore } from '../store.js'
import { type UserType, userTypeNames } from '../user-type-names.js'
import type { SignIn, SignInState } from './sign-in.js'
import { signInText } from './sign-in-texts.js'

/** Says whether somebody is signed in, and lets people sign in and out. */
export function SignInSection({ source }: { source: SignIn }) {
  const state = useStore(source.state)
  const { issuers } = source
  const isSignedIn = state.kind === 'in' || state.kind === 'other-user-type'
  return (
    <section aria-labelledby="access-title">
      <h2 id="access-title">{signInText('title')}</h2>
      <p id="access-state" role="status">
        {issuers.length === 0 ? signInText('unavailable') : stateText(state, source.userTypes)}
      </p>
      <div class="row">
        {!isSignedIn &&
          issuers.map((issuer) => (
            <button type="button" key={issuer.issuer} onClick={() => source.start(issuer)}>
              {issuers.length === 1
                ? signInText('signIn')
                : signInText('signInAt', { issuer: issuer.issuer.replace(/^https?:\/\//, '') })}
            </button>
          ))}
        {source.hasSession() && (
          <button type="button" class="quiet" onClick={source.end}>
            {signInText('signOut')}
          </button>
        )}
      </div>
    </section>
  )
}

const nameOf = (userType: UserType) => userTypeNames[userType][language.get()]

function stateText(state: SignInState, userTypes: readonly UserType[]): string {
  if (state.kind === 'failed') return failureText(state.error)
  if (state.kind !== 'in' && state.kind !== 'other-user-type') return signInText(state.kind)
  const { name, userType } = state.person
  const values = { name, userType: nameOf(userType), userTypes: userTypes.map(nameOf).join(', ') }
  return signInText(state.kind === 'in' ? 'in' : 'otherUserType', values)
}

function failureText(error: unknown): string {
  if (error instanceof AuthorizationResponseError && error.error === 'access_denied')
    return signInText('denied')
  // Of this server.
  if (error instanceof ProblemError || error instanceof NoResponseError) return `✗ ${errorText(error)}`
  // A request without a response, or without one in time.
  if (error instanceof TypeError || error instanceof DOMException) return signInText('unreachable')
  const { error: refusal, code, name } = error as { error?: string; code?: string; name: string }
  return signInText('refused', { error: refusal ?? code ?? name })
}
