import { type ProblemTable, problemsOf, withDetails } from '../platform/errors/problem.js'

/** Problems of order lines and their devices. */
export const orderLineProblems = {
  'too-many-lines': {
    status: 422,
    title: {
      en: 'The order has the maximum number of lines',
      da: 'Bestillingen har det højeste antal linjer'
    },
    remedy: {
      en: 'Create another order for the other lines.',
      da: 'Opret en bestilling mere til de øvrige linjer.'
    },
    details: {
      max: { en: 'An order can have at most {max} lines.', da: 'En bestilling kan højst have {max} linjer.' }
    }
  },
  'line-not-submitted': {
    status: 422,
    title: { en: 'This change requires a submitted order line', da: 'Ændringen kræver en bestilt linje' },
    remedy: {
      en: 'Make the change while the line is SUBMITTED in an open order.',
      da: 'Foretag ændringen, mens linjen er bestilt i en åben bestilling.'
    }
  },
  'line-not-open': {
    status: 409,
    title: { en: 'The order line is closed', da: 'Linjen er afsluttet' },
    remedy: { en: 'Add another order line.', da: 'Tilføj en anden linje.' },
    details: {
      status: {
        en: 'The order line is {status}. It can only change while it is UNFULFILLED or SUBMITTED.',
        da: 'Linjen er {status}. Den kan kun ændres, mens den er UNFULFILLED eller SUBMITTED.'
      }
    }
  },
  'no-device': {
    status: 422,
    title: { en: 'The order line has no device', da: 'Linjen har intet udstyr' },
    remedy: {
      en: 'Write the device of a line that delivers a device, with FULFILLED or later.',
      da: 'Angiv udstyret på en linje, der leverer udstyr, når linjen får status FULFILLED, eller derefter.'
    }
  },
  'device-ended': {
    status: 409,
    title: { en: 'The use of the device has ended', da: 'Udstyret er ikke længere i brug' },
    remedy: {
      en: 'Remove an end that was reported by hand. Ask the provider to take back an end that a line caused.',
      da: 'Fjern en afslutning, der er registreret manuelt. Bed leverandøren om at fortryde en linjes afslutning.'
    },
    details: {
      byHand: {
        en: 'The use of the device ended: {reason}. Remove this end first.',
        da: 'Udstyret er ikke længere i brug: {reason}. Fjern først denne afslutning.'
      },
      byLine: {
        en: 'An order line ended the use of the device: {reason}. The provider of the line can take this end back: remove /relatedDevice/endReason of that line.',
        da: 'En linje har afsluttet brugen af udstyret: {reason}. Linjens leverandør kan fortryde afslutningen: fjern /relatedDevice/endReason på den linje.'
      },
      otherwise: {
        en: 'This line did not end the use of the device: {reason}. Take the end back where it was reported.',
        da: 'Denne linje har ikke afsluttet brugen af udstyret: {reason}. Fortryd afslutningen dér, hvor den er registreret.'
      }
    }
  }
} as const satisfies ProblemTable

export const sharedOrderLineProblems = withDetails({
  'invalid-period': {
    incomplete: {
      en: 'It must be sent with {other}, or both removed.',
      da: 'Det skal sendes sammen med {other}, eller også skal begge fjernes.'
    },
    agreedTo: {
      en: 'It must be after agreedFrom, by at most {days} days.',
      da: 'Det skal være efter agreedFrom og højst {days} dage efter.'
    },
    performedAt: {
      en: 'It must be neither before the order was submitted nor in the future. Leave it out if the line is carried out now.',
      da: 'Det må hverken ligge før afsendelsen af bestillingen eller i fremtiden. Udelad det, hvis linjen bliver udført nu.'
    }
  },
  'dangling-reference': {
    order: {
      en: 'It must be the URL of an order of your organization{form}.',
      da: 'Det skal være adressen på en bestilling i din organisation{form}.'
    },
    item: {
      en: 'It must be the URL of a catalogue item{form}.',
      da: 'Det skal være adressen på en vare i et katalog{form}.'
    },
    orderLine: {
      en: 'It must be the URL of an order line of your organization{form}.',
      da: 'Det skal være adressen på en linje i din organisation{form}.'
    },
    model: {
      en: 'It must be the URL of a device model of the seller{form}. Leave it out if the ordered model was delivered.',
      da: 'Det skal være adressen på en udstyrsmodel fra leverandøren{form}. Udelad det, hvis den bestilte model er leveret.'
    }
  },
  'read-only': {
    performance: {
      en: 'It can only be sent by the JSON Patch that changes the status of the line to FULFILLED.',
      da: 'Det kan kun sendes med den JSON Patch, der ændrer linjens status til FULFILLED.'
    }
  },
  'invalid-body': {
    otherLines: {
      en: 'The order lines must be different lines of one order. Send all operations of a line in one JSON Patch.',
      da: 'Alle linjer skal være forskellige og tilhøre samme bestilling. Send alle operationer på en linje i én JSON Patch.'
    }
  },
  'unknown-coding': {
    endReason: {
      en: 'The server sets {reason} when a line with the action PICKUP or REPLACE is fulfilled. To end the use by hand, send one of {codes}. Only the provider can send ENTERED_IN_ERROR.',
      da: 'Serveren sætter {reason}, når en linje med handlingen PICKUP eller REPLACE udføres. Send en af {codes} for selv at afslutte brugen. Kun leverandøren kan sende ENTERED_IN_ERROR.'
    }
  }
})

export const orderLineProblem = problemsOf({ ...orderLineProblems, ...sharedOrderLineProblems })
