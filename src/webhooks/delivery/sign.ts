import { Webhook } from 'standardwebhooks'
import type { CloudEvent } from '../../event-api/event-feed.schemas.js'
import type { Delivery } from './sender.js'

/**
 * Makes a delivery of an event, signed with each secret (Standard Webhooks). During a rotation
 * there are several secrets. Every attempt has the id of the event.
 */
export function signedDelivery(
  target: string,
  event: CloudEvent,
  secrets: readonly string[],
  at = new Date()
): Delivery {
  const body = JSON.stringify(event)
  return {
    target,
    body,
    headers: {
      'content-type': 'application/cloudevents+json',
      'user-agent': 'ssl-backend',
      'webhook-id': event.id,
      'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
      'webhook-signature': secrets.map((secret) => new Webhook(secret).sign(event.id, at, body)).join(' ')
    }
  }
}
