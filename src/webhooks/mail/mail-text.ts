import type { EventType } from '../../ledger/event-types.js'
import type { Language } from '../../platform/errors/language.js'
import { eventNames, mailTexts } from './texts.js'

export type EventCounts = Partial<Record<EventType, number>>

/**
 * A mail in Danish and English, with a link.
 * @param counts the numbers of events in the mail. Undefined for a test mail.
 */
export function mailText(link: string, counts?: EventCounts) {
  const paragraphsIn = (language: Language) => [
    ...(counts ? [mailTexts.news[language], linesOf(counts, language)] : [mailTexts.test[language]]),
    `${mailTexts.open[language]} ${link}`,
    mailTexts.end[language]
  ]
  const { da, en } = counts ? mailTexts.newsSubject : mailTexts.testSubject
  const texts = (['da', 'en'] as const).map((language) => paragraphsIn(language).join('\n\n'))
  return { subject: `SSL: ${da} / ${en}`, text: texts.join('\n\n-- \n\n') }
}

const linesOf = (counts: EventCounts, language: Language) =>
  (Object.entries(counts) as [EventType, number][])
    .map(([type, count]) => `${count} × ${eventNames[type][language]}`)
    .join('\n')
