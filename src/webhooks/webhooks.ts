import type { FastifyInstance } from 'fastify'
import type { Ports } from '../ports.js'
import type { SecretCipher } from './secrets.js'
import type { Targets } from './targets.js'

/** The dependencies of the use cases of subscriptions in addition to the ports. */
export interface Webhooks {
  targets: Targets
  /** Whether mail addresses can be targets. */
  hasMail: boolean
  /**
   * Encrypts secrets.
   * @throws Problem `webhooks-unavailable` without a key.
   */
  secretCipher(): SecretCipher
  /** Scans for work now, and reloads the changed subscription. */
  wake(id: string): void
}

declare module 'fastify' {
  interface FastifyInstance {
    webhooks: Webhooks
  }
}

export type WebhookPorts = Ports & Pick<FastifyInstance, 'webhooks'>
