import type { Texts } from '../../platform/errors/language.js'
import { type ProblemTable, problemsOf } from '../../platform/errors/problem.js'

export const statisticsProblems = {
  'too-many-rows': {
    status: 422,
    title: { en: 'The table has too many rows', da: 'Tabellen har for mange rækker' },
    remedy: {
      en: 'Use fewer keys, a shorter period or a filter.',
      da: 'Brug færre nøgler, en kortere periode eller et filter.'
    },
    details: {
      groups: {
        en: 'There are more than {max} rows. Use fewer keys, a shorter period or a filter.',
        da: 'Der er mere end {max} rækker. Brug færre nøgler, en kortere periode eller et filter.'
      },
      parts: {
        en: 'The rows consist of more than {max} groups by month. Use fewer keys or a shorter period.',
        da: 'Rækkerne består af mere end {max} grupper pr. måned. Brug færre nøgler eller en kortere periode.'
      }
    }
  }
} as const satisfies ProblemTable

export const statisticsTexts = {
  tooManyKeys: {
    en: 'has too many keys: at most three are allowed, including the filters',
    da: 'har for mange nøgler: der kan højst være tre, inklusive filtrene'
  },
  endBeforeStart: { en: 'must not be before from', da: 'må ikke ligge før from' },
  periodTooLong: { en: 'must be at most 25 months after from', da: 'må højst ligge 25 måneder efter from' },
  firstOfMonth: { en: 'must be the first day of a month', da: 'skal være den første dag i en måned' },
  lastOfMonth: { en: 'must be the last day of a month', da: 'skal være den sidste dag i en måned' }
} as const satisfies Texts

export const statisticsProblem = problemsOf(statisticsProblems)
