import type { Texts } from '../platform/errors/language.js'
import { type ProblemTable, problemsOf, withDetails } from '../platform/errors/problem.js'

export const agreementProblems = {
  'wrong-role': {
    status: 422,
    title: { en: 'A party does not have the required role', da: 'En part mangler den nødvendige rolle' },
    remedy: {
      en: 'Choose a party with the role, or give the party this role.',
      da: 'Vælg en part med rollen, eller giv parten rollen.'
    },
    details: {
      party: {
        en: 'It must be a party with the role {role}.',
        da: 'Det skal være en part med rollen {role}.'
      }
    }
  },
  'duplicate-buyer': {
    status: 422,
    title: {
      en: 'A contract names a buyer more than once',
      da: 'Kontrakten angiver en køber mere end én gang'
    },
    remedy: { en: 'Name each buyer only once.', da: 'Angiv hver køber kun én gang.' }
  },
  'fixed-organization': {
    status: 422,
    title: { en: 'The organization of a party cannot change', da: 'En parts organisation kan ikke ændres' },
    remedy: { en: 'Create another party.', da: 'Opret en anden part.' }
  },
  'party-in-use': {
    status: 409,
    title: {
      en: 'The party would lose a role that is in use',
      da: 'Parten ville miste en rolle, der er i brug'
    },
    remedy: {
      en: 'First close its open orders and its catalogues, and end its contracts.',
      da: 'Afslut først dens åbne bestillinger, kataloger og kontrakter.'
    },
    details: {
      role: {
        en: 'It must keep the role {role} for {uses}.',
        da: 'Det skal beholde rollen {role} til {uses}.'
      }
    }
  },
  'ambiguous-party': {
    status: 422,
    title: { en: 'Several parties have this name', da: 'Flere parter har dette navn' },
    remedy: { en: "Write the party's URL instead.", da: 'Skriv partens adresse i stedet.' }
  }
} as const satisfies ProblemTable

export const sharedAgreementProblems = withDetails({
  'dangling-reference': {
    party: {
      en: 'It must be the URL of a party {which}{form}.',
      da: 'Det skal være adressen på en part {which}{form}.'
    },
    partyName: {
      en: 'It must be the name or the URL of a party {which}, with the role {role}. Choose one from the list.',
      da: 'Det skal være navnet på eller adressen på en part {which} og med rollen {role}. Vælg en fra listen.'
    },
    similarPartyName: {
      en: 'It must be the name or the URL of a party {which}, with the role {role}. Did you mean “{suggestion}”?',
      da: 'Det skal være navnet på eller adressen på en part {which} og med rollen {role}. Mente du »{suggestion}«?'
    },
    foreignContract: {
      en: 'The account or a buyer must be the URL of a party of your organization{form}.',
      da: 'Betaleren eller en køber skal være adressen på en part i din organisation{form}.'
    },
    foreignRole: {
      en: 'It must be the URL of your organization, unless the only role is SELLER.',
      da: 'Det skal være adressen på din organisation, medmindre den eneste rolle er SELLER.'
    },
    replaced: { en: 'It was replaced by {replacement}.', da: 'Den er afløst af {replacement}.' }
  },
  'invalid-period': {
    noDate: {
      en: 'It must be a date that exists, such as [2026, 11, 21] or 2026-11-21.',
      da: 'Det skal være en dato, der findes, for eksempel [2026, 11, 21] eller 2026-11-21.'
    },
    endBeforeStart: {
      en: 'Its start must not be after its end.',
      da: 'Starten må ikke ligge efter slutningen.'
    }
  }
})

/** Describes the parties that a caller may name, for the text of a field error. */
export const nameableTexts = {
  own: { en: 'of your organization', da: 'i din organisation' },
  administered: {
    en: 'that belongs to your organization or was registered by it',
    da: 'fra din organisation eller oprettet af den'
  },
  any: { en: 'of this service', da: 'i denne tjeneste' }
} as const satisfies Texts

export const roleNames = {
  BUYER: { en: 'Buyer', da: 'Køber' },
  SELLER: { en: 'Seller', da: 'Leverandør' },
  ACCOUNTING: { en: 'Payer', da: 'Betaler' }
} as const satisfies Texts

export const agreementTexts = {
  namedContract: { en: '“{name}” {url}', da: '»{name}« {url}' },
  contracts: { en: 'contracts that have not ended', da: 'kontrakter, der ikke er udløbet' },
  namedContracts: {
    en: 'contracts that have not ended ({names})',
    da: 'kontrakter, der ikke er udløbet ({names})'
  },
  namedAndOtherContracts: {
    en: 'contracts that have not ended ({names}, and others)',
    da: 'kontrakter, der ikke er udløbet ({names} og flere)'
  }
} as const satisfies Texts

export const agreementProblem = problemsOf({ ...agreementProblems, ...sharedAgreementProblems })
