import { unrelatedItemProblems } from '../catalogue/orderability.texts.js'
import type { Texts } from '../platform/errors/language.js'
import { type ProblemTable, problemsOf, withDetails } from '../platform/errors/problem.js'

export const orderProblems = {
  'illegal-transition': {
    status: 409,
    title: { en: 'The status transition is not allowed', da: 'Statusskiftet er ikke tilladt' },
    remedy: {
      en: 'Change the status to one of `allowedStatuses`.',
      da: 'Skift til en status i `allowedStatuses`.'
    },
    details: {
      order: {
        en: 'Order status cannot change from {from} to {to}. Allowed for you: {allowed}.',
        da: 'Bestillingens status kan ikke skifte fra {from} til {to}. Tilladt for dig: {allowed}.'
      },
      line: {
        en: 'Order line status cannot change from {from} to {to}. Allowed for you: {allowed}.',
        da: 'Linjens status kan ikke skifte fra {from} til {to}. Tilladt for dig: {allowed}.'
      }
    }
  },
  'not-your-move': {
    status: 403,
    title: { en: 'Another user type must make this change', da: 'En anden brugertype skal gøre dette' },
    remedy: { en: 'Leave this change to the other side.', da: 'Overlad ændringen til den anden part.' },
    details: {
      member: {
        en: 'Only {userType} can change this member.',
        da: 'Kun {userType} kan ændre dette felt.'
      },
      status: {
        en: 'Only {userType} can change the status from {from} to {to}.',
        da: 'Kun {userType} kan skifte status fra {from} til {to}.'
      },
      awaiting: {
        en: 'Provider asks BUYER, and MonitoringResponsible asks SELLER.',
        da: 'Provider spørger BUYER, og MonitoringResponsible spørger SELLER.'
      },
      enteredInError: {
        en: 'Only Provider can report that a device was registered by mistake. Ask the provider to do so.',
        da: 'Kun Provider kan oplyse, at udstyr er registreret ved en fejl. Bed leverandøren om det.'
      }
    }
  },
  'unfulfilled-lines': {
    status: 409,
    title: {
      en: 'An order with an unfulfilled line cannot be fulfilled',
      da: 'En bestilling med en linje, der ikke kunne udføres, kan ikke markeres som udført'
    },
    remedy: {
      en: 'Submit the line again, or cancel it first.',
      da: 'Afsend linjen igen, eller annullér den først.'
    }
  },
  'delivered-lines': {
    status: 409,
    title: {
      en: 'An order with a fulfilled line cannot be rejected or cancelled',
      da: 'En bestilling med en udført linje kan hverken afvises eller annulleres'
    },
    remedy: {
      en: 'MonitoringResponsible can cancel the open lines instead. The order then becomes FULFILLED.',
      da: 'MonitoringResponsible kan annullere de åbne linjer i stedet. Så bliver bestillingen FULFILLED.'
    }
  },
  'not-deletable': {
    status: 409,
    title: {
      en: 'Only a draft, or an open line of a draft, can be deleted',
      da: 'Kun en kladde eller en åben linje i en kladde kan slettes'
    },
    remedy: {
      en: 'Cancel a submitted order, or an open line of it, instead.',
      da: 'Annullér i stedet en afsendt bestilling eller en åben linje i den.'
    }
  },
  'not-initial-status': {
    status: 422,
    title: { en: 'This initial status is not allowed', da: 'Denne startstatus er ikke tilladt' },
    remedy: {
      en: 'Create an order as a DRAFT, a line as UNFULFILLED or SUBMITTED.',
      da: 'Opret en bestilling som DRAFT og en linje som UNFULFILLED eller SUBMITTED.'
    }
  },
  'no-open-lines': {
    status: 422,
    title: {
      en: 'An order without an open line cannot be submitted',
      da: 'En bestilling uden åbne linjer kan ikke afsendes'
    },
    remedy: { en: 'Add an order line first.', da: 'Tilføj først en linje.' }
  },
  'reason-not-allowed': {
    status: 422,
    title: { en: 'This change cannot have a reason', da: 'Denne ændring kan ikke have en begrundelse' },
    remedy: {
      en: 'Send a reason only with the change of the status: of an order to REJECTED or CANCELLED, of a line to UNFULFILLED or CANCELLED.',
      da: 'Send kun en begrundelse med statusskiftet: for en bestilling til REJECTED eller CANCELLED, for en linje til UNFULFILLED eller CANCELLED.'
    }
  },
  'awaiting-not-allowed': {
    status: 422,
    title: { en: 'The order cannot await an answer', da: 'Bestillingen kan ikke sættes til at afvente svar' },
    remedy: {
      en: 'Set `awaiting` on a SUBMITTED or ACCEPTED order, in a JSON Patch that adds a note at /notes/-.',
      da: 'Sæt `awaiting` på en bestilling, der er SUBMITTED eller ACCEPTED, i en JSON Patch, der tilføjer en besked på /notes/-.'
    }
  },
  'order-not-draft': {
    status: 422,
    title: { en: 'This change requires a draft', da: 'Ændringen kræver en kladde' },
    remedy: { en: 'Create another order.', da: 'Opret en anden bestilling.' },
    details: {
      status: {
        en: 'The order is {status}. This can only change while it is a DRAFT.',
        da: 'Bestillingen er {status}. Feltet kan kun ændres, mens bestillingen er DRAFT.'
      }
    }
  },
  'order-closed': {
    status: 422,
    title: { en: 'The order is closed', da: 'Bestillingen er afsluttet' },
    remedy: { en: 'Create another order.', da: 'Opret en anden bestilling.' },
    details: {
      status: {
        en: 'The order is {status}. This can no longer change.',
        da: 'Bestillingen er {status}. Feltet kan ikke længere ændres.'
      }
    }
  },
  'device-not-in-use': {
    status: 422,
    title: { en: 'The related device is not in use', da: 'Udstyret er ikke i brug' },
    remedy: {
      en: 'Choose an order line whose device is in use.',
      da: 'Vælg en linje, hvis udstyr er i brug.'
    }
  },
  'too-many-notes': {
    status: 422,
    title: { en: 'The notes of the order exceed the limit', da: 'Bestillingens beskeder fylder for meget' },
    remedy: { en: 'Add fewer or shorter notes.', da: 'Tilføj færre eller kortere beskeder.' },
    details: {
      limits: {
        en: 'An order can have at most {notes} notes with {noteBytes} bytes of JSON; there would be {count} notes with {size} bytes.',
        da: 'En bestilling kan højst have {notes} beskeder med {noteBytes} byte JSON; nu ville der være {count} beskeder på {size} byte.'
      }
    }
  },
  'append-only-notes': {
    status: 422,
    title: {
      en: 'Existing notes of a submitted order cannot change',
      da: 'Beskeder på en afsendt bestilling kan ikke ændres'
    },
    remedy: {
      en: 'Append a note with the operation add at /notes/-.',
      da: 'Tilføj en besked med operationen add på /notes/-.'
    }
  }
} as const satisfies ProblemTable

