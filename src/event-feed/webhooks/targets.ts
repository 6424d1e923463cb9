import { isIP } from 'node:net'
import { fieldProblem } from '../../platform/errors/problem.js'
import { eventProblem } from '../problems.js'
import { isPublicAddress } from './delivery/addresses.js'

/** What the operator allows as targets of deliveries. */
export interface Targets {
  isEmpty: boolean
  /** Whether the origin of a URL is listed. */
  isListed(url: string): boolean
  /** Whether to connect to an address: a public one, or one that is listed itself. */
  isConnectable(address: string): boolean
}

/**
 * Targets at listed origins. A private address is connectable only if an origin names it, or
 * `localhost`: to list a name that leads to it is not enough.
 */
export function createTargets(origins: readonly string[]): Targets {
  const listed = new Set(origins)
  const addresses = new Set(origins.flatMap(addressesOf))
  return {
    isEmpty: listed.size === 0,
    isListed: (url) => listed.has(new URL(url).origin),
    isConnectable: (address) => isPublicAddress(address) || addresses.has(address)
  }
}

function addressesOf(origin: string): string[] {
  const host = hostOf(origin)
  if (host === 'localhost') return ['127.0.0.1', '::1']
  return isIP(host) ? [host] : []
}

/** The host of a URL, an IPv6 address without brackets. */
export const hostOf = (url: string): string => new URL(url).hostname.replace(/^\[|\]$/g, '')

/**
 * Checks the target of a subscription. It must be written in its canonical form, which excludes
 * other spellings of a host or address.
 * @throws Problem `target-not-allowed`.
 */
export function checkTarget(targets: Targets, target: string): void {
  const url = URL.canParse(target) ? new URL(target) : undefined
  const refuse = (detail: string) =>
    fieldProblem(eventProblem, 'target-not-allowed', '/target', `In the body: /target ${detail}`)
  if (!url || !/^https?:$/.test(url.protocol)) throw refuse('must be an https URL.')
  if (url.username !== '' || url.password !== '') throw refuse('must not contain a user or password.')
  if (target.includes('#')) throw refuse('must not contain a fragment.')
  if (target !== url.href && target !== url.origin)
    throw refuse('must be in canonical form: host in lower case ASCII, no default port, an encoded path.')
  if (!targets.isListed(target))
    throw refuse('must be at an origin that the operator allows (EVENT_TARGETS). Ask the operator to add it.')
  const host = hostOf(target)
  if (isIP(host) && !targets.isConnectable(host)) throw refuse('is at a private address.')
}
