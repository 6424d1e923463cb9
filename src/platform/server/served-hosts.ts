import { isIP } from 'node:net'
import { isLoopback } from '../urls/resource-urls.js'

/**
 * Makes the check of `Host` headers for a server that accepts unsigned tokens: by DNS rebinding a
 * foreign page could act as any user. An IP address cannot be rebound; behind a port mapping
 * clients use addresses that the server does not know.
 * @param options.apis names of APIs, which host addressing puts before the name of the host.
 */
export function servedHosts({
  host,
  publicUrl,
  apis
}: {
  host: string
  publicUrl: string
  apis: readonly string[]
}): (header: string) => boolean {
  const names = [host, new URL(publicUrl).hostname]
  return (header) => {
    const name = header.replace(/:\d*$/, '').toLowerCase()
    const api = apis.find((each) => name.startsWith(`${each}.`))
    const server = api === undefined ? name : name.slice(api.length + 1)
    const isAddress = isIP(server.replace(/^\[|\]$/g, '')) !== 0
    return isLoopback(server) || names.includes(server) || (isAddress && !isLoopback(host))
  }
}
