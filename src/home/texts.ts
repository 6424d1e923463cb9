import type { LocalizedText, Texts } from '../platform/errors/language.js'
import { demoOrganizations } from './demo-people.js'

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
    en: 'The API documents are not served here.',
    da: 'Grænsefladernes dokumenter er ikke tilgængelige her.'
  },
  pagesTitle: { en: 'Pages', da: 'Sider' },
  desk: {
    en: 'Order desk: order devices and services, and deliver them',
    da: 'Bestillingsportal: bestil udstyr og ydelser, og levér dem'
  },
  upload: { en: 'Send a catalogue as an Excel workbook', da: 'Send et katalog som Excel-fil' },
  stateTitle: { en: 'State', da: 'Tilstand' },
  health: { en: 'State of the server', da: 'Serverens tilstand' },
  version: { en: 'Version', da: 'Version' },
  developers: { en: 'For developers', da: 'For udviklere' },
  openAs: { en: 'Open as', da: 'Åbn som' },
  tokensTitle: { en: 'Open as another person', da: 'Åbn som en anden person' },
  noData: {
    en: 'There are no data yet. Run npm run demo in a second terminal, and load this page again.',
    da: 'Der er ingen data endnu. Kør npm run demo i en anden terminal, og genindlæs siden.'
  },
  tokensHint: {
    en: 'Access keys are not verified in this environment. Choose who you are, and a page.',
    da: 'Adgangsnøgler bliver ikke kontrolleret i dette miljø. Vælg, hvem du er, og vælg en side.'
  },
  person: { en: 'Person', da: 'Person' },
  needsScript: { en: 'This page needs JavaScript.', da: 'Siden kræver JavaScript.' },
  failed: {
    en: 'The access key could not be fetched. Try again.',
    da: 'Adgangsnøglen kunne ikke hentes. Prøv igen.'
  }
} as const satisfies Texts

/** What a person of the demo can try on the desk, step by step. */
interface Story {
  title: LocalizedText
  person: string
  organization: string
  steps: readonly LocalizedText[]
}

const { aarhus, maaneskaer, region } = demoOrganizations

export const stories: readonly Story[] = [
  {
    title: { en: 'Nurse', da: 'Sygeplejerske' },
    person: aarhus.people.MonitoringResponsible,
    organization: aarhus.name,
    steps: [
      { en: 'Choose a patient under “Patients”.', da: 'Vælg en borger under »Borgere«.' },
      {
        en: 'Order a device or a service for the patient.',
        da: 'Bestil udstyr eller en ydelse til borgeren.'
      },
      {
        en: 'Ask the provider a question on the order.',
        da: 'Stil leverandøren et spørgsmål på bestillingen.'
      },
      { en: 'See what has been delivered to the patient.', da: 'Se, hvad borgeren har fået leveret.' }
    ]
  },
  {
    title: { en: 'Provider', da: 'Leverandør' },
    person: maaneskaer.people.Provider,
    organization: maaneskaer.name,
    steps: [
      { en: 'Open a new order and accept it.', da: 'Åbn en ny bestilling, og acceptér den.' },
      { en: 'Agree a time for the delivery.', da: 'Aftal en tid for leveringen.' },
      {
        en: 'See the stops of the day under “Round of the day”.',
        da: 'Se dagens stop under »Dagens runde«.'
      },
      {
        en: 'Enter the serial number and mark the line as done.',
        da: 'Skriv serienummeret, og markér linjen som udført.'
      }
    ]
  },
  {
    title: { en: 'Administrator', da: 'Administrator' },
    person: region.people.AdministrativeClerk,
    organization: region.name,
    steps: [
      {
        en: 'Switch an item off under “What may be ordered”, and undo it.',
        da: 'Slå en vare fra under »Hvad der må bestilles«, og fortryd det.'
      },
      {
        en: 'See which contracts are in force and when they end.',
        da: 'Se, hvilke kontrakter der er i kraft, og hvornår de slutter.'
      },
      { en: 'Correct the e-mail address of a party.', da: 'Ret en parts e-mailadresse.' },
      {
        en: 'Download a catalogue as an Excel workbook, correct it and check it.',
        da: 'Hent et katalog som Excel-fil, ret i det, og kontrollér det.'
      }
    ]
  }
]

export const problemPageTexts = {
  status: { en: 'Status', da: 'Status' },
  remedy: { en: 'What to do', da: 'Hvad du kan gøre' },
  home: { en: 'First page', da: 'Forside' }
} as const satisfies Texts
