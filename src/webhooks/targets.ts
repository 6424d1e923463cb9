import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

export type Targets = ReturnType<typeof createTargets>

/** A listed origin, and a private address to which its name may resolve. */
export interface ListedTarget {
  origin: string
  address?: string | undefined
}

/**
 * The origins that the operator allows as targets of deliveries. A private address is connectable
 * only by an origin that names it, as its host or after it, or by `localhost`: name, port and
 * address must match.
 */
export function createTargets(entries: readonly ListedTarget[]) {
  const listed = new Map<string, Set<string>>()
  for (const { origin, address } of entries) {
    const known = listed.get(origin) ?? new Set(addressesOf(origin))
    listed.set(origin, address === undefined ? known : known.add(address))
  }
  const addressesFor = (url: string) => listed.get(new URL(url).origin)
  return {
    isEmpty: listed.size === 0,
    isListed: (url: string): boolean => addressesFor(url) !== undefined,
    /** Whether a connection to the origin of a URL may use an address. */
    isConnectable: (url: string, address: string): boolean =>
      isPublicAddress(address) || addressesFor(url)?.has(address) === true
  }
}

function addressesOf(origin: string): string[] {
  const host = hostOf(origin)
  if (host === 'localhost') return ['127.0.0.1', '::1']
  return isIP(host) ? [host] : []
}

/**
 * Whether an address is on the public internet. False for private, loopback, link-local, shared and
 * reserved addresses, IPv4 addresses within IPv6 addresses, and other texts.
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
 * The error of a URL as the target of a subscription. The URL must be in its canonical form, which
 * excludes other spellings of a host or address.
 */
export function targetFault(targets: Targets, target: string) {
  const url = URL.canParse(target) ? new URL(target) : undefined
  if (!url || !/^https?:$/.test(url.protocol)) return 'scheme'
  const isPlain = url.username === '' && url.password === '' && !target.includes('#')
  if (!isPlain || (target !== url.href && target !== url.origin)) return 'form'
  if (!targets.isListed(target)) return 'origin'
  const host = hostOf(target)
  return isIP(host) && !targets.isConnectable(target, host) ? 'address' : undefined
}
