import { type PageTexts, translatorOf } from './texts.js'

/** Texts of the shared parts. */
export const partsTexts = {
  required: { en: 'required', da: 'skal udfyldes' },
  close: { en: 'Close', da: 'Luk' },

  accessTitle: { en: 'Access', da: 'Adgang' },
  accessWanted: {
    en: 'The page needs an access key (token) before it can send anything.',
    da: 'Siden skal have en adgangsnøgle (token), før den kan sende noget.'
  },
  accessAwaited: {
    en: 'Waiting for the application that opened this page to hand over your access key. You can also paste it in.',
    da: 'Venter på, at det program, der åbnede siden, giver din adgangsnøgle videre. Du kan også selv indsætte den.'
  },
  accessGiven: {
    en: '✓ Access key received. It is kept only until you close the page.',
    da: '✓ Der er en adgangsnøgle. Den bliver husket, til du lukker siden, og ikke andre steder.'
  },
  accessRefused: {
    en: '✗ The server does not accept the access key. It may have expired. Enter a new one.',
    da: '✗ Serveren godtager ikke adgangsnøglen; måske er den udløbet. Giv en ny.'
  },
  accessOdd: {
    en: '✗ This is not an access key. Copy all of it, without spaces.',
    da: '✗ Det er ikke en adgangsnøgle. Kopiér den hele, uden mellemrum.'
  },
  tokenLabel: { en: 'Access key', da: 'Adgangsnøgle' },
  tokenUse: { en: 'Use the key', da: 'Brug nøglen' },
  tokenHint: {
    en: 'You get it from the application in which you are signed in.',
    da: 'Du får den fra det program, hvor du er logget ind.'
  },

  noToken: {
    en: 'You have no access, or it has expired: see “Access” on this page.',
    da: 'Du har ikke adgang, eller den er udløbet: se “Adgang” på siden.'
  },
  noResponse: {
    en: 'The server did not respond. Check your connection and try again.',
    da: 'Serveren svarede ikke. Se efter din forbindelse, og prøv igen.'
  },
  badResponse: {
    en: 'The server sent an unexpected response. Try again later.',
    da: 'Serverens svar kan ikke forstås. Prøv igen senere.'
  }
} as const satisfies PageTexts

export const partsText = translatorOf(partsTexts)
