import { type Static, Type } from '@sinclair/typebox'
import { type EventType, eventTypes } from '../ledger/event-types.js'
import { userTypes } from '../platform/auth/caller.js'
import { Enum, Id, Maybe, NoId, Nullable, Strict, Timestamp, Url } from '../platform/schemas/schemas.js'
import { subscriptionResource } from './resources.js'
import { subscriptionStatuses } from './tables.js'

/** The types that a subscription may name, of both APIs. */
const subscribableTypes: readonly EventType[] = Object.values(eventTypes).flat()

const target = 'https://hooks.example.org/ssl'
const time = '2026-03-02T08:21:40.093Z'

const Types = Type.Array(
  { ...Enum(subscribableTypes, 'Type of event.'), example: 'order.submitted' },
  {
    description: 'Types of events to deliver, of both APIs.',
    minItems: 1,
    maxItems: 100,
    example: ['order.submitted', 'order.status-changed']
  }
)

export const TestEventQuery = Type.Object(
  {
    type: Type.Optional(
      Enum(subscribableTypes, 'Type of which the example is sent. Default: a `subscription.test` event.')
    )
  },
  { additionalProperties: false }
)
export type TestEventQuery = Static<typeof TestEventQuery>

const members = {
  target: Type.String({
    maxLength: 2048,
    description:
      'URL that events are sent to, at an origin that the operator allows, or `mailto:` and the `email` of a party of the organization.',
    example: target
  }),
  types: Types
}

export const SubscriptionInput = Strict(
  {
    id: NoId,
    ...members,
    secret: Maybe(
      Type.String({
        maxLength: 120,
        description: 'Secret of the signatures: `whsec_` and 24 to 64 bytes in base64. Made when absent.'
      })
    )
  },
  'A subscription to create.',
  'SubscriptionInput'
)
export type SubscriptionInput = Static<typeof SubscriptionInput>

export const SubscriptionReplacement = Strict(
  {
    id: Maybe(Type.String({ maxLength: 36, description: 'Id of the resource.' })),
    ...members
  },
  'The content that replaces a subscription. The secret stays.',
  'SubscriptionReplacement'
)
export type SubscriptionReplacement = Static<typeof SubscriptionReplacement>

const Attempt = Type.Object(
  {
    time: Timestamp('Time of the attempt (UTC).', time),
    event: Type.String({ description: 'Id of the event.', example: '019f5a3e-7c00-7000-8000-000000000001' }),
    type: Type.String({ description: 'Type of the event.', example: 'order.submitted' }),
    attempt: Type.Integer({ minimum: 1, description: 'Number of the attempt.', example: 1 }),
    result: Type.String({
      description:
        '`DELIVERED`, `STATUS_` and the status of the response, `TIMEOUT`, `CONNECTION_FAILED`, `ADDRESS_REFUSED`, `TARGET_NOT_ALLOWED` or `SECRET_UNREADABLE`.',
      example: 'DELIVERED'
    }),
    durationMs: Type.Integer({ minimum: 0, description: 'Duration in milliseconds.', example: 42 })
  },
  { title: 'DeliveryAttempt', description: 'An attempt to deliver an event.' }
)

const shown = {
  id: Id(subscriptionResource, 'hooks'),
  target: Url('URL that events are sent to.', target),
  types: Types,
  status: {
    ...Enum(
      subscriptionStatuses,
      '`PENDING` until the target has accepted a test event, `SUSPENDED` after ten failed attempts in a row or when undelivered events are no longer kept, `ENDED` when the target responded with 410.'
    ),
    example: 'ACTIVE'
  },
  statusReason: Nullable(
    Type.String({
      description:
        'Why the subscription is paused, suspended or ended, from the value set subscription-status-reason: `attempts-exhausted`, `gone`, `cursor-too-old`, or `ORGANIZATION_REPLACED`: it belonged to an organization that another one replaced. Null if a caller paused it.',
      example: 'gone'
    })
  ),
  organization: Url(
    'URL of the Organization that owns the subscription.',
    'https://fhir.example/Organization/region'
  ),
  userType: {
    ...Enum(userTypes, 'User type whose rights decide which events are delivered.'),
    example: 'MonitoringResponsible'
  },
  permissions: Type.Array(Type.String({ description: 'A permission.' }), {
    description: 'Permissions that decide which events are delivered.',
    example: ['Order.read']
  }),
  created: Timestamp('Time of creation (UTC).', time),
  deliveredUntil: Timestamp(
    'Every event before this time was delivered, or is not visible (UTC), except for events of changes that were in progress at that time.',
    time
  ),
  lagSeconds: Type.Integer({
    minimum: 0,
    description:
      'Seconds since `deliveredUntil`. Up to 10 while everything is delivered; more while events wait, and while the subscription does not deliver.',
    example: 3
  }),
  failures: Type.Integer({ minimum: 0, description: 'Failed attempts in a row.', example: 0 }),
  nextAttempt: Nullable(
    Timestamp('Time of the next attempt after a failed one, or of the next mail (UTC).', time)
  ),
  attempts: Type.Array(Attempt, { description: 'The last attempts, newest first.' })
}

export const Subscription = Type.Object(shown, {
  title: 'Subscription',
  description: 'A subscription to events, and the state of its deliveries.'
})
export type Subscription = Static<typeof Subscription>

const Secret = Type.String({
  description: 'Secret of the signatures. Shown only once.',
  example: 'whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3'
})

/** The response to a create. */
export const CreatedSubscription = Type.Object(
  { id: shown.id, secret: Nullable(Secret) },
  {
    title: 'CreatedSubscription',
    description: 'The id of a new subscription, and its secret. A mail address has no secret.'
  }
)

/** The response to a rotation. */
export const NewSecret = Type.Object(
  {
    secret: Secret,
    formerValidUntil: Timestamp('Until this time deliveries are also signed with the former secret.', time)
  },
  { title: 'NewSecret', description: 'The new secret of a subscription.' }
)
export type NewSecret = Static<typeof NewSecret>
