/**
 * The part of an issuer's discovery document with which a page signs in. The names are those of
 * RFC 8414, as libraries expect them.
 */
export interface SignInIssuer {
  issuer: string
  authorization_endpoint: string
  token_endpoint: string
  end_session_endpoint?: string
  authorization_response_iss_parameter_supported?: boolean
  id_token_signing_alg_values_supported?: string[]
}

/** URLs allow more in a host: `;` and `*` would mean something in a content security policy. */
const isPlainHost = /^[\w.:[\]-]+$/

/**
 * Reads it from a discovery document. Undefined when an endpoint is missing or not secure: the keys
 * of the issuer serve all the same.
 */
export function signInIssuerOf(
  issuer: string,
  document: Readonly<Record<string, unknown>>,
  isSecure: (url: URL) => boolean
): SignInIssuer | undefined {
  const urlOf = (name: string) => {
    const text = document[name]
    if (typeof text !== 'string' || !URL.canParse(text)) return undefined
    const url = new URL(text)
    return isSecure(url) && isPlainHost.test(url.host) ? text : undefined
  }
  const [authorization, token, endSession] = [
    urlOf('authorization_endpoint'),
    urlOf('token_endpoint'),
    urlOf('end_session_endpoint')
  ]
  if (authorization === undefined || token === undefined) return undefined
  const algorithms = document.id_token_signing_alg_values_supported
  return {
    issuer,
    authorization_endpoint: authorization,
    token_endpoint: token,
    ...(endSession !== undefined && { end_session_endpoint: endSession }),
    ...(document.authorization_response_iss_parameter_supported === true && {
      authorization_response_iss_parameter_supported: true
    }),
    ...(Array.isArray(algorithms) && { id_token_signing_alg_values_supported: algorithms.map(String) })
  }
}
