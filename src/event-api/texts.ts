import type { Texts } from '../platform/errors/language.js'
import type { ProblemTable } from '../platform/errors/problem.js'

export const eventProblems = {
  'cursor-too-old': {
    status: 410,
    title: {
      en: 'The events after the cursor are no longer kept',
      da: 'Hændelserne efter cursoren gemmes ikke længere'
    },
    remedy: {
      en: 'Read the resources, then begin at the end of the feed.',
      da: 'Læs ressourcerne, og begynd så ved slutningen af strømmen.'
    },
    details: {
      expired: {
        en: 'Events before {day} are no longer kept. Read the resources again, and the events without after.',
        da: 'Hændelser før {day} gemmes ikke længere. Læs ressourcerne igen, og læs så hændelserne uden after.'
      },
      restored: {
        en: 'The database was restored to a time before this cursor. Read the resources again, and the events without after.',
        da: 'Databasen er gendannet til et tidspunkt før denne cursor. Læs ressourcerne igen, og læs så hændelserne uden after.'
      },
      subscription: {
        en: 'Events after the cursor are no longer kept. Read the resources again, delete this subscription and create another one.',
        da: 'Hændelser efter cursoren gemmes ikke længere. Læs ressourcerne igen, slet dette abonnement, og opret et andet.'
      }
    }
  }
} as const satisfies ProblemTable

export const eventTexts = {
  otherCursor: {
    en: 'must be from a Link of these events, not of another list',
    da: 'skal komme fra en Link-header i denne hændelsesliste, ikke fra en anden liste'
  },
  types: { en: 'must be one or more of {types}', da: 'skal være en eller flere af {types}' }
} as const satisfies Texts
