import type { Texts } from '../platform/errors/language.js'
import { type ProblemTable, withDetails } from '../platform/errors/problem.js'
import { orderabilityProblems, unrelatedItemProblems } from './orderability.texts.js'

const repeatedRow = {
  en: 'It repeats a row above. Remove one of them.',
  da: 'Det gentager en række ovenfor. Fjern den ene.'
} as const

export const catalogueProblems = {
  ...orderabilityProblems,
  ...unrelatedItemProblems,
  'fixed-type': {
    status: 422,
    title: {
      en: 'The type of a catalogue item cannot change',
      da: 'En vare kan ikke skifte mellem udstyr og ydelse'
    },
    remedy: { en: 'Create another item.', da: 'Opret en anden vare.' },
    details: {
      current: { en: 'It must stay {type}.', da: 'Det skal blive ved med at være {type}.' },
      ofDevice: {
        en: 'It is the identifier of a DeviceModel. The type of an item cannot change.',
        da: 'Det er en identifikator for udstyr. En vare kan ikke skifte mellem udstyr og ydelse.'
      },
      ofService: {
        en: 'It is the identifier of a Service. The type of an item cannot change.',
        da: 'Det er en identifikator for en ydelse. En vare kan ikke skifte mellem udstyr og ydelse.'
      }
    }
  },
  'fixed-seller': {
    status: 422,
    title: { en: 'The seller cannot change', da: 'Leverandøren kan ikke skiftes' },
    remedy: { en: 'Create another catalogue.', da: 'Opret et andet katalog.' },
    details: {
      relatedItems: {
        en: 'It cannot change while items of this catalogue relate to items of other catalogues of its seller. Remove these relations first.',
        da: 'Det kan ikke skiftes, mens varer i kataloget hører til varer i leverandørens andre kataloger. Fjern først disse tilknytninger.'
      },
      ofItem: {
        en: 'It must be a catalogue of the same seller.',
        da: 'Det skal være et katalog fra samme leverandør.'
      }
    }
  },
  'duplicate-identifier': {
    status: 409,
    title: {
      en: 'Another item of the catalogue has this identifier',
      da: 'En anden vare i kataloget har denne identifikator'
    },
    remedy: { en: 'Change one of the identifiers.', da: 'Ret den ene identifikator.' },
    details: {
      inCatalogue: {
        en: 'It must be unique within the catalogue. Change one of the identifiers, or remove a row.',
        da: 'Det må kun findes én gang i kataloget. Ret den ene identifikator, eller fjern en række.'
      },
      sameItem: {
        en: 'It belongs to the item of a row above. Remove one of the rows.',
        da: 'Det hører til samme vare som en række ovenfor. Fjern den ene række.'
      }
    }
  },
  'duplicate-annotation': {
    status: 409,
    title: { en: 'The item has this annotation already', da: 'Varen har allerede denne annotering' },
    remedy: { en: 'Leave it out.', da: 'Udelad den.' },
    details: { repeatedRow }
  },
  'duplicate-entry': {
    status: 409,
    title: { en: 'The list has this entry already', da: 'Listen har allerede denne post' },
    remedy: { en: 'Leave it out.', da: 'Udelad den.' },
    details: { repeatedRow }
  },
  'identifier-required': {
    status: 422,
    title: { en: 'An item needs an identifier', da: 'En vare skal have en identifikator' },
    remedy: {
      en: 'It needs an identifier. Without an identifier a new item cannot be distinguished from a changed item.',
      da: 'Det skal udfyldes. Uden en identifikator kan en ny vare ikke skelnes fra en ændret vare.'
    }
  },
  'ambiguous-identifiers': {
    status: 422,
    title: {
      en: 'The identifiers belong to different items',
      da: 'Identifikatorerne hører til forskellige varer'
    },
    remedy: {
      en: 'The row fits several items of the catalogue. Its identifiers must belong to one item. Correct them, or change the item where it was registered.',
      da: 'Rækken passer til flere varer i kataloget. Dens identifikatorer skal høre til én vare. Ret dem, eller ret varen, hvor den er oprettet.'
    }
  },
  'too-many-changes': {
    status: 422,
    title: { en: 'Too many rows are new or changed', da: 'For mange rækker er nye eller ændrede' },
    remedy: {
      en: 'Import the first rows, and the other rows in another workbook.',
      da: 'Indlæs de første rækker og derefter de øvrige i en fil for sig.'
    },
    details: {
      rows: {
        en: 'At most {max} rows of a workbook can be new or changed here; this workbook has {count}. Import the rows above first, and the other rows in another workbook.',
        da: 'Højst {max} rækker i en fil kan være nye eller ændrede her; denne fil har {count}. Indlæs først rækkerne ovenfor og derefter de øvrige i en fil for sig.'
      }
    }
  },
  'text-required': {
    status: 422,
    title: { en: 'A text is required', da: 'Der skal være en tekst' },
    remedy: { en: 'Send a text.', da: 'Skriv en tekst.' },
    details: {
      ofRow: { en: 'It is required.', da: 'Det skal udfyldes.' },
      ofIdentifier: {
        en: 'It is required, because an identifier has a system and a value. Fill in both, or clear both.',
        da: 'Det skal udfyldes, for en identifikator har både et system og en værdi. Udfyld begge, eller tøm begge.'
      }
    }
  },
  'catalogue-exists': {
    status: 409,
    title: { en: 'The seller already has this catalogue', da: 'Leverandøren har allerede dette katalog' },
    remedy: {
      en: 'Update that catalogue, or give the new catalogue another identifier.',
      da: 'Opdatér det katalog, eller giv det nye katalog en anden identifikator.'
    },
    details: {
      sameIdentifier: {
        en: 'The seller already has a catalogue with this identifier, “{name}”: {url}. Update that catalogue, or give the new catalogue another identifier.',
        da: 'Leverandøren har allerede et katalog med denne identifikator, »{name}«: {url}. Opdatér det katalog, eller giv det nye katalog en anden identifikator.'
      }
    }
  },
  'other-catalogue': {
    status: 409,
    title: {
      en: 'The workbook may be meant for another catalogue',
      da: 'Filen hører måske til et andet katalog'
    },
    remedy: {
      en: 'Update the other catalogue, or confirm the update of this catalogue.',
      da: 'Opdatér det andet katalog, eller bekræft, at dette katalog skal ændres.'
    },
    details: {
      sameName: {
        en: 'Another catalogue of the seller has this name, “{name}”: {url}. Update that catalogue, or repeat the request with confirm=true.',
        da: 'Et andet af leverandørens kataloger har dette navn, »{name}«: {url}. Opdatér det katalog, eller gentag anmodningen med confirm=true.'
      },
      sameIdentifier: {
        en: 'Another catalogue of the seller has this identifier, “{name}”: {url}. Update that catalogue, or repeat the request with confirm=true.',
        da: 'Et andet af leverandørens kataloger har dette navn, »{name}«: {url}. Opdatér det katalog, eller gentag anmodningen med confirm=true.'
      }
    }
  },
  'import-not-undoable': {
    status: 409,
    title: { en: 'The import cannot be undone', da: 'Indlæsningen kan ikke fortrydes' },
    remedy: {
      en: 'Only the last import of a catalogue can be undone, for 30 days.',
      da: 'Kun katalogets sidste indlæsning kan fortrydes, og kun i 30 dage.'
    }
  },
  'catalogue-changed': {
    status: 409,
    title: { en: 'The catalogue changed since the import', da: 'Kataloget er ændret efter indlæsningen' },
    remedy: {
      en: 'The catalogue or one of its items changed since the import, so nothing was undone. To return to a former state, import a workbook that was exported then.',
      da: 'Kataloget eller en af dets varer er ændret efter indlæsningen, så indlæsningen er ikke fortrudt. Indlæs i stedet en fil, der blev hentet før.'
    }
  }
} as const satisfies ProblemTable

