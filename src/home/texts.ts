import type { Texts } from '../platform/errors/language.js'

/** Texts of the first page. */
export const homeTexts = {
  title: { en: 'SSL backend', da: 'SSL-backend' },
  introduction: {
    en: 'Service, support and logistics: ordering and tracing medical devices and services for patients treated at home.',
    da: 'Service, support og logistik: bestilling og sporing af medicinsk udstyr og ydelser til borgere, der behandles hjemme.'
  },
  otherLanguage: { en: 'Dansk', da: 'English' },
  documentsTitle: { en: 'Interfaces', da: 'Grænseflader' },
  catalogues: { en: 'Catalogues', da: 'Kataloger' },
  orders: { en: 'Orders', da: 'Bestillinger' },
  workbooks: { en: 'Catalogues as Excel workbooks', da: 'Kataloger som Excel-filer' },
  document: { en: 'OpenAPI document', da: 'OpenAPI-dokument' },
  events: { en: 'Events', da: 'Hændelser' },
  eventDocument: { en: 'AsyncAPI document', da: 'AsyncAPI-dokument' },
  noDocuments: {
    en: 'The documents of the interfaces are not served here.',
    da: 'Grænsefladernes dokumenter er ikke tilgængelige her.'
  },
  pagesTitle: { en: 'Pages', da: 'Sider' },
  desk: {
    en: 'Order desk: order devices and services, and deliver them',
    da: 'Bestillinger: bestil udstyr og ydelser, og levér dem'
  },
  upload: { en: 'Send a catalogue as an Excel workbook', da: 'Send et katalog som Excel-fil' },
  stateTitle: { en: 'State', da: 'Tilstand' },
  health: { en: 'State of the server', da: 'Serverens tilstand' },
  version: { en: 'Version', da: 'Version' },
  tokensTitle: { en: 'Try it', da: 'Prøv' },
  noData: {
    en: 'There are no data yet. Run npm run demo in a second terminal, and load this page again.',
    da: 'Der er ingen data endnu. Kør npm run demo i en anden terminal, og genindlæs siden.'
  },
  tokensHint: {
    en: 'Tokens are not verified in this environment. Choose who you are, and a page: it opens in a new tab. Open the order desk twice to see an order from both sides.',
    da: 'Adgangsnøgler bliver ikke kontrolleret i dette miljø. Vælg, hvem du er, og en side: den åbner i en ny fane. Åbn bestillingerne to gange for at se en bestilling fra begge sider.'
  },
  person: { en: 'Open as', da: 'Åbn som' },
  needsScript: { en: 'This needs JavaScript.', da: 'Det kræver JavaScript.' },
  failed: {
    en: 'The token could not be fetched. Try again.',
    da: 'Adgangsnøglen kunne ikke hentes. Prøv igen.'
  }
} as const satisfies Texts

/** Texts of the page of a problem. */
export const problemPageTexts = {
  status: { en: 'Status', da: 'Status' },
  remedy: { en: 'What to do', da: 'Hvad du kan gøre' },
  home: { en: 'First page', da: 'Forside' }
} as const satisfies Texts
