import type { EventType } from '../../ledger/event-types.js'
import type { LocalizedText, Texts } from '../../platform/errors/language.js'

/** The texts for a number of events of each type. */
export const eventNames: Readonly<Record<EventType, LocalizedText>> = {
  'order.created': { en: 'order created', da: 'bestilling oprettet' },
  'order.submitted': { en: 'order submitted', da: 'bestilling afsendt' },
  'order.status-changed': { en: 'order with a new status', da: 'bestilling med ny status' },
  'order.priority-changed': { en: 'priority of an order changed', da: 'hastegrad for en bestilling ændret' },
  'order.receiver-changed': { en: 'receiver of an order changed', da: 'modtager på en bestilling ændret' },
  'order.wish-changed': { en: 'wished delivery changed', da: 'ønsket levering ændret' },
  'order.note-added': { en: 'message added', da: 'besked skrevet' },
  'order.awaiting-changed': { en: 'question asked or answered', da: 'spørgsmål stillet eller besvaret' },
  'order.overdue': { en: 'order late or unanswered', da: 'bestilling forsinket eller ikke besvaret' },
  'order.removed': { en: 'draft deleted', da: 'kladde slettet' },
  'order-line.added': { en: 'line added', da: 'linje tilføjet' },
  'order-line.status-changed': { en: 'line with a new status', da: 'linje med ny status' },
  'order-line.agreed-changed': { en: 'agreed time changed', da: 'aftalt tid ændret' },
  'order-line.device-changed': { en: 'device changed', da: 'udstyr ændret' },
  'order-line.removed': { en: 'line deleted', da: 'linje slettet' },
  'order-line.delivery-due': { en: 'delivery due soon', da: 'levering nærmer sig' },
  'party.changed': { en: 'party changed', da: 'part ændret' },
  'contract.changed': { en: 'contract changed', da: 'kontrakt ændret' },
  'contract.expiring': { en: 'contract about to expire', da: 'kontrakt ved at udløbe' },
  'catalogue.changed': { en: 'catalogue changed', da: 'katalog ændret' },
  'catalogue-item.created': { en: 'item created', da: 'vare oprettet' },
  'catalogue-item.changed': { en: 'item changed', da: 'vare ændret' },
  'annotation.changed': { en: 'annotation changed', da: 'annotering ændret' },
  'white-list.changed': { en: 'white list changed', da: 'positivliste ændret' }
}

export const mailTexts = {
  newsSubject: { en: 'news', da: 'nyt' },
  testSubject: { en: 'test', da: 'prøve' },
  news: { en: 'Since the last mail:', da: 'Siden sidste e-mail:' },
  test: {
    en: 'This address now receives mail about events.',
    da: 'Denne adresse får nu e-mail om hændelser.'
  },
  open: { en: 'See them here:', da: 'Se dem her:' },
  end: {
    en: 'Mail is sent at most every 15 minutes. Your organization can delete the subscription.',
    da: 'Der sendes højst én e-mail hvert 15. minut. Jeres organisation kan slette abonnementet.'
  }
} as const satisfies Texts
