import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { parseEncryptionKey, readKeyFile } from '../platform/encryption/encryption.js'
import { deliveryMetrics } from './delivery/delivery-metrics.js'
import { createDispatcher, type Dispatcher } from './delivery/dispatcher.js'
import { createSender } from './delivery/sender.js'
import { createMailer, type MailOptions } from './mail/mailer.js'
import { createSecretCipher, type SecretCipher } from './secrets.js'
import { createTargets, type ListedTarget } from './targets.js'
import { webhookProblem } from './texts.js'

export interface WebhookOptions {
  targets: readonly ListedTarget[]
  /** Key of the secrets, 32 bytes in base64. */
  secretsKey: string | undefined
  /** Folder of the key without a setting, in devtest. */
  keyFolder: string | undefined
  /** Undefined: no mail is sent. */
  mail: MailOptions | undefined
}

/** Milliseconds for attempts in flight when the server closes. */
const CLOSE_DELAY_MS = 5000

/**
 * Decorates the server with `webhooks`, and delivers events. Without targets and mail neither
 * timers nor queries run.
 */
export const webhooks = fp<WebhookOptions>(
  async (app: FastifyInstance, { targets: entries, secretsKey, keyFolder, mail }) => {
    const targets = createTargets(entries)
    const mailer = mail && createMailer(mail)
    let dispatcher: Dispatcher | undefined
    let cipher: SecretCipher | undefined
    const readKey = () => {
      const key =
        secretsKey === undefined ? keyFolder && readKeyFile(keyFolder) : parseEncryptionKey(secretsKey)
      if (key) return key
      throw webhookProblem('webhooks-unavailable', null, null, { headers: { 'retry-after': '3600' } })
    }
    app.decorate('webhooks', {
      targets,
      hasMail: mailer !== undefined,
      secretCipher() {
        cipher ??= createSecretCipher(readKey())
        return cipher
      },
      wake: (id: string) => dispatcher?.wake(id)
    })
    if (targets.isEmpty && !mailer) return

    const closing = new AbortController()
    const sender = createSender({ targets })
    const { measure, stop } = deliveryMetrics(() => dispatcher?.counts() ?? [])
    dispatcher = createDispatcher(
      { ports: app, sender, mailer, signal: closing.signal, measure },
      app.log,
      () => app.isShuttingDown
    )
    app.addHook('onReady', async () => dispatcher?.start())
    app.addHook('onClose', async () => {
      const timer = setTimeout(() => closing.abort(), CLOSE_DELAY_MS)
      await dispatcher?.stop()
      clearTimeout(timer)
      stop()
      await sender.close()
    })
  },
  { name: 'webhooks' }
)
