import jwt, { type VerifyOptions } from '@fastify/jwt'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { algorithms } from './algorithms.js'
import { tokenOf, unauthorized } from './claims.js'
import { checkDates } from './dates.js'
import type { IssuerKeys } from './issuer-keys.js'
import type { KeyName, KeySet } from './key-set.js'
import { bytesOf, type Members, readToken } from './read.js'
import { assertAccessToken } from './token-type.js'

export interface VerifierOptions {
  /** The keys of each trusted issuer, by its name. */
  issuers: ReadonlyMap<string, IssuerKeys>
  audience: string | undefined
  now: () => number
}

/** A token that holds, and what that rests on. */
export interface VerifiedToken {
  claims: Members
  /** Milliseconds since 1970. */
  expiresAt: number
  issuer: IssuerKeys
  keys: KeySet
}

/**
 * Makes the function that verifies the token of a request: signature, `iss`, `exp`, `nbf`, `iat`, `aud`. Keys are those of the trusted
 * issuers alone, never any that the token itself brings or points at.
 */
export async function tokenVerifier(app: FastifyInstance, { issuers, audience, now }: VerifierOptions) {
  /** The key of the token that a request brings, found before its signature is looked at. */
  const pems = new WeakMap<FastifyRequest, string>()
  await app.register(jwt, {
    // It makes one verifier for each PEM that it is given, and keeps it.
    secret: async (request: FastifyRequest) => {
      const pem = pems.get(request)
      if (pem === undefined) throw unauthorized('The token has no key.')
      return pem
    },
    verify: {
      algorithms: [...algorithms.keys()] as NonNullable<VerifyOptions['algorithms']>,
      allowedIss: [...issuers.keys()],
      ...(audience === undefined ? {} : { allowedAud: audience }),
      requiredClaims: ['exp', 'iss', 'user_type', ...(audience === undefined ? [] : ['aud'])],
      // Dates are looked at beforehand, by the same clock as everything else here.
      ignoreExpiration: true,
      ignoreNotBefore: true,
      extractToken: (request) => tokenOf(request as FastifyRequest)
    }
  })

  /** @throws Problem `unauthorized`, or `token-issuer-unavailable` when keys cannot be had. */
  return async function verify(request: FastifyRequest, token: string): Promise<VerifiedToken> {
    const { header, claims, text } = readToken(token)
    bytesOf(token.slice(token.lastIndexOf('.') + 1))
    assertAccessToken(header, claims)
    const name = keyName(header)
    const issuer = typeof claims.iss === 'string' ? issuers.get(claims.iss) : undefined
    if (!issuer) throw unauthorized('The token’s issuer is not trusted.')
    const expiresAt = checkDates(claims, text, now())
    const found = await issuer.find(name)
    if (!found) throw unauthorized('The token is not signed with a key of its issuer.')
    pems.set(request, found.pem)
    try {
      await request.jwtVerify()
    } catch (cause) {
      throw unauthorized('The token is not valid.', cause)
    }
    return { claims, expiresAt, issuer, keys: found.keys }
  }
}

/** @throws Problem `unauthorized` when the header asks for something that is not offered. */
function keyName(header: Members): KeyName {
  const { alg, kid } = header
  if (typeof alg !== 'string' || !algorithms.has(alg))
    throw unauthorized('The token’s algorithm is not allowed.')
  if (kid !== undefined && typeof kid !== 'string') throw unauthorized('The token’s kid is no text.')
  // RFC 7515, section 4.1.11: no extension is understood here.
  if (Object.hasOwn(header, 'crit')) throw unauthorized('The token asks for an extension.')
  return { alg, kid }
}
