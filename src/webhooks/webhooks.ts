import type { FastifyInstance } from 'fastify'
import type { Ports } from '../ports.js'
import type { SecretBox } from './secrets.js'
import type { Targets } from './targets.js'

/** What the use cases of subscriptions need beside the ports. */
export interface Webhooks {
  targets: Targets
  /** Whether mail addresses can be targets. */
  hasMail: boolean
  /**
   * Encrypts secrets.
   * @throws Problem `webhooks-unavailable` without a key.
   */
  secretBox(): SecretBox
  /** Looks for work now, and again at the subscription that was changed. */
  wake(id: string): void
}

declare module 'fastify' {
  interface FastifyInstance {
    webhooks: Webhooks
  }
}

export type WebhookPorts = Ports & Pick<FastifyInstance, 'webhooks'>
