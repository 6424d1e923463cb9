import type { FastifyRequest } from 'fastify'
import { problem } from '../../errors/problem.js'
import { withoutTrailingSlash } from '../../rest/resource-urls.js'
import { type Caller, type UserType, userTypes } from '../actor.js'

/** Seconds by which clocks may differ. */
export const leeway = 30

/** Characters of a token at most. */
const longest = 16_384

/** Bytes of an organization's reference at most, as everywhere: it stands in an index. */
const longestReference = 2048

/** Three base64url parts, the last of which an unsigned token leaves empty (RFC 7515). */
const compact = /^[\w-]+\.[\w-]+\.[\w-]*$/

/**
 * The token of the `authorization` header, sent bare or after `Bearer`.
 * @throws Problem `unauthorized` when there is none, more than one, or something else.
 */
export function tokenOf(request: FastifyRequest): string {
  if (isSentTwice(request)) throw unauthorized('Send one authorization header.')
  const token = request.headers.authorization?.replace(/^bearer(?: +|$)/i, '').replace(/^ +$/, '')
  // RFC 6750, section 3.1: who sent no token is told no error code.
  if (!token)
    throw problem('unauthorized', 'Send a token in the authorization header.', {
      headers: { 'www-authenticate': 'Bearer' }
    })
  if (token.length > longest) throw unauthorized(`A token has ${longest} characters at most.`)
  if (!compact.test(token)) throw unauthorized('The authorization header holds no JSON Web Token.')
  return token
}

/** Of two such headers Node shows the first, and a proxy may have looked at the other. */
const isSentTwice = ({ raw }: FastifyRequest) =>
  raw.rawHeaders.filter((text, index) => index % 2 === 0 && text.toLowerCase() === 'authorization').length > 1

/** A 401 with the challenge that RFC 6750 asks for. */
export function unauthorized(detail: string, cause?: unknown) {
  return problem('unauthorized', detail, {
    headers: { 'www-authenticate': 'Bearer error="invalid_token"' },
    cause
  })
}

/**
 * Reads the caller from a token's claims, each by its name (never merged: a claim may be called `__proto__`).
 * @throws Problem `unauthorized` when `user_type` is missing or a claim has the wrong type, `forbidden` for a user type
 * that has no business here.
 */
export function actorFrom(claims: Readonly<Record<string, unknown>>, token: string): Caller {
  const userType = text(claims, 'user_type')
  if (userType === undefined) throw unauthorized('The token has no user_type.')
  if (!isUserType(userType)) throw problem('forbidden', `This is for ${userTypes.join(', ')} only.`)
  return {
    userType,
    userId: text(claims, 'user_id') ?? text(claims, 'sub'),
    name: text(claims, 'name'),
    organization: organizationOf(claims),
    permissions: new Set(rolesOf(record(claims, 'realm_access'))),
    token
  }
}

function organizationOf(claims: Readonly<Record<string, unknown>>): string | undefined {
  const organization = text(record(claims, 'context'), 'organization_id')
  if (organization !== undefined && Buffer.byteLength(organization) > longestReference)
    throw unauthorized('The token’s organization_id is too long.')
  return organization && withoutTrailingSlash(organization)
}

const isUserType = (value: string): value is UserType => (userTypes as readonly string[]).includes(value)

function own(claims: Readonly<Record<string, unknown>>, name: string): unknown {
  const value = Object.hasOwn(claims, name) ? claims[name] : undefined
  return value === null ? undefined : value
}

function text(claims: Readonly<Record<string, unknown>>, name: string): string | undefined {
  const value = own(claims, name)
  if (value === undefined || value === '') return undefined
  if (typeof value !== 'string') throw unauthorized(`The token’s ${name} is no text.`)
  return value
}

function record(claims: Readonly<Record<string, unknown>>, name: string): Readonly<Record<string, unknown>> {
  const value = own(claims, name)
  if (value === undefined) return {}
  if (typeof value !== 'object' || Array.isArray(value))
    throw unauthorized(`The token’s ${name} is no object.`)
  return value as Record<string, unknown>
}

function rolesOf(access: Readonly<Record<string, unknown>>): string[] {
  const roles = own(access, 'roles') ?? []
  if (!Array.isArray(roles) || !roles.every((role) => typeof role === 'string'))
    throw unauthorized('The token’s realm_access.roles is no list of texts.')
  return roles
}
