import Fastify, { type FastifyInstance, type FastifyPluginAsync } from 'fastify'
import { contractRoutes } from './agreement/contract.routes.js'
import { reportExpiringContracts } from './agreement/expiring-contracts.js'
import { hasParties } from './agreement/lookup.js'
import { meRoutes } from './agreement/me/me.routes.js'
import { partyRoutes } from './agreement/party.routes.js'
import { agreementProblems } from './agreement/texts.js'
import { asyncApiRoutes } from './asyncapi/asyncapi.routes.js'
import { preparePartitions } from './audit/prepare-partitions.js'
import { auditEventRoutes } from './audit-api/audit-event.routes.js'
import { annotationRoutes } from './catalogue/annotation/annotation.routes.js'
import { blackListRoutes } from './catalogue/black-list/black-list.routes.js'
import { catalogueRoutes } from './catalogue/catalogues/catalogue.routes.js'
import { itemRoutes } from './catalogue/item/item.routes.js'
import { inCatalogues } from './catalogue/lookup.js'
import { catalogueConstraints } from './catalogue/problems.js'
import { catalogueProblems } from './catalogue/texts.js'
import { valueSetRoutes } from './catalogue/value-set/value-set.routes.js'
import { whiteListRoutes } from './catalogue/white-list/white-list.routes.js'
import { clinicalProblems } from './clinical/texts.js'
import { eventFeedRoutes } from './event-api/event-feed.routes.js'
import { observeDelay } from './event-api/observe-delay.js'
import { eventProblems } from './event-api/texts.js'
import { historyRoutes } from './excel/import/history.routes.js'
import { importRoutes } from './excel/import/import.routes.js'
import { excelProblems } from './excel/texts.js'
import { uploadMeta, uploadPageRoutes } from './excel/upload-page.routes.js'
import { workbookRoutes } from './excel/workbook.routes.js'
import { deskRoutes } from './home/desk.routes.js'
import { homeRoutes } from './home/home.routes.js'
import { problemRoutes, respondToUnknownPaths } from './home/problem.routes.js'
import { idempotency } from './idempotency/plugin.js'
import { orderLineProblems } from './order/line.texts.js'
import { findDeliveredItems, inOpenOrders } from './order/lookup.js'
import { reportReminders } from './order/reminders/report-reminders.js'
import { orderRoutes } from './order/routes/order.routes.js'
import { orderLineRoutes } from './order/routes/order-line.routes.js'
import { orderStatisticsRoutes } from './order/routes/order-statistics.routes.js'
import { orderabilityRoutes } from './order/routes/orderability.routes.js'
import { traceRoutes } from './order/routes/trace-line.routes.js'
import { statisticsProblems } from './order/statistics/texts.js'
import { orderProblems } from './order/texts.js'
import { addPipeline } from './pipeline.js'
import { rateLimiter } from './platform/auth/rate-limit.js'
import { authProblems } from './platform/auth/texts.js'
import { signIn } from './platform/auth/tokens/sign-in.js'
import { unsignedTokens } from './platform/auth/tokens/unsigned-token.js'
import type { VerifiedTokens } from './platform/auth/tokens/verified.js'
import { platformProblems } from './platform/errors/texts.js'
import { jsonProblems } from './platform/json/texts.js'
import { validatorCompiler } from './platform/json/validation.js'
import { logLine } from './platform/logging/log-line.js'
import { openapi } from './platform/openapi/plugin.js'
import { programVersion } from './platform/program/program.js'
import { tagResponse } from './platform/rest/etag.js'
import { checkRoutes } from './platform/rest/route-config.js'
import { servedHosts } from './platform/server/check-head.js'
import { errorHandler } from './platform/server/error-handler.js'
import { health } from './platform/server/health.js'
import { repeatedWork } from './platform/server/repeated.js'
import { type LogStream, serverOptions } from './platform/server/server-options.js'
import { serverProblems } from './platform/server/texts.js'
import { rewriteHostAddressing } from './platform/urls/addressing.js'
import { openPorts, type Ports } from './ports.js'
import type { Config } from './settings/config.js'
import { terminologyProblems } from './terminology/texts.js'
import { subscriptionActionRoutes } from './webhooks/action.routes.js'
import { webhooks } from './webhooks/plugin.js'
import { subscriptionRoutes } from './webhooks/subscription.routes.js'
import { webhookProblems } from './webhooks/texts.js'
import type { RunTask } from './xlsx/task.js'

