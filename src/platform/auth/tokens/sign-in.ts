import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { addVary, requestLanguage } from '../../headers/negotiation.js'
import { pageHtml, pagePolicy } from '../../page/page.js'
import { signInTexts } from '../texts.js'
import type { SignInIssuer } from './discovery.js'

/** The redirect URI of sign-ins, at every host name of the server. */
const RETURN_PATH = '/sign-in'

const config = { access: 'public' } as const
const schema = { hide: true }

declare module 'fastify' {
  interface FastifyInstance {
    signIn: {
      /**
       * `meta` elements about the access to a page: the sign-in if it is configured, and the first
       * page if users choose a person there.
       * @param root relative URL of the first page.
       */
      meta(root: string): Record<string, string>
      /** The origins that such a page calls. */
      origins(): string[]
    }
  }
}

export interface SignInOptions {
  /** The client id of the pages at the issuers. Without a client id no user can sign in. */
  client: { clientId: string; scope: string; resource: string | undefined } | undefined
  issuers(): SignInIssuer[]
  /** Whether the first page gives out unsigned tokens of people. */
  hasPeople: boolean
}

/** Lets users sign in on pages, and serves the page to which the issuers redirect them. */
export const signIn = fp<SignInOptions>(
  async (app: FastifyInstance, { client, issuers, hasPeople }) => {
    app.decorate('signIn', {
      meta: (root) => ({
        ...(client && {
          'sign-in': JSON.stringify({ ...client, returnPath: RETURN_PATH, issuers: issuers() })
        }),
        ...(hasPeople && { 'people-page': root })
      }),
      origins: () =>
        client ? [...new Set(issuers().map((each) => new URL(each.token_endpoint).origin))] : []
    })
    if (client) await app.register(returnPage)
  },
  { name: 'sign-in' }
)

/**
 * The page contains no data. Its script hands the issuer's response over to the page that waits for
 * it.
 */
async function returnPage(app: FastifyInstance): Promise<void> {
  const headers = {
    'content-security-policy': pagePolicy(["'none'"]),
    'cache-control': 'no-store',
    // The waiting page can then detect whether the window is still open.
    'cross-origin-opener-policy': 'unsafe-none'
  }
  app.addHook('onRequest', async (_request, reply) => {
    reply.headers(headers)
  })
  app.get(RETURN_PATH, { config, schema }, async (request, reply) => {
    const language = requestLanguage(request)
    const title = signInTexts.signIn[language]
    addVary(reply, 'Accept-Language')
    return reply.type('text/html; charset=utf-8').send(
      pageHtml({
        language,
        title,
        root: '',
        script: 'sign-in',
        body: `    <header><h1>${title}</h1></header>\n    <main><p>${signInTexts.signedIn[language]}</p></main>`
      })
    )
  })
}
