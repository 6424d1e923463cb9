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
  noResponse: { en: 'The server did not respond. Check your connection and try again.', da: 'Serveren svarede ikke. Kontrollér din forbindelse, og prøv igen.' },
  conflict: {
    en: 'Another user changed this after you opened it, and your change would overwrite it. The page now shows the latest version. Check it, and try again.',
    da: 'En anden har ændret det, efter at du åbnede det, og din ændring ville overskrive det. Siden viser nu den nyeste version. Se den igennem, og prøv igen.'
  },
  otherLanguage: { en: 'The server rejected this with a reason in Danish. Try again to read the reason in English.', da: 'Serveren afviste det med en begrundelse på engelsk. Prøv igen for at læse begrundelsen på dansk.' },
  badResponse: { en: 'The server sent an unexpected response. Try again later.', da: 'Serverens svar kan ikke forstås. Prøv igen senere.' }
} as const satisfies PageTexts

export const partsText = translatorOf(partsTexts)
