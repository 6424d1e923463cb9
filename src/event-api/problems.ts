import { type ProblemTable, problemsOf } from '../platform/errors/problem.js'

export const eventProblems = {
  'cursor-too-old': [
    410,
    {
      en: 'The events after the cursor are no longer kept',
      da: 'Hændelserne efter cursoren gemmes ikke længere'
    },
    {
      en: 'Read the resources, then begin at the end of the feed.',
      da: 'Læs ressourcerne, og begynd så ved slutningen af strømmen.'
    }
  ],
  'subscription-stopped': [
    409,
    { en: 'The subscription does not deliver', da: 'Abonnementet leverer ikke' },
    { en: 'Resume it first.', da: 'Genoptag det først.' }
  ],
  'too-many-secrets': [
    409,
    { en: 'Too many secrets are valid', da: 'For mange hemmeligheder gælder' },
    { en: 'Wait until an earlier secret has expired.', da: 'Vent, til en tidligere hemmelighed er udløbet.' }
  ],
  'too-many-subscriptions': [
    422,
    { en: 'The organization has too many subscriptions', da: 'Organisationen har for mange abonnementer' },
    { en: 'Delete one that is not used.', da: 'Slet et, der ikke bruges.' }
  ],
  'target-not-allowed': [
    422,
    { en: 'The target is not allowed', da: 'Målet er ikke tilladt' },
    {
      en: 'Send an HTTPS URL of a public host that the operator allows.',
      da: 'Send en HTTPS-adresse på en offentlig server, som driften tillader.'
    }
  ],
  'webhooks-unavailable': [
    503,
    { en: 'Webhooks are not configured', da: 'Webhooks er ikke sat op' },
    {
      en: 'Read the feed of events, or ask the operator to configure webhooks.',
      da: 'Læs strømmen af hændelser, eller bed driften om at sætte webhooks op.'
    }
  ]
} as const satisfies ProblemTable

export const eventProblem = problemsOf(eventProblems)
