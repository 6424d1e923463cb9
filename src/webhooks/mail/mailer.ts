import type { Transporter } from 'nodemailer'
import { DELIVERY_TIMEOUT_MS, type DeliveryOutcome } from '../delivery/sender.js'

/** Minimum milliseconds between two mails of a subscription. */
export const MAIL_INTERVAL_MS = 15 * 60_000

export interface MailOptions {
  /** `smtp://` or `smtps://`, with user and password if the server requires them. */
  url: string
  from: string
  requireTls: boolean
  /** URL of the page that a mail links to. */
  link: string
}

/** A mail in plain text. */
export interface Mail {
  to: string
  subject: string
  text: string
}

export interface Mailer {
  link: string
  /** Sends once. Does not reject: every failure is an outcome. */
  send(mail: Mail): Promise<DeliveryOutcome>
}

/** Sends mail by SMTP. The package is loaded for the first mail. */
export function createMailer({ url, from, requireTls, link }: MailOptions): Mailer {
  let transport: Promise<Transporter> | undefined
  const connect = async () => {
    const { createTransport } = await import('nodemailer')
    const third = DELIVERY_TIMEOUT_MS / 3
    return createTransport({
      ...{ url, requireTLS: requireTls, disableFileAccess: true, disableUrlAccess: true },
      ...{ connectionTimeout: third, greetingTimeout: third, socketTimeout: third }
    } as object)
  }
  return {
    link,
    async send(mail) {
      try {
        transport ??= connect()
        const attempt = (await transport).sendMail({
          ...mail,
          from,
          headers: { 'Auto-Submitted': 'auto-generated' }
        })
        const outcome = await Promise.race([attempt, timeout()])
        if (outcome !== 'TIMEOUT') return { result: 'DELIVERED' }
        attempt.catch(() => {})
        // The server may still accept the mail.
        return { result: 'TIMEOUT', retryAfterMs: MAIL_INTERVAL_MS }
      } catch (cause) {
        return { result: failureOf(cause as { code?: string; responseCode?: number }) }
      }
    }
  }
}

const timeout = () =>
  new Promise<'TIMEOUT'>((resolve) => setTimeout(() => resolve('TIMEOUT'), DELIVERY_TIMEOUT_MS).unref())

function failureOf({ code, responseCode }: { code?: string; responseCode?: number }): string {
  if (responseCode !== undefined) return `STATUS_${responseCode}`
  return code === 'ETIMEDOUT' ? 'TIMEOUT' : 'CONNECTION_FAILED'
}
