export interface DatabaseServers {
  /**
   * The hosts in the order of connection attempts: the order of the URL, beginning with the last
   * used host.
   */
  hosts: DatabaseHost[]
  /** Whether the server must accept writes. */
  isWritable: boolean
}

export interface DatabaseHost {
  label: string
  /** The URL with this host only. The driver reads its parameters, user and password from it. */
  url: string
  /** An IPv6 address, which the driver does not parse. */
  ipv6: { host: string[]; port: number[] } | undefined
}

const parts = /^(postgres(?:ql)?:\/\/(?:[^/?#]*@)?)([^/?#@]*)([^?#]*)(?:\?([^#]*))?/
const hostAndPort = /^(?:\[([\da-f:.]+)\]|[^[\]:]*)(?::(\d+))?$/i
const DEFAULT_PORT = '5432'
const writableTargets = ['read-write', 'primary']

/**
 * Parses a database URL with one host or several: `postgres://h1:5432,h2/db`. Several hosts, or
 * `target_session_attrs`, require a server that accepts writes.
 */
export function parseDatabaseUrl(text: string): DatabaseServers {
  const { start, labels, path, query } = split(text)
  const target = query.get('target_session_attrs')
  query.delete('target_session_attrs')
  const end = `${path}${query.size > 0 ? `?${query}` : ''}`
  const hosts = labels.map((label) => {
    const [, address, port = DEFAULT_PORT] = hostAndPort.exec(label) ?? []
    const ipv6 = address === undefined ? undefined : { host: [address], port: [Number(port)] }
    return { label, url: `${start}${label}${end}`, ipv6 }
  })
  return { hosts, isWritable: hosts.length > 1 || target !== null }
}

/** The error of a database URL, which quotes no part of the URL that may be a password. */
export function databaseUrlError(text: string): string | undefined {
  if (!/^postgres(ql)?:\/\//.test(text)) return 'must start with postgres:// or postgresql://'
  const { labels, query } = split(text)
  if (!labels.every((label) => hostAndPort.test(label)) || (labels.length > 1 && labels.includes('')))
    return 'must name a host with an optional port, or several of them separated by commas'
  const target = query.get('target_session_attrs')
  if (target !== null && !writableTargets.includes(target))
    return `must not set target_session_attrs=${target}: the service writes. Use ${writableTargets.join(' or ')}`
  if (query.has('sslrootcert'))
    return 'must not set sslrootcert: the service does not read it. Name the file with your certificate authority in NODE_EXTRA_CA_CERTS, and set sslmode=verify-full'
  const clientCertificate = ['sslcert', 'sslkey'].find((name) => query.has(name))
  if (clientCertificate)
    return `must not set ${clientCertificate}: the service has no client certificates. Use a password`
  return undefined
}

function split(text: string) {
  const [, start = '', hosts = '', path = '', query = ''] = parts.exec(text) ?? []
  return { start, labels: hosts.split(','), path, query: new URLSearchParams(query) }
}
