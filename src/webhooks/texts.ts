import { type ProblemTable, problemsOf, withDetails } from '../platform/errors/problem.js'

export const webhookProblems = {
  'subscription-stopped': {
    status: 409,
    title: { en: 'The subscription does not deliver', da: 'Abonnementet leverer ikke' },
    remedy: { en: 'Resume the subscription first.', da: 'Genoptag først abonnementet.' },
    details: {
      ended: {
        en: 'The target has responded with 410. Replace the target, or delete the subscription.',
        da: 'Målet har svaret med 410. Erstat det med et andet mål, eller slet abonnementet.'
      },
      stopped: {
        en: 'The subscription is {status}. Resume it first.',
        da: 'Abonnementet er {status}. Genoptag det først.'
      }
    }
  },
  'no-secret': {
    status: 409,
    title: { en: 'The subscription has no secret', da: 'Abonnementet har ingen hemmelighed' },
    remedy: {
      en: 'Only subscriptions whose target is a URL have a secret.',
      da: 'Kun abonnementer med en https-adresse som mål har en hemmelighed.'
    }
  },
  'too-many-secrets': {
    status: 409,
    title: { en: 'Too many secrets are valid', da: 'Der gælder for mange hemmeligheder' },
    remedy: {
      en: 'Wait until a former secret has expired.',
      da: 'Vent, til en tidligere hemmelighed er udløbet.'
    }
  },
  'too-many-subscriptions': {
    status: 422,
    title: {
      en: 'The organization has too many subscriptions',
      da: 'Organisationen har for mange abonnementer'
    },
    remedy: {
      en: 'Delete a subscription that is not used.',
      da: 'Slet et abonnement, der ikke bruges.'
    }
  },
  'target-not-allowed': {
    status: 422,
    title: { en: 'The target is not allowed', da: 'Målet er ikke tilladt' },
    remedy: {
      en: 'Send an HTTPS URL of a public host that the operator allows.',
      da: 'Send en HTTPS-adresse på en offentlig server, som driften tillader.'
    },
    details: {
      scheme: { en: 'It must be an https URL.', da: 'Det skal være en https-adresse.' },
      form: {
        en: 'It must be in canonical form: without user, password and fragment, host in lower case ASCII, no default port, an encoded path.',
        da: 'Det skal være på grundform: uden bruger, adgangskode og fragment (#), vært med små ASCII-bogstaver, ingen standardport og en kodet sti.'
      },
      origin: {
        en: 'It must be at an origin that the operator allows (EVENT_TARGETS). Ask the operator to add it.',
        da: 'Det skal være på en server, som driften tillader (EVENT_TARGETS). Bed driften om at tilføje den.'
      },
      noMail: {
        en: 'It must be a URL. The operator has not configured mail.',
        da: 'Det skal være en https-adresse. Driften har ikke sat e-mail op.'
      },
      mailAddress: {
        en: 'It must be mailto: and the email of a party of your organization.',
        da: 'Det skal være mailto: og e-mailadressen på en part i din organisation.'
      },
      otherKind: {
        en: 'A mail address cannot replace a URL, nor a URL a mail address. Create another subscription.',
        da: 'En e-mailadresse kan ikke erstatte en https-adresse eller omvendt. Opret et abonnement mere.'
      },
      address: {
        en: 'It must not be at a private address.',
        da: 'Det må ikke være på en privat netværksadresse.'
      }
    }
  },
  'webhooks-unavailable': {
    status: 503,
    title: { en: 'Webhooks are not configured', da: 'Webhooks er ikke sat op' },
    remedy: {
      en: 'Read the feed of events, or ask the operator to set SECRETS_KEY.',
      da: 'Læs strømmen af hændelser, eller bed driften om at angive SECRETS_KEY.'
    }
  }
} as const satisfies ProblemTable

export const sharedWebhookProblems = withDetails({
  'invalid-body': {
    mailSecret: {
      en: 'It must be left out: a mail address has no secret.',
      da: 'Det skal udelades: en e-mailadresse har ingen hemmelighed.'
    },
    secret: {
      en: 'It must be whsec_ and 24 to 64 bytes in base64. Leave it out to get a new secret.',
      da: 'Det skal være whsec_ og 24 til 64 byte i base64. Udelad det for at få en ny hemmelighed.'
    }
  },
  forbidden: {
    userType: {
      en: 'The subscription delivers events that {userType} may read. Only {userType} may change it.',
      da: 'Abonnementet leverer hændelser, som {userType} må læse. Kun {userType} må ændre det.'
    },
    events: {
      en: 'The subscription delivers events that only {userTypes} with the permission {permission} may read.',
      da: 'Abonnementet leverer hændelser, som kun {userTypes} med rettigheden {permission} må læse.'
    }
  }
})

export const webhookProblem = problemsOf({ ...webhookProblems, ...sharedWebhookProblems })
