import { type PageTexts, translatorOf } from './texts.js'

export const partsTexts = {
  skip: { en: 'Skip to the content', da: 'Gå til indholdet' },
  loading: { en: 'Loading …', da: 'Henter …' },
  required: { en: 'required', da: 'skal udfyldes' },
  undo: { en: 'Undo', da: 'Fortryd' },
  close: { en: 'Close', da: 'Luk' },
  askAgain: { en: 'Press “{label}” once more to continue.', da: 'Tryk »{label}« igen for at fortsætte.' },
  irreversible: { en: 'This cannot be undone.', da: 'Det kan ikke fortrydes.' },
  showMore: { en: 'Show more', da: 'Vis flere' },
  firstShown: { en: 'The first {shown} are shown.', da: 'De første {shown} er vist.' },
  someShown: { en: '{shown} of {total} are shown.', da: '{shown} af {total} er vist.' },

  noToken: { en: 'You have no access, or it has expired: see “Access” on this page.', da: 'Du har ikke adgang, eller den er udløbet: se »Adgang« på siden.' },
  accessKey: { en: 'access key', da: 'adgangsnøgle' },
  anAccessKey: { en: 'an access key', da: 'en adgangsnøgle' },
  keys: { en: 'keys', da: 'nøgler' },
  goToAccess: { en: 'Go to “Access”', da: 'Gå til »Adgang«' },
  notFound: { en: 'It does not exist, or your organization has no access to it.', da: 'Det findes ikke, eller din organisation har ikke adgang til det.' },
  correctFields: { en: 'Correct the fields', da: 'Ret felterne' },
  quotedWord: { en: '“{word}”', da: '»{word}«' },
  noResponse: { en: 'The server did not respond. Check whether a change was saved, and try again.', da: 'Serveren svarede ikke. Se efter, om en ændring blev gemt, og prøv igen.' },
  conflict: {
    en: 'Another user changed this after you opened it, and your change would overwrite it. The page now shows the latest version. Check it, and try again.',
    da: 'En anden har ændret det, efter at du åbnede det, og din ændring ville overskrive det. Siden viser nu den nyeste version. Se den igennem, og prøv igen.'
  },
  otherLanguage: { en: 'The server rejected this with a reason in Danish. Try again to read the reason in English.', da: 'Serveren afviste det med en begrundelse på engelsk. Prøv igen for at læse begrundelsen på dansk.' },
  badResponse: { en: 'The server sent an unexpected response. Try again later.', da: 'Serverens svar kan ikke forstås. Prøv igen senere.' }
} as const satisfies PageTexts

export const partsText = translatorOf(partsTexts)

/** The words that replace codes and members in the texts of the server. */
export const wordTexts: PageTexts = {
  DRAFT: { en: 'Draft', da: 'Kladde' },
  SUBMITTED: { en: 'Ordered', da: 'Bestilt' },
  ACCEPTED: { en: 'Accepted', da: 'Accepteret' },
  REJECTED: { en: 'Rejected', da: 'Afvist' },
  FULFILLED: { en: 'Done', da: 'Udført' },
  UNFULFILLED: { en: 'Could not be done', da: 'Kunne ikke udføres' },
  CANCELLED: { en: 'Cancelled', da: 'Annulleret' },
  BUYER: { en: 'Buyer', da: 'Køber' },
  SELLER: { en: 'Provider', da: 'Leverandør' },
  ACCOUNTING: { en: 'Payer', da: 'Betaler' },
  agreedFrom: { en: 'From', da: 'Fra' },
  agreedTo: { en: 'To', da: 'Til' }
}
export const wordText = translatorOf(wordTexts)
