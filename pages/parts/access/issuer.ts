import * as oidc from 'openid-client'

/** The settings of signing in, which the server gives to its pages. */
export interface SignInMeta {
  clientId: string
  scope: string
  /** The audience of the tokens, if it is a URL. */
  resource?: string
  /** The path of the return page. */
  returnPath: string
  issuers: readonly oidc.ServerMetadata[]
}

export type Issuer = SignInMeta['issuers'][number]

/** The tokens of a session, which are stored only in memory. */
export interface Tokens {
  access: string
  refresh?: string | undefined
  /** Identifies the session that a sign-out ends. */
  id?: string | undefined
  /** When the access token expires, as `Date.now()`. */
  expiresAt: number
}

const TIMEOUT_S = 30
/** Maximum error of the clock of this computer, in seconds. */
const CLOCK_TOLERANCE_S = 600

/**
 * Signs users in at one issuer, with an authorization code and PKCE. This file and its library are
 * a script of their own, which pages load when a user signs in.
 */
export function issuerClient({ clientId, scope, resource, returnPath }: SignInMeta, server: Issuer) {
  const metadata = { [oidc.clockTolerance]: CLOCK_TOLERANCE_S }
  const config = new oidc.Configuration(server, clientId, metadata, oidc.None())
  config.timeout = TIMEOUT_S
  // The server lists such an issuer only on loopback.
  if (server.issuer.startsWith('http:')) oidc.allowInsecureRequests(config)
  const returnUrl = new URL(returnPath, location.origin).href
  const audience: Record<string, string> = resource === undefined ? {} : { resource }
  return {
    /**
     * Gets the first tokens.
     * @param ask shows the user a URL, and waits for the response with this state.
     * @throws AuthorizationResponseError, ResponseBodyError when the issuer rejects the request.
     */
    async authorize(ask: (url: string, state: string) => Promise<string>): Promise<Tokens> {
      const [verifier, state] = [oidc.randomPKCECodeVerifier(), oidc.randomState()]
      const url = oidc.buildAuthorizationUrl(config, {
        redirect_uri: returnUrl,
        scope,
        state,
        code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
        ...audience
      })
      const response = new URL(await ask(url.href, state), returnUrl)
      const checks = { pkceCodeVerifier: verifier, expectedState: state }
      return tokensOf(await oidc.authorizationCodeGrant(config, response, checks, audience))
    },

    /**
     * Gets the next tokens.
     * @throws ResponseBodyError of the library when the session at the issuer has ended.
     */
    async renew({ refresh = '', id }: Tokens): Promise<Tokens> {
      const next = tokensOf(await oidc.refreshTokenGrant(config, refresh, audience))
      return { ...next, refresh: next.refresh ?? refresh, id: next.id ?? id }
    },

    /** The URL that ends the session at the issuer, if it has one. */
    signOutUrl: ({ id }: Tokens): string | undefined =>
      server.end_session_endpoint &&
      oidc.buildEndSessionUrl(config, {
        post_logout_redirect_uri: returnUrl,
        ...(id !== undefined && { id_token_hint: id })
      }).href
  }
}

export type IssuerClient = ReturnType<typeof issuerClient>

const tokensOf = ({
  access_token: access,
  refresh_token: refresh,
  id_token: id,
  expires_in: seconds = Number.POSITIVE_INFINITY
}: oidc.TokenEndpointResponse): Tokens => ({ access, refresh, id, expiresAt: Date.now() + 1000 * seconds })
