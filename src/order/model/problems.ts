import { type ProblemTable, problemsOf } from '../../platform/errors/problem.js'

export const orderProblems = {
  'illegal-transition': [
    409,
    { en: 'The status transition is not allowed', da: 'Statusskiftet er ikke tilladt' },
    {
      en: 'Move it to a status that `allowedStatuses` names.',
      da: 'Skift til en status, som `allowedStatuses` nævner.'
    }
  ],
  'not-your-move': [
    403,
    { en: 'Another user type must make this change', da: 'En anden brugertype skal gøre dette' },
    { en: 'Leave this change to the other side.', da: 'Overlad ændringen til den anden side.' }
  ],
  'unfulfilled-lines': [
    409,
    {
      en: 'An order with an unfulfilled line cannot be fulfilled',
      da: 'En bestilling med en linje, der ikke er udført, kan ikke udføres'
    },
    { en: 'Submit the line again, or cancel it first.', da: 'Afsend linjen igen, eller annullér den først.' }
  ],
  'delivered-lines': [
    409,
    {
      en: 'An order with a fulfilled line cannot be rejected or cancelled',
      da: 'En bestilling med en udført linje kan hverken afvises eller annulleres'
    },
    { en: 'Cancel the open lines instead.', da: 'Annullér de åbne linjer i stedet.' }
  ],
  'not-deletable': [
    409,
    {
      en: 'Only a draft, or an open line of a draft, can be deleted',
      da: 'Kun en kladde eller en åben linje i en kladde kan slettes'
    },
    { en: 'Cancel it instead.', da: 'Annullér i stedet.' }
  ],
  'not-initial-status': [
    422,
    { en: 'This initial status is not allowed', da: 'Der kan ikke begyndes med denne status' },
    {
      en: 'Create an order as a DRAFT, a line as UNFULFILLED or SUBMITTED.',
      da: 'Opret en bestilling som kladde og en linje som ikke udført eller afsendt.'
    }
  ],
  'no-open-lines': [
    422,
    {
      en: 'An order without an open line cannot be submitted',
      da: 'En bestilling uden åbne linjer kan ikke afsendes'
    },
    { en: 'Add an order line first.', da: 'Tilføj først en linje.' }
  ],
  'too-many-lines': [
    422,
    { en: 'The order has the maximum number of lines', da: 'Bestillingen har det højeste antal linjer' },
    { en: 'Make another order for the rest.', da: 'Opret en bestilling mere til resten.' }
  ],
  'reason-not-allowed': [
    422,
    { en: 'This change does not take a reason', da: 'Denne ændring tager ingen grund' },
    {
      en: 'Leave the reason out, or send it with the change of the status.',
      da: 'Udelad grunden, eller send den med statusskiftet.'
    }
  ],
  'awaiting-not-allowed': [
    422,
    { en: 'The order cannot await an answer', da: 'Bestillingen kan ikke afvente et svar' },
    {
      en: 'Set `awaiting` on a running order, in a patch that adds a note.',
      da: 'Sæt `awaiting` på en løbende bestilling, i en patch, der tilføjer en note.'
    }
  ],
  'line-not-submitted': [
    422,
    { en: 'This change requires a submitted order line', da: 'Ændringen kræver en afsendt linje' },
    {
      en: 'Change it while the line is SUBMITTED in a running order.',
      da: 'Foretag ændringen, mens linjen er afsendt i en løbende bestilling.'
    }
  ],
  'order-not-draft': [
    422,
    { en: 'This change requires a draft', da: 'Ændringen kræver en kladde' },
    { en: 'Make another order.', da: 'Opret en anden bestilling.' }
  ],
  'order-closed': [
    422,
    { en: 'The order is closed', da: 'Bestillingen er afsluttet' },
    { en: 'Make another order.', da: 'Opret en anden bestilling.' }
  ],
  'device-not-in-use': [
    422,
    { en: 'The related device is not in use', da: 'Udstyret er ikke i brug' },
    { en: 'Choose an order line whose device is in use.', da: 'Vælg en linje, hvis udstyr er i brug.' }
  ],
  'no-device': [
    422,
    { en: 'The order line has no device', da: 'Linjen har intet udstyr' },
    {
      en: 'Write to the device of a line that delivers one, when the line is FULFILLED or later.',
      da: 'Skriv til udstyret på en linje, der leverer det, når linjen bliver udført eller senere.'
    }
  ],
  'device-ended': [
    409,
    { en: 'The use of the device has ended', da: 'Udstyret er ikke længere i brug' },
    {
      en: 'Only an end that was given by hand can be removed.',
      da: 'Kun en afslutning, der er angivet i hånden, kan fjernes.'
    }
  ],
  'too-many-notes': [
    422,
    { en: 'The notes of the order exceed the limit', da: 'Bestillingens noter fylder for meget' },
    { en: 'Add fewer or shorter notes.', da: 'Tilføj færre eller kortere noter.' }
  ],
  'append-only-notes': [
    422,
    {
      en: 'Existing notes of a submitted order cannot change',
      da: 'Noter på en afsendt bestilling kan ikke ændres'
    },
    {
      en: 'Append a note with the operation add at /notes/-.',
      da: 'Tilføj en note med operationen add på /notes/-.'
    }
  ]
} as const satisfies ProblemTable

export const orderProblem = problemsOf(orderProblems)
