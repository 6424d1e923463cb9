import type { FunctionComponent } from 'preact'
import { AccessSection } from './access.js'
import { signIn } from './sign-in/sign-in.js'
import { SignInSection } from './sign-in/sign-in-section.js'
import { useStore } from './store.js'
import { givenToken, metaContent, type TokenSource } from './token-source.js'
import type { UserType } from './user-type-names.js'

/**
 * The access to a page: the source of its tokens, and the section that shows it. People sign in
 * where the server offers that. Else, and in the frame of an application, the token is given.
 * @param userTypes those that the page is for.
 * @param origins those of applications that may hand over a token.
 */
export function pageAccess(
  userTypes: readonly UserType[],
  origins: readonly string[] = []
): { source: TokenSource; Section: FunctionComponent } {
  const given = givenToken(origins)
  const options = metaContent('sign-in')
  if (options === '' || window.parent !== window)
    return { source: given, Section: () => <AccessSection source={given} /> }
  const signedIn = signIn(JSON.parse(options), userTypes)
  const Section = () =>
    useStore(given.current) === undefined ? (
      <SignInSection source={signedIn} />
    ) : (
      <AccessSection source={given} />
    )
  return { source: firstOf(given, signedIn), Section }
}

/** The tokens of the first source that has one. */
function firstOf(first: TokenSource, second: TokenSource): TokenSource {
  const chosen = () => (first.current.get() === undefined ? second : first)
  return {
    current: {
      get: () => chosen().current.get(),
      onChange(listener) {
        const ends = [first, second].map(({ current }) => current.onChange(listener))
        return () => {
          for (const end of ends) end()
        }
      }
    },
    token: () => chosen().token(),
    reject(token) {
      first.reject(token)
      second.reject(token)
    }
  }
}