interface Api {
  description: string
  hasEtags: boolean
  routes: readonly FastifyPluginAsync[]
}

/** The APIs, by their name in URLs. */
const apis: Readonly<Record<string, Api>> = {
  'ssl-catalogue': {
    description: 'Catalogues of providers, their items, annotations, white lists and black lists.',
    hasEtags: true,
    routes: [
      catalogueRoutes,
      itemRoutes(findDeliveredItems),
      ...[annotationRoutes, whiteListRoutes, blackListRoutes, valueSetRoutes],
      eventFeedRoutes('ssl-catalogue')
    ]
  },
  'ssl-order': {
    description: 'Parties and contracts, orders with their lines, and the trace of their events.',
    hasEtags: true,
    routes: [
      meRoutes,
      partyRoutes([inOpenOrders, inCatalogues]),
      contractRoutes,
      orderRoutes,
      orderabilityRoutes,
      orderLineRoutes,
      orderStatisticsRoutes,
      traceRoutes,
      auditEventRoutes,
      eventFeedRoutes('ssl-order'),
      subscriptionRoutes,
      subscriptionActionRoutes
    ]
  },
  'ssl-catalogue-excel': {
    description: 'Catalogues as Excel workbooks.',
    hasEtags: false,
    routes: [workbookRoutes, importRoutes, historyRoutes, uploadPageRoutes]
  }
}

export const allProblems = {
  ...platformProblems,
  ...serverProblems,
  ...jsonProblems,
  ...authProblems,
  ...terminologyProblems,
  ...clinicalProblems,
  ...agreementProblems,
  ...catalogueProblems,
  ...orderProblems,
  ...orderLineProblems,
  ...statisticsProblems,
  ...eventProblems,
  ...webhookProblems,
  ...excelProblems
}

export interface AppOptions {
  /** Destination of log lines, by default standard output. */
  log?: LogStream
  /** Reads and marks a workbook, by default in a child process. */
  runWorkbookTask?: RunTask
}

/**
 * Interval in which the replaced organizations are reloaded, after which their tokens are rejected.
 */
const ORGANIZATIONS_INTERVAL_MS = 5000

