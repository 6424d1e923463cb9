import { inEachLanguage, type Words } from '../platform/errors/language.js'
import { type ConstraintProblems, type ProblemTable, problemsOf } from '../platform/errors/problem.js'

/** Reasons why an item cannot be ordered. */
const orderability = {
  'no-contract': [
    422,
    {
      en: 'Buyer and seller have no contract in force',
      da: 'Køber og leverandør har ingen gældende kontrakt'
    },
    {
      en: 'Register a contract in force between them, or choose another seller.',
      da: 'Registrér en gældende kontrakt mellem dem, eller vælg en anden leverandør.'
    }
  ],
  'foreign-item': [
    422,
    { en: 'The item has another seller', da: 'Varen har en anden leverandør' },
    { en: "Choose an item of the order's seller.", da: 'Vælg en vare fra bestillingens leverandør.' }
  ],
  'catalogue-not-active': [
    422,
    { en: 'The catalogue of the item is not active', da: 'Varens katalog er ikke aktivt' },
    { en: 'Choose an item of an ACTIVE catalogue.', da: 'Vælg en vare fra et aktivt katalog.' }
  ],
  'item-not-available': [
    422,
    { en: 'The item is not available', da: 'Varen kan ikke bestilles lige nu' },
    { en: 'Choose an item that is AVAILABLE.', da: 'Vælg en vare, der kan bestilles.' }
  ],
  'not-white-listed': [
    422,
    { en: 'The item is not on the buyer’s white list', da: 'Varen er ikke på køberens hvidliste' },
    {
      en: "Choose an item of the buyer's white list, or add this one to it.",
      da: 'Vælg en vare på køberens hvidliste, eller føj denne til.'
    }
  ],
  'black-listed': [
    422,
    { en: 'The item is on the black list of the patient', da: 'Varen er på patientens sortliste' },
    { en: 'Choose another item.', da: 'Vælg en anden vare.' }
  ]
} as const satisfies ProblemTable
export type OrderabilityCode = keyof typeof orderability
export const orderabilityCodes = Object.keys(orderability) as OrderabilityCode[]

/** The title of an obstacle, as a sentence. */
export const obstacleDetail = (code: OrderabilityCode): Words =>
  inEachLanguage((language) => `${orderability[code][1][language]}.`)

export const catalogueProblems = {
  ...orderability,
  'unrelated-item': [
    422,
    {
      en: 'The item does not fit the device that it relates to',
      da: 'Varen passer ikke til udstyret, den hører til'
    },
    { en: 'Choose an item that fits the device.', da: 'Vælg en vare, der passer til udstyret.' }
  ],
  'fixed-type': [
    422,
    {
      en: 'The type of a catalogue item cannot change',
      da: 'En vare kan ikke skifte mellem udstyr og ydelse'
    },
    { en: 'Create another item.', da: 'Opret en anden vare.' }
  ],
  'fixed-seller': [
    422,
    { en: 'The seller cannot change', da: 'Leverandøren kan ikke skiftes' },
    { en: 'Create another catalogue.', da: 'Opret et andet katalog.' }
  ],
  'duplicate-identifier': [
    409,
    {
      en: 'Another item of the catalogue has this identifier',
      da: 'En anden vare i kataloget har denne identifikator'
    },
    { en: 'Change one of the identifiers.', da: 'Ret den ene identifikator.' }
  ],
  'duplicate-annotation': [
    409,
    { en: 'The item has this annotation already', da: 'Varen har allerede denne annotering' },
    { en: 'Leave it out.', da: 'Udelad den.' }
  ],
  'duplicate-entry': [
    409,
    { en: 'The list has this entry already', da: 'Listen har allerede denne post' },
    { en: 'Leave it out.', da: 'Udelad den.' }
  ],
  'identifier-required': [
    422,
    { en: 'An item needs an identifier', da: 'En vare skal have en identifikator' },
    {
      en: 'Give the item an identifier, so that it can be told from others.',
      da: 'Giv varen en identifikator, så den kan kendes fra andre.'
    }
  ],
  'ambiguous-identifiers': [
    422,
    { en: 'The identifiers belong to different items', da: 'Identifikatorerne hører til forskellige varer' },
    { en: 'Send the identifiers of one item.', da: 'Lad rækken have den ene vares.' }
  ],
  'text-required': [
    422,
    { en: 'A text is required', da: 'Der skal være en tekst' },
    { en: 'Send a text.', da: 'Skriv en tekst.' }
  ],
  'catalogue-exists': [
    409,
    { en: 'The seller already has this catalogue', da: 'Leverandøren har allerede dette katalog' },
    {
      en: 'Update it, or give the new one another identifier.',
      da: 'Opdatér det, eller giv det nye en anden identifikator.'
    }
  ],
  'other-catalogue': [
    409,
    { en: 'Another catalogue may be meant', da: 'Et andet katalog kan være ment' },
    {
      en: 'Update the other catalogue, or confirm that this one shall change.',
      da: 'Opdatér det andet katalog, eller bekræft, at det er dette, der skal ændres.'
    }
  ],
  'import-not-undoable': [
    409,
    { en: 'The import cannot be undone', da: 'Indlæsningen kan ikke tages tilbage' },
    {
      en: 'Only the last import of a catalogue can be undone, for 30 days.',
      da: 'Kun katalogets sidste indlæsning kan tages tilbage, og kun i 30 dage.'
    }
  ],
  'catalogue-changed': [
    409,
    { en: 'The catalogue changed since the import', da: 'Kataloget er ændret efter indlæsningen' },
    { en: 'Import a file that was exported before.', da: 'Indlæs i stedet en fil, der blev hentet før.' }
  ]
} as const satisfies ProblemTable

export const catalogueProblem = problemsOf(catalogueProblems)

export const catalogueConstraints: ConstraintProblems = {
  item_identifiers_pk: () => catalogueProblem('duplicate-identifier'),
  annotations_value_unique: () => catalogueProblem('duplicate-annotation'),
  white_list_entries_unique: () => catalogueProblem('duplicate-entry')
}
