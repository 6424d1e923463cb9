import type { EventType } from '../../ledger/event-types.js'
import type { Language, Words } from '../../platform/errors/language.js'
import { eventNames, mailTexts } from './texts.js'

/** Numbers of events by type. */
export type EventCounts = Partial<Record<EventType, number>>

const inBothLanguages = (textIn: (language: Language) => string) =>
  ['da' as const, 'en' as const].map(textIn).join('\n\n-- \n\n')

const subjectOf = ({ da, en }: Words) => `SSL: ${da} / ${en}`

/** The mail about events: their numbers by type and a link, in Danish and English. */
export function newsMail(counts: EventCounts, link: string) {
  const linesIn = (language: Language) =>
    (Object.entries(counts) as [EventType, number][]).map(
      ([type, count]) => `${count} × ${eventNames[type][language]}`
    )
  const textIn = (language: Language) =>
    [
      mailTexts.news[language],
      '',
      ...linesIn(language),
      '',
      `${mailTexts.open[language]} ${link}`,
      '',
      mailTexts.end[language]
    ].join('\n')
  return { subject: subjectOf(mailTexts.newsSubject), text: inBothLanguages(textIn) }
}

/** The mail that shows that an address can receive mail. */
export function testMail(link: string) {
  const textIn = (language: Language) =>
    [mailTexts.test[language], '', `${mailTexts.open[language]} ${link}`, '', mailTexts.end[language]].join(
      '\n'
    )
  return { subject: subjectOf(mailTexts.testSubject), text: inBothLanguages(textIn) }
}