/** Builds the server, which does not listen yet. The schema of its database must be up to date. */
export async function buildApp(
  config: Config,
  databaseUrl: string,
  { log, runWorkbookTask }: AppOptions = {}
): Promise<FastifyInstance> {
  const app = Fastify({ ...serverOptions(config, log), rewriteUrl: rewriteHostAddressing(Object.keys(apis)) })
  const version = programVersion()
  app.log.info(logLine('starting', { ...version }))
  const { ports, dependencies, close } = await openPorts(config, databaseUrl, app.log, runWorkbookTask)
  app.addHook('onClose', close)
  for (const [name, port] of Object.entries(ports)) app.decorate(name, port)
  app.setValidatorCompiler(validatorCompiler)
  // Response schemas are documentation only: serializers compiled from them are slower than
  // JSON.stringify, and compiling takes time.
  app.setSerializerCompiler(() => JSON.stringify)

  await app.register(errorHandler, { constraints: catalogueConstraints, origin: config.publicUrl })
  checkRoutes(app)
  const acceptsUnsignedTokens = !config.tokens.verified
  const { authenticate, hasKeys, signInIssuers } = await tokens(app, config)
  await addPipeline(app, {
    ...config,
    exportsSpans: config.tracing.endpoint !== undefined,
    isServedHost: acceptsUnsignedTokens ? servedHosts({ ...config, apis: Object.keys(apis) }) : undefined,
    authenticate,
    limit: await rateLimiter(app, config.limits.rate, config.trustProxy),
    administersAll: ({ organization }) =>
      config.clerkScope === 'any' || (config.environment === 'devtest' && organization === undefined),
    replacementOf: ports.replacedOrganizations.replacementOf,
    audit: ports.audit
  })
  await app.register(repeatedWork, {
    intervalMs: ORGANIZATIONS_INTERVAL_MS,
    failure: 'Cannot read which organizations were replaced',
    run: ports.replacedOrganizations.refresh
  })

  await app.register(idempotency, { db: ports.db })
  await preparePartitions(app)
  await app.register(repeatedWork, {
    failure: 'Failed to report expiring contracts',
    run: () => reportExpiringContracts(app)
  })
  await app.register(repeatedWork, {
    failure: 'Failed to report overdue orders and near deliveries',
    run: (signal) => reportReminders(app, signal)
  })
  await app.register(webhooks, config.webhooks)
  app.addHook('onClose', observeDelay(ports))

  const issuerKeys = { state: () => (hasKeys() ? 'ok' : 'unavailable'), isVital: true } as const
  await app.register(health, { version, dependencies: { ...dependencies, issuerKeys } })
  await app.register(signIn, {
    client: config.signIn,
    issuers: signInIssuers,
    hasPeople: acceptsUnsignedTokens
  })
  await app.register(homeRoutes, {
    version,
    hasDocuments: config.apiDocs,
    hasTokens: acceptsUnsignedTokens,
    hasDesk: config.orderDesk,
    hasData: () => hasParties(ports.db)
  })
  const deskMeta = { ...uploadMeta(app), 'has-mail': String(app.webhooks.hasMail) }
  if (config.orderDesk) await app.register(deskRoutes, { meta: deskMeta })
  await app.register(problemRoutes, { problems: allProblems })
  respondToUnknownPaths(app, Object.keys(apis))
  await registerApis(app, config)
  return app
}

/**
 * Registers the APIs and their documents. Routes read the ports of the app as they are registered.
 */
export async function registerApis(app: FastifyInstance, config: Config): Promise<void> {
  if (config.apiDocs) await app.register(asyncApiRoutes)
  const exampleBaseUrls = exampleBaseUrlsOf(config, app)
  for (const [name, { description, hasEtags, routes }] of Object.entries(apis)) {
    await app.register(
      async (api) => {
        if (config.apiDocs)
          await api.register(openapi, {
            title: name,
            description,
            hasEtags,
            problems: allProblems,
            exampleBaseUrls,
            codesOf: (set) => codesOf(app, set),
            keepsTokens: !config.tokens.verified,
            baseUrl: app.resourceUrls.base(name)
          })
        if (hasEtags) api.addHook('onSend', tagResponse)
        for (const each of routes) await api.register(each)
      },
      { prefix: `/${name}/v1` }
    )
  }
}

function codesOf({ terminology }: Ports, set: string): string[] {
  const codings = terminology.valueSets().get(set)?.codings
  if (!codings) throw new Error(`There is no value set ${set}.`)
  return codings.map(({ code }) => code)
}

/** Base URLs by the placeholders of the examples. */
function exampleBaseUrlsOf({ valueSets }: Config, { resourceUrls }: Ports): Record<string, string> {
  const bases = Object.keys(apis).map((name) => [name, resourceUrls.base(name)])
  return { valuesets: valueSets.base, ...Object.fromEntries(bases) }
}

/** Imports the verification of tokens only if it is enabled, to speed up the start. */
async function tokens(app: FastifyInstance, { tokens }: Config): Promise<VerifiedTokens> {
  if (!tokens.verified) return { authenticate: unsignedTokens, hasKeys: () => true, signInIssuers: () => [] }
  const { verifiedTokens } = await import('./platform/auth/tokens/verified.js')
  return verifiedTokens(app, tokens)
}
