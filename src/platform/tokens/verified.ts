import jwt, { type VerifyOptions } from '@fastify/jwt'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { JWTHeaderParameters } from 'jose'
import type { Authenticate } from '../access.js'
import { Problem } from '../problem.js'
import { actorFrom, leeway, tokenOf, unauthorized } from './claims.js'
import { issuerKeys } from './issuers.js'

/** Asymmetric only: with a shared secret whoever verifies could also sign. */
const algorithms: NonNullable<VerifyOptions['algorithms']> = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA'
]

interface CompleteToken {
  header: JWTHeaderParameters
  payload: { iss?: unknown }
}

/** Takes tokens signed by a trusted issuer: signature, `iss`, `exp`, `nbf`, `aud` and the caller's claims are checked. */
export async function verifiedTokens(
  app: FastifyInstance,
  { issuers, audience }: { issuers: readonly string[]; audience: string | undefined }
): Promise<Authenticate> {
  const publicKey = issuerKeys(issuers)
  await app.register(jwt, {
    decode: { complete: true },
    secret: async (_request: FastifyRequest, token: unknown) => {
      const { header, payload } = token as CompleteToken
      // Before any key is fetched: a token that could never be taken must not make us ask its issuer.
      if (!(algorithms as string[]).includes(header.alg))
        throw unauthorized('The token’s algorithm is not allowed.')
      return publicKey(header, payload.iss)
    },
    verify: {
      algorithms,
      allowedIss: [...issuers],
      ...(audience === undefined ? {} : { allowedAud: audience }),
      clockTolerance: leeway * 1000,
      requiredClaims: ['exp', 'iss', 'user_type', ...(audience === undefined ? [] : ['aud'])],
      extractToken: (request) => tokenOf(request as FastifyRequest)
    }
  })
  return async (request) => actorFrom(await verify(request), tokenOf(request))
}

async function verify(request: FastifyRequest): Promise<Record<string, unknown>> {
  try {
    return await request.jwtVerify<Record<string, unknown>>()
  } catch (cause) {
    throw cause instanceof Problem ? cause : unauthorized('The token is not valid.', cause)
  }
}
