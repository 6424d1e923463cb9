import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'
import { eventProblem } from '../event-api/problems.js'
import type { Words } from '../platform/errors/language.js'
import { fieldProblem } from '../platform/errors/problem.js'

/** What the operator allows as targets of deliveries. */
export interface Targets {
  isEmpty: boolean
  /** Whether the origin of a URL is listed. */
  isListed(url: string): boolean
  /**
   * Whether a connection to the origin of a URL may use an address: a public one, or one that is
   * listed for this origin.
   */
  isConnectable(url: string, address: string): boolean
}

/** A listed origin, and a private address that its name may lead to. */
export interface ListedTarget {
  origin: string
  address?: string | undefined
}

/**
 * Targets at listed origins. A private address is connectable only by an origin that names it, as
 * its host or after it, or by `localhost`: name, port and address must fit together.
 */
export function createTargets(entries: readonly ListedTarget[]): Targets {
  const listed = new Map<string, Set<string>>()
  for (const { origin, address } of entries) {
    const known = listed.get(origin) ?? new Set(addressesOf(origin))
    listed.set(origin, address === undefined ? known : known.add(address))
  }
  const addressesFor = (url: string) => listed.get(new URL(url).origin)
  return {
    isEmpty: listed.size === 0,
    isListed: (url) => addressesFor(url) !== undefined,
    isConnectable: (url, address) => isPublicAddress(address) || addressesFor(url)?.has(address) === true
  }
}

function addressesOf(origin: string): string[] {
  const host = hostOf(origin)
  if (host === 'localhost') return ['127.0.0.1', '::1']
  return isIP(host) ? [host] : []
}

/**
 * Whether an address is on the public internet. False for private, loopback, link-local, shared and
 * reserved ones, IPv4 addresses in IPv6 ones, and texts that are no address.
 */
function isPublicAddress(text: string): boolean {
  if (isIP(text) === 0 || text.includes('%')) return false
  const address = ipaddr.parse(text)
  const isGlobal = address.kind() === 'ipv4' || address.match(GLOBAL_IPV6)
  return isGlobal && address.range() === 'unicast'
}

const GLOBAL_IPV6 = ipaddr.parseCIDR('2000::/3')

/** The host of a URL, an IPv6 address without brackets. */
export const hostOf = (url: string): string => new URL(url).hostname.replace(/^\[|\]$/g, '')

/**
 * Checks the target of a subscription. It must be written in its canonical form, which excludes
 * other spellings of a host or address.
 * @throws Problem `target-not-allowed`.
 */
export function checkTarget(targets: Targets, target: string): void {
  const url = URL.canParse(target) ? new URL(target) : undefined
  const refuse = (detail: Words) =>
    fieldProblem(eventProblem, 'target-not-allowed', '/target', {
      en: `It ${detail.en}`,
      da: `Det ${detail.da}`
    })
  if (!url || !/^https?:$/.test(url.protocol))
    throw refuse({ en: 'must be an https URL.', da: 'skal være en https-adresse.' })
  if (url.username !== '' || url.password !== '')
    throw refuse({
      en: 'must not contain a user or password.',
      da: 'må ikke indeholde bruger eller adgangskode.'
    })
  if (target.includes('#'))
    throw refuse({ en: 'must not contain a fragment.', da: 'må ikke indeholde et fragment (#).' })
  if (target !== url.href && target !== url.origin)
    throw refuse({
      en: 'must be in canonical form: host in lower case ASCII, no default port, an encoded path.',
      da: 'skal være på grundform: vært med små ASCII-bogstaver, ingen standardport og en kodet sti.'
    })
  if (!targets.isListed(target))
    throw refuse({
      en: 'must be at an origin that the operator allows (EVENT_TARGETS). Ask the operator to add it.',
      da: 'skal være på en server, som driften tillader (EVENT_TARGETS). Bed driften om at tilføje den.'
    })
  const host = hostOf(target)
  if (isIP(host) && !targets.isConnectable(target, host))
    throw refuse({
      en: 'must not be at a private address.',
      da: 'må ikke være på en privat netværksadresse.'
    })
}
