import type { onRequestHookHandler } from 'fastify'

/** The headers of helmet 8, without the content security policy, which each page sets. */
export const standardHeaders = {
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'origin-agent-cluster': '?1',
  'referrer-policy': 'no-referrer',
  'strict-transport-security': 'max-age=31536000; includeSubDomains',
  'x-content-type-options': 'nosniff',
  'x-dns-prefetch-control': 'off',
  'x-download-options': 'noopen',
  'x-frame-options': 'SAMEORIGIN',
  'x-permitted-cross-domain-policies': 'none',
  'x-xss-protection': '0'
}

/** Adds the security headers to every response. */
export const addSecurityHeaders = (): onRequestHookHandler => (_request, reply, done) => {
  reply.headers(standardHeaders)
  done()
}