export const sharedCatalogueProblems = withDetails({
  forbidden: {
    formerSeller: {
      en: 'The catalogue had another seller, whose catalogues you may not change.',
      da: 'Kataloget havde en anden leverandør, hvis kataloger du ikke må ændre.'
    },
    partsOfOthers: {
      en: 'Only the organization that imported annotations and white lists can undo the import.',
      da: 'Kun den organisation, der indlæste annoteringer og positivlister, kan fortryde indlæsningen.'
    },
    filterByBuyer: {
      en: 'A Provider may not filter by buyer: the response would reveal the buyer’s white list.',
      da: 'Provider må ikke filtrere efter køber: svaret ville vise køberens positivliste.'
    },
    filterByPatient: {
      en: 'Only MonitoringResponsible may filter by patient.',
      da: 'Kun MonitoringResponsible må filtrere efter borger.'
    }
  },
  'dangling-reference': {
    item: {
      en: 'It must be the URL of a catalogue item{form}.',
      da: 'Det skal være adressen på en vare i et katalog{form}.'
    },
    catalogue: {
      en: 'It must be the URL of a catalogue that you may change{form}.',
      da: 'Det skal være adressen på et katalog, som du må ændre{form}.'
    },
    device: {
      en: 'It must be the URL of a device model of the same seller{form}.',
      da: 'Det skal være adressen på en udstyrsmodel fra samme leverandør{form}.'
    },
    rowItem: {
      en: 'It must be the identifier of exactly one item of this catalogue. Add its system if several have that value.',
      da: 'Det skal være en identifikator for netop én vare i kataloget. Skriv også dens system, hvis flere har samme værdi.'
    },
    rowDevice: {
      en: 'It must be the identifier of exactly one device model of the same seller. Add its system if several have that value.',
      da: 'Det skal være en identifikator for netop ét stykke udstyr fra samme leverandør. Skriv også dens system, hvis flere har samme værdi.'
    }
  }
})

export const catalogueTexts = {
  existsAlready: {
    en: 'It exists already: {url}. {remedy}',
    da: 'Det findes allerede: {url}. {remedy}'
  },
  sameAsEarlier: {
    en: 'It is the same as {earlier}. {remedy}',
    da: 'Det er det samme som {earlier}. {remedy}'
  },
  annotationForm: {
    en: 'must have a system and a code, in the form <name>:<system>|<code>, or <system>/<code>',
    da: 'skal have et system og en kode, på formen <navn>:<system>|<kode> eller <system>/<kode>'
  },
  usedCatalogues: { en: 'catalogues that are not INACTIVE', da: 'kataloger, der ikke er INACTIVE' }
} as const satisfies Texts
