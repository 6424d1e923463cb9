import type { ProblemTable } from '../platform/errors/problem.js'

/** Reasons why an item cannot be ordered. */
export const orderabilityProblems = {
  'no-contract': {
    status: 422,
    title: {
      en: 'Buyer and seller have no contract in force',
      da: 'Køber og leverandør har ingen gældende kontrakt'
    },
    remedy: {
      en: 'Register a contract in force between them, or choose another seller.',
      da: 'Registrér en gældende kontrakt mellem dem, eller vælg en anden leverandør.'
    },
    details: {
      onDate: {
        en: 'The buyer has no contract in force with the seller on {date}.',
        da: 'Køberen har ingen kontrakt med leverandøren, der gælder den {date}.'
      }
    }
  },
  'foreign-item': {
    status: 422,
    title: {
      en: 'The item has another seller than the order',
      da: 'Varen har en anden leverandør end bestillingen'
    },
    remedy: {
      en: 'Choose an item of the order’s seller, or create an order to the seller of the item.',
      da: 'Vælg en vare fra bestillingens leverandør, eller opret en bestilling til varens leverandør.'
    },
    details: {
      item: {
        en: 'The item must be in a catalogue of the order’s seller. Choose another item, or create an order to the seller of this item.',
        da: 'Varen skal stå i et katalog fra bestillingens leverandør. Vælg en anden vare, eller opret en bestilling til varens leverandør.'
      }
    }
  },
  'catalogue-not-active': {
    status: 422,
    title: { en: 'The catalogue of the item is not active', da: 'Varens katalog er ikke aktivt' },
    remedy: { en: 'Choose an item of an ACTIVE catalogue.', da: 'Vælg en vare fra et aktivt katalog.' },
    details: {
      item: { en: 'The catalogue of the item is not active.', da: 'Varens katalog er ikke aktivt.' }
    }
  },
  'item-not-available': {
    status: 422,
    title: { en: 'The item is not available', da: 'Varen kan ikke bestilles lige nu' },
    remedy: { en: 'Choose an item that is AVAILABLE.', da: 'Vælg en vare, der kan bestilles.' },
    details: {
      item: { en: 'The item is not available.', da: 'Varen kan ikke bestilles lige nu.' }
    }
  },
  'not-white-listed': {
    status: 422,
    title: { en: 'The item is not on the buyer’s white list', da: 'Varen er ikke på køberens positivliste' },
    remedy: {
      en: "Choose an item of the buyer's white list, or add this item to the list.",
      da: 'Vælg en vare på køberens positivliste, eller føj varen til listen.'
    },
    details: {
      item: {
        en: 'The item is not on the buyer’s white list.',
        da: 'Varen er ikke på køberens positivliste.'
      }
    }
  },
  'black-listed': {
    status: 422,
    title: { en: 'The item is on the black list of the patient', da: 'Varen er på borgerens sortliste' },
    remedy: { en: 'Choose another item.', da: 'Vælg en anden vare.' },
    details: {
      item: { en: 'The item is on the black list of the patient.', da: 'Varen er på borgerens sortliste.' }
    }
  }
} as const satisfies ProblemTable

/** A reason why items do not go together. Orders add their details. */
export const unrelatedItemProblems = {
  'unrelated-item': {
    status: 422,
    title: {
      en: 'The item does not fit the device that it relates to',
      da: 'Varen passer ikke til udstyret, den hører til'
    },
    remedy: {
      en: 'Correct the item or `relatedTo` as `detail` says.',
      da: 'Ret varen eller `relatedTo`, som `detail` angiver.'
    },
    details: {
      notDevice: {
        en: 'It must be a device model, but this item is a service. Choose a device model. For a service for any model, leave it out, or leave the cell empty.',
        da: 'Det skal være en udstyrsmodel, men varen er en ydelse. Vælg en udstyrsmodel. Udelad feltet, eller lad cellen være tom, hvis ydelsen gælder alle modeller.'
      }
    }
  }
} as const satisfies ProblemTable
