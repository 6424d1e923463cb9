import { BlockList, isIP } from 'node:net'

/** IPv4 ranges that are private, local, shared, reserved or for documentation (RFC 6890). */
const RESERVED_IPV4: readonly [string, number][] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4]
]

/**
 * Ranges within the global unicast addresses of IPv6 that contain IPv4 addresses (Teredo, 6to4),
 * or are for documentation.
 */
const RESERVED_IPV6: readonly [string, number][] = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20]
]

const reserved = new BlockList()
for (const [address, prefix] of RESERVED_IPV4) reserved.addSubnet(address, prefix, 'ipv4')
for (const [address, prefix] of RESERVED_IPV6) reserved.addSubnet(address, prefix, 'ipv6')
const globalIpv6 = new BlockList()
globalIpv6.addSubnet('2000::', 3, 'ipv6')

/**
 * Whether an address is on the public internet. False for private, loopback, link-local and shared
 * ones, IPv4 addresses in IPv6 ones, and texts that are no address.
 */
export function isPublicAddress(address: string): boolean {
  switch (isIP(address)) {
    case 4:
      return !reserved.check(address, 'ipv4')
    case 6:
      return !address.includes('%') && globalIpv6.check(address, 'ipv6') && !reserved.check(address, 'ipv6')
    default:
      return false
  }
}
