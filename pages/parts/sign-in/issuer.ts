import * as oauth from 'oauth4webapi'
import { responseTo } from './channel.js'

/** The settings of signing in, which the server gives to its pages. */
export interface SignInMeta {
  clientId: string
  scope: string
  /** The audience of the tokens, if it is a URL. */
  resource?: string
  /** The path of the return page. */
  returnPath: string
  issuers: readonly oauth.AuthorizationServer[]
}

/** The tokens of an issuer. They are kept in memory only. */
export interface Tokens {
  access: string
  refresh: string | undefined
  /** Names the session that a sign-out ends. */
  id: string | undefined
  /** When the access token expires, as `Date.now()`. */
  expiresAt: number
}

/** The response of the issuer to a sign-in. Only this page has the verifier. */
export interface Grant {
  response: URLSearchParams
  verifier: string
}

const TIMEOUT_MS = 30_000
/** Seconds by which the clock of this computer may be wrong. */
const CLOCK_TOLERANCE_S = 600

/** Signs people in at one issuer, with an authorization code and PKCE. */
export function issuerClient(options: SignInMeta, issuer: oauth.AuthorizationServer) {
  const { clientId, scope, resource } = options
  const client: oauth.Client = { client_id: clientId, [oauth.clockTolerance]: CLOCK_TOLERANCE_S }
  const returnUrl = new URL(options.returnPath, location.origin).href
  const audience = resource === undefined ? {} : { resource }
  const requestOptions = {
    additionalParameters: audience,
    signal: () => AbortSignal.timeout(TIMEOUT_MS),
    // The server lists such an issuer only on loopback.
    [oauth.allowInsecureRequests]: issuer.issuer.startsWith('http:')
  }

  const urlOf = (endpoint: string, parameters: Record<string, string>) => {
    const url = new URL(endpoint)
    for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
    return url.href
  }

  return {
    /**
     * Lets the person sign in in a window.
     * @throws AuthorizationResponseError when the issuer refuses.
     */
    async authorize(popup: Window, signal: AbortSignal): Promise<Grant> {
      const [verifier, state] = [oauth.generateRandomCodeVerifier(), oauth.generateRandomState()]
      const response = responseTo(state, signal)
      popup.location.href = urlOf(issuer.authorization_endpoint ?? '', {
        response_type: 'code',
        client_id: clientId,
        redirect_uri: returnUrl,
        scope,
        state,
        code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
        ...audience
      })
      return { response: oauth.validateAuthResponse(issuer, client, await response, state), verifier }
    },

    /**
     * Gets the first tokens.
     * @throws ResponseBodyError when the issuer refuses.
     */
    async redeem({ response, verifier }: Grant): Promise<Tokens> {
      const answer = await oauth.authorizationCodeGrantRequest(
        issuer,
        client,
        oauth.None(),
        response,
        returnUrl,
        verifier,
        requestOptions
      )
      return tokensOf(await oauth.processAuthorizationCodeResponse(issuer, client, answer))
    },

    /**
     * Gets the next tokens.
     * @throws ResponseBodyError when the session at the issuer has ended.
     */
    async renew({ refresh = '', id }: Tokens): Promise<Tokens> {
      const answer = await oauth.refreshTokenGrantRequest(
        issuer,
        client,
        oauth.None(),
        refresh,
        requestOptions
      )
      const next = tokensOf(await oauth.processRefreshTokenResponse(issuer, client, answer))
      return { ...next, refresh: next.refresh ?? refresh, id: next.id ?? id }
    },

    /** The URL that ends the session at the issuer, if it has one. */
    signOutUrl: ({ id }: Tokens): string | undefined =>
      issuer.end_session_endpoint &&
      urlOf(issuer.end_session_endpoint, {
        client_id: clientId,
        post_logout_redirect_uri: returnUrl,
        ...(id !== undefined && { id_token_hint: id })
      })
  }
}

export type IssuerClient = ReturnType<typeof issuerClient>

const tokensOf = ({
  access_token: access,
  refresh_token: refresh,
  id_token: id,
  expires_in: seconds = Number.POSITIVE_INFINITY
}: oauth.TokenEndpointResponse): Tokens => ({ access, refresh, id, expiresAt: Date.now() + 1000 * seconds })