const earlierName = {
  en: 'It is the earlier name of {name} and has another value. Send only one of the two.',
  da: 'Det er det tidligere navn på {name} og har en anden værdi. Send kun ét af dem.'
} as const

export const sharedOrderProblems = withDetails({
  'invalid-period': {
    wishEndsBeforeStart: {
      en: 'It must not be before the earliest delivery date.',
      da: 'Det må ikke ligge før den tidligste leveringsdato.'
    }
  },
  'dangling-reference': {
    relatedLine: {
      en: 'It must be the URL of an order line of your organization, for the same patient{form}.',
      da: 'Det skal være adressen på en linje i din organisation til samme borger{form}.'
    }
  },
  'read-only': {
    statusTwice: {
      en: 'A JSON Patch can change the status only once.',
      da: 'En JSON Patch kan kun ændre status én gang.'
    },
    statusDisplay: {
      en: 'The system and the display of a status follow from its code. Change /status or /status/code instead.',
      da: 'System og display for en status følger af koden. Ændr i stedet /status eller /status/code.'
    }
  },
  'invalid-body': {
    earlierName
  },
  'invalid-result': {
    earlierName,
    emptyReason: {
      en: 'It must have a code, a text or both.',
      da: 'Det skal have en kode, en tekst eller begge dele.'
    }
  }
})

export const relationProblems = {
  'unrelated-item': {
    ...unrelatedItemProblems['unrelated-item'],
    details: {
      deliver: {
        en: 'A line with the action DELIVER delivers a new device, so it must not have `relatedTo`. Leave `relatedTo` out, or choose another action.',
        da: 'En linje med handlingen DELIVER leverer nyt udstyr og må derfor ikke have `relatedTo`. Udelad `relatedTo`, eller vælg en anden handling.'
      },
      item: {
        en: 'The device in `relatedTo` requires an item that is its model, or a service for this model or for any model. With the action REPLACE the item can be any device model. Change `item` or `relatedTo`.',
        da: 'Udstyret i `relatedTo` kræver en vare, som er udstyrets model eller en ydelse til denne model eller til alle modeller. Med handlingen REPLACE kan varen være en vilkårlig udstyrsmodel. Ret `item` eller `relatedTo`.'
      }
    }
  }
} as const satisfies ProblemTable

export const orderTexts = {
  noStatus: { en: 'none', da: 'ingen' },
  openOrders: { en: 'open orders', da: 'åbne bestillinger' },
  sortNeedsRange: {
    en: 'needs a range: agreedFrom, agreedTo or both',
    da: 'kræver et interval: agreedFrom, agreedTo eller begge'
  },
  orderOrLine: {
    en: 'is missing: send order or orderLine',
    da: 'mangler: send order eller orderLine'
  }
} as const satisfies Texts

export const orderProblem = problemsOf({ ...orderProblems, ...sharedOrderProblems, ...relationProblems })
