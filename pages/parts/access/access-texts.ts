import { type PageTexts, translatorOf } from '../texts.js'

/** Texts about access: signing in, and pasted tokens. */
export const accessTexts = {
  title: { en: 'Access', da: 'Adgang' },

  token: { en: 'Access key', da: 'Adgangsnøgle' },
  useToken: { en: 'Use the key', da: 'Brug nøglen' },
  tokenHint: { en: 'You get it from the application in which you are signed in.', da: 'Du får den fra det program, hvor du er logget ind.' },
  wanted: { en: 'The page needs an access key before it can send anything.', da: 'Siden skal have en adgangsnøgle, før den kan sende noget.' },
  awaited: { en: 'Waiting for the application that opened this page to hand over your access key. You can also paste it in.', da: 'Venter på, at det program, der åbnede siden, giver din adgangsnøgle videre. Du kan også selv indsætte den.' },
  given: { en: '✓ Access key received. It is kept only until you close the page.', da: '✓ Adgangsnøglen er modtaget. Den bliver kun gemt, indtil du lukker siden.' },
  rejected: { en: '✗ The server does not accept the access key. It may have expired. Enter a new one.', da: '✗ Serveren godtager ikke adgangsnøglen. Den kan være udløbet. Indsæt en ny.' },
  malformed: { en: '✗ This is not an access key. Copy all of it, without spaces.', da: '✗ Det er ikke en adgangsnøgle. Kopiér den hele, uden mellemrum.' },

  choosePerson: { en: 'To try this page without an access key of your own, choose a person on the first page.', da: 'Vælg en person på forsiden for at prøve siden uden selv at have en adgangsnøgle.' },

  signIn: { en: 'Sign in', da: 'Log ind' },
  signInAt: { en: 'Sign in at {issuer}', da: 'Log ind hos {issuer}' },
  signOut: { en: 'Sign out', da: 'Log ud' },
  out: { en: 'Sign in to use this page.', da: 'Log ind for at bruge siden.' },
  unavailable: { en: '✗ Signing in is not possible at the moment. Reload the page in a minute.', da: '✗ Man kan ikke logge ind lige nu. Genindlæs siden om et minut.' },
  waiting: { en: 'Sign in in the window that opened. If you closed it, press the button again.', da: 'Log ind i vinduet, der blev åbnet. Hvis du har lukket det, så tryk på knappen igen.' },
  blocked: { en: '✗ The browser did not open the window. Allow this page to open windows (pop-ups), and press the button again.', da: '✗ Browseren åbnede ikke vinduet. Giv siden lov til at åbne vinduer (pop op), og tryk på knappen igen.' },
  expired: { en: '✗ Your access has expired. Sign in again: what you have typed stays.', da: '✗ Din adgang er udløbet. Log ind igen: det, du har skrevet, bevares.' },
  in: { en: '✓ Signed in: {name} ({userType})', da: '✓ Logget ind: {name} ({userType})' },
  otherUserType: { en: '✗ You are signed in as {userType}. This page is for: {userTypes}. Sign out to sign in as another user.', da: '✗ Du er logget ind som {userType}. Siden er for: {userTypes}. Log ud for at logge ind som en anden bruger.' },
  denied: { en: '✗ You were not signed in: it was cancelled, or you have no access. Try again, or ask your administrator.', da: '✗ Du blev ikke logget ind: login blev afbrudt, eller du har ikke adgang. Prøv igen, eller spørg din administrator.' },
  refused: { en: '✗ The sign-in service rejected the sign-in ({error}). Try again later. If that does not help, contact your administrator.', da: '✗ Login-tjenesten afviste forsøget ({error}). Prøv igen senere. Hvis det ikke hjælper, så kontakt din administrator.' },
  unreachable: { en: '✗ The sign-in service does not respond. Check your connection and try again.', da: '✗ Login-tjenesten svarer ikke. Kontrollér din forbindelse, og prøv igen.' }
} as const satisfies PageTexts

export const accessText = translatorOf(accessTexts)
