import { type PageTexts, translatorOf } from '../parts/texts.js'
import { clerkTexts } from './clerk/clerk-texts.js'

/** Texts of the order desk. What the server says is in the language of the page, too. */
export const deskTexts = {
  ...clerkTexts,
  title: { en: 'Order desk', da: 'Bestillinger' },
  introduction: {
    en: 'Order for patients at home, and deliver.',
    da: 'Bestil til borgere i hjemmet, og levér.'
  },
  catalogues: { en: 'Catalogues', da: 'Kataloger' },
  views: { en: 'Views', da: 'Visninger' },
  unknownView: { en: 'There is no such view.', da: 'Den visning findes ikke.' },

  orders: { en: 'Orders', da: 'Bestillinger' },
  patients: { en: 'Patients', da: 'Borgere' },
  round: { en: 'Round of the day', da: 'Dagens runde' },
  devices: { en: 'Find a device', da: 'Find udstyr' },
  figures: { en: 'Figures', da: 'Tal' },

  questions: { en: 'Need your answer', da: 'Kræver svar' },
  returned: { en: 'Could not be done', da: 'Kunne ikke udføres' },
  late: { en: 'Late', da: 'Forsinkede' },
  newOrder: { en: 'New order', da: 'Ny bestilling' },
  newOrders: { en: 'New', da: 'Nye' },
  drafts: { en: 'Drafts', da: 'Kladder' },
  accepted: { en: 'In progress', da: 'I gang' },
  closed: { en: 'Done', da: 'Udførte' },
  noOrders: { en: 'No orders.', da: 'Ingen bestillinger.' },

  search: { en: 'Search', da: 'Søg' },
  searchOrders: { en: 'Name of the patient or order', da: 'Navn på borger eller bestilling' },
  searchPatients: { en: 'Name of the patient', da: 'Borgerens navn' },
  searchDevices: { en: 'Serial number, UDI or lot number', da: 'Serienummer, UDI eller lotnummer' },

  order: { en: 'Order', da: 'Bestilling' },
  patient: { en: 'Patient', da: 'Borger' },
  buyer: { en: 'Buyer', da: 'Køber' },
  seller: { en: 'Provider', da: 'Leverandør' },
  status: { en: 'Status', da: 'Status' },
  urgent: { en: 'Urgent', da: 'Haster' },
  wishedBy: { en: 'Wished by', da: 'Ønsket senest' },
  wish: { en: 'Wished delivery', da: 'Ønsket levering' },
  reason: { en: 'Reason', da: 'Begrundelse' },
  numbers: { en: 'Numbers', da: 'Numre' },
  name: { en: 'Name', da: 'Navn' },
  address: { en: 'Address', da: 'Adresse' },
  addressLine2: { en: 'Address, second line', da: 'Adresse, anden linje' },
  postalCode: { en: 'Postal code', da: 'Postnummer' },
  postalDistrict: { en: 'Town', da: 'By' },
  phone: { en: 'Telephone', da: 'Telefon' },
  email: { en: 'E-mail', da: 'E-mail' },
  unusualPhone: {
    en: 'Telephone numbers usually have 8 digits.',
    da: 'Telefonnumre har normalt 8 cifre.'
  },
  unusualEmail: {
    en: 'E-mail addresses look like name@example.com.',
    da: 'E-mailadresser ligner navn@eksempel.dk.'
  },
  unusualPostalCode: {
    en: 'Danish postal codes have 4 digits.',
    da: 'Danske postnumre har 4 cifre.'
  },

  statusDraft: { en: 'Draft', da: 'Kladde' },
  statusNew: { en: 'New', da: 'Ny' },
  statusNotSent: { en: 'Not ordered yet', da: 'Ikke bestilt endnu' },
  statusAccepted: { en: 'Accepted', da: 'Accepteret' },

  orderCreated: { en: 'Order created', da: 'Bestillingen er oprettet' },
  orderSent: { en: 'The order was sent', da: 'Bestillingen er sendt' },
  orderAccepted: { en: 'The order was accepted', da: 'Bestillingen er accepteret' },
  orderDone: { en: 'The order is done', da: 'Bestillingen er udført' },
  notBefore: { en: '{day} at the earliest', da: 'tidligst {day}' },
  notAfter: { en: '{day} at the latest', da: 'senest {day}' },
  storedNow: { en: 'Another user has stored: {value}', da: 'En anden har gemt: {value}' },
  showPatient: { en: 'Show the patient', da: 'Vis borgeren' },

  latestOrders: {
    en: 'These are the patients of the latest {count} orders. Search, or show more, to find others.',
    da: 'Det er borgerne i de seneste {count} bestillinger. Søg, eller vis flere, for at finde andre.'
  },
  noPatients: { en: 'No patient was found.', da: 'Ingen borger fundet.' },
  otherPatient: { en: 'Another patient', da: 'En anden borger' },
  newPatient: { en: 'New patient', da: 'Ny borger' },
  patientIdHint: {
    en: 'The id in the clinical system, or the URL.',
    da: 'Id i det kliniske system, eller adressen.'
  },
  openPatient: { en: 'Open', da: 'Åbn' },
  orderForPatient: { en: 'Order for this patient', da: 'Bestil til borgeren' },
  devicesAtHome: { en: 'Devices at home', da: 'Udstyr i hjemmet' },
  noDevices: { en: 'No devices.', da: 'Intet udstyr.' },
  device: { en: 'Device', da: 'Udstyr' },
  since: { en: 'Since', da: 'Siden' },
  actions: { en: 'Choose', da: 'Vælg' },
  orderForDevice: { en: 'Pick up, replace, repair', da: 'Hent, byt, reparér' },
  otherService: { en: 'Something else', da: 'Noget andet' },
  underWay: { en: 'Already ordered:', da: 'Allerede bestilt:' },
  nothingOffered: {
    en: 'Its provider offers nothing that fits. Look for something else.',
    da: 'Leverandøren tilbyder intet, der passer. Søg efter noget andet.'
  },
  alsoInUse: {
    en: 'Another patient has a device with this serial number. Check the number.',
    da: 'En anden borger har udstyr med dette serienummer. Kontrollér nummeret.'
  },
  endUse: { en: 'Out of use', da: 'Ude af brug' },
  endUseEffect: {
    en: 'This is no longer shown as in use, and nobody fetches it:',
    da: 'Det her bliver ikke længere vist som i brug, og ingen henter det:'
  },
  noDeviceFound: { en: 'No device has this number.', da: 'Intet udstyr har det nummer.' },

  forDevice: { en: 'For', da: 'Gælder' },
  findItems: { en: 'Find devices and services', da: 'Find udstyr og ydelser' },
  showUnorderable: { en: 'Show also what cannot be ordered', da: 'Vis også det, der ikke kan bestilles' },
  noItems: { en: 'Nothing was found.', da: 'Intet fundet.' },
  item: { en: 'Device or service', da: 'Udstyr eller ydelse' },
  action: { en: 'Action', da: 'Handling' },
  add: { en: 'Add', da: 'Tilføj' },
  remove: { en: 'Remove', da: 'Fjern' },
  chosen: { en: 'To be ordered', da: 'Skal bestilles' },
  noLines: { en: 'Add something first, from one provider.', da: 'Tilføj noget først, fra én leverandør.' },
  addToOrder: { en: 'Add to the order', da: 'Føj til bestillingen' },
  receiver: { en: 'Receiver', da: 'Modtager' },
  receiverNamed: { en: 'Receiver: {name}', da: 'Modtager: {name}' },
  receiverName: { en: 'Name of the receiver', da: 'Modtagerens navn' },
  patientName: {
    en: 'Name of the patient, if another person receives',
    da: 'Borgerens navn, hvis en anden modtager'
  },
  earliestDeliveryDate: { en: 'Deliver at the earliest', da: 'Levering tidligst' },
  latestDeliveryDate: { en: 'Deliver at the latest', da: 'Levering senest' },
  isUrgent: { en: 'The order is urgent', da: 'Bestillingen haster' },
  note: { en: 'Message to the provider', da: 'Besked til leverandøren' },
  noteHint: { en: 'Only what the delivery needs.', da: 'Kun det, der er nødvendigt for leveringen.' },
  saveDraft: { en: 'Save as a draft', da: 'Gem som kladde' },
  unsent: {
    en: 'Saved, but not sent: press “Send the order” to see why.',
    da: 'Gemt, men ikke sendt: tryk »Send bestillingen« for at se hvorfor.'
  },

  sendOrder: { en: 'Send the order', da: 'Send bestillingen' },
  accept: { en: 'Accept', da: 'Acceptér' },
  reject: { en: 'Reject', da: 'Afvis' },
  fulfilAll: { en: 'All is done', da: 'Alt er udført' },
  cancelOrder: { en: 'Cancel the order', da: 'Annullér bestillingen' },
  fulfilEffect: {
    en: 'These lines are marked as done, and the order is closed:',
    da: 'Disse linjer bliver markeret som udført, og bestillingen bliver afsluttet:'
  },
  rejectEffect: {
    en: 'The order is rejected and closed. These lines will not be delivered:',
    da: 'Bestillingen bliver afvist og afsluttet. Disse linjer bliver ikke leveret:'
  },
  cancelEffect: {
    en: 'The order is cancelled and closed. The provider will not deliver these lines:',
    da: 'Bestillingen bliver annulleret og afsluttet. Leverandøren skal ikke levere disse linjer:'
  },
  discardEffect: {
    en: 'The draft is cancelled and will not be sent, with these lines:',
    da: 'Kladden bliver annulleret og bliver ikke sendt, med disse linjer:'
  },
  removeEffect: {
    en: 'This is removed from the draft: {line}.',
    da: 'Det her bliver fjernet fra kladden: {line}.'
  },
  correct: { en: 'Correct', da: 'Ret' },
  addLines: { en: 'Add lines', da: 'Tilføj linjer' },
  deliveryNote: { en: 'Delivery note', da: 'Følgeseddel' },
  reasonText: { en: 'Details', da: 'Uddybning' },

  lines: { en: 'Lines', da: 'Linjer' },
  agreed: { en: 'Agreed time', da: 'Aftalt tid' },
  agree: { en: 'Agree a time', da: 'Aftal tid' },
  day: { en: 'Day', da: 'Dag' },
  from: { en: 'From', da: 'Fra' },
  to: { en: 'To', da: 'Til' },
  orderAgain: { en: 'Order again', da: 'Bestil igen' },
  returnLine: { en: 'Cannot be done', da: 'Kan ikke udføres' },
  cancelLine: { en: 'Cancel', da: 'Annullér' },
  performedAt: { en: 'Done at, if not now', da: 'Udført den, hvis ikke nu' },
  receivedBy: { en: 'Received by', da: 'Modtaget af' },
  mistakeEffect: {
    en: 'If it was registered by mistake, a device that it replaced is in use again.',
    da: 'Hvis det er registreret ved en fejl, er udstyr, som det udskiftede, i brug igen.'
  },
  serialNumber: { en: 'Serial number', da: 'Serienummer' },
  udi: { en: 'UDI, as scanned', da: 'UDI, som skannet' },
  lotNumber: { en: 'Lot number', da: 'Lotnummer' },
  expiryDate: { en: 'Expiry date', da: 'Udløbsdato' },
  differsFromUdi: {
    en: 'The UDI has other numbers than these: {numbers}',
    da: 'UDI’en har andre numre end disse: {numbers}'
  },

  notes: { en: 'Messages', da: 'Beskeder' },
  newNote: { en: 'New message', da: 'Ny besked' },
  addNote: { en: 'Send the message', da: 'Send beskeden' },
  asks: { en: 'I need an answer', da: 'Jeg har brug for svar' },
  history: { en: 'History', da: 'Forløb' },
  noRound: { en: 'Nothing is agreed for this day.', da: 'Intet er aftalt denne dag.' },
  print: { en: 'Print', da: 'Udskriv' },
  signature: { en: 'Received (date, signature):', da: 'Modtaget (dato, underskrift):' },
  sent: { en: 'Ordered', da: 'Bestilt' },
  ended: { en: 'Rejected and cancelled', da: 'Afviste og annullerede' },
  noneIn: { en: 'There is nothing in “{list}”.', da: 'Der er intet i »{list}«.' },
  noMatch: { en: 'No order here matches “{q}”.', da: 'Ingen bestillinger her passer til »{q}«.' },
  showList: { en: 'Show “{list}”', da: 'Vis »{list}«' },
  lists: { en: 'Lists', da: 'Lister' },
  previous: { en: 'Previous', da: 'Forrige' },
  next: { en: 'Next', da: 'Næste' },
  pageOf: { en: '{from}–{to} of {total}', da: '{from}–{to} af {total}' },
  placeOf: { en: '{place} of {total}', da: '{place} af {total}' },
  daysLate: { en: '{count} days late', da: '{count} dage for sent' },
  dayLate: { en: '1 day late', da: '1 dag for sent' },
  sentAt: { en: 'sent {time}', da: 'sendt {time}' },
  createdAt: { en: 'created {time}', da: 'oprettet {time}' },
  more: { en: 'More', da: 'Mere' },
  awaitsYou: { en: 'Awaits your answer', da: 'Venter på dit svar' },
  awaitsThem: { en: 'Awaits their answer', da: 'Venter på svar' },
  isLate: { en: 'Late', da: 'Forsinket' },
  isUnanswered: { en: 'Not answered in time', da: 'Ikke besvaret i tide' },
  stepAgreed: { en: 'Time agreed', da: 'Tid aftalt' },
  linesOf: { en: '{count} of {total} lines', da: '{count} af {total} linjer' },
  wishedUntil: { en: 'wished by {day}', da: 'ønsket senest {day}' },
  theyAsk: { en: '{party} asks:', da: '{party} spørger:' },
  quoted: { en: '“{text}”', da: '»{text}«' },
  answer: { en: 'Answer', da: 'Svar' },
  sendAnswer: { en: 'Send the answer', da: 'Send svaret' },
  awaitsParty: {
    en: 'The order awaits an answer from {party}.',
    da: 'Bestillingen venter på svar fra {party}.'
  },
  wasRejected: { en: 'The order was rejected', da: 'Bestillingen er afvist' },
  wasCancelled: { en: 'The order was cancelled', da: 'Bestillingen er annulleret' },
  linesReturned: {
    en: '{count} of the lines could not be done. Order them again, or cancel them.',
    da: '{count} af linjerne kunne ikke udføres. Bestil dem igen, eller annullér dem.'
  },
  isDraft: {
    en: 'This is a draft. The provider does not see it until you send it.',
    da: 'Det er en kladde. Leverandøren ser den først, når du sender den.'
  },
  selected: { en: '{count} selected', da: '{count} valgt' },
  selectAll: { en: 'Select all', da: 'Vælg alle' },
  selectLine: { en: 'Select {line}', da: 'Vælg {line}' },
  selectHint: { en: 'Select the lines to change.', da: 'Vælg de linjer, du vil ændre.' },
  what: { en: 'What', da: 'Hvad' },
  noTime: { en: 'Not agreed', da: 'Ikke aftalt' },
  delivery: { en: 'Delivery', da: 'Levering' },
  showOlder: { en: 'Show {count} older', da: 'Vis {count} ældre' },
  noNotes: { en: 'There are no messages yet.', da: 'Der er ingen beskeder endnu.' },
  noteSent: { en: 'The message is sent.', da: 'Beskeden er sendt.' },
  saved: { en: 'The change is saved.', da: 'Ændringen er gemt.' },
  numbersMissing: { en: '{count} devices without numbers.', da: '{count} stykker udstyr uden numre.' },
  numberMissing: { en: '1 device without a number.', da: '1 stykke udstyr uden nummer.' },
  contactMissing: {
    en: 'The address or the telephone number is missing.',
    da: 'Adressen eller telefonnummeret mangler.'
  },
  linesFulfilEffect: { en: 'This is marked as done:', da: 'Det her bliver markeret som udført:' },
  linesCancelEffect: { en: 'This is cancelled:', da: 'Det her bliver annulleret:' },
  linesReturnEffect: {
    en: 'This goes back to {party}, who can order it again or cancel it:',
    da: 'Det her går tilbage til {party}, som kan bestille det igen eller annullere det:'
  },
  lastLinesEffect: {
    en: 'No other line is open, so the order is closed, too.',
    da: 'Ingen andre linjer er åbne, så bestillingen bliver også afsluttet.'
  },
  back: { en: 'Back to the order', da: 'Tilbage til bestillingen' },

  month: { en: 'Month', da: 'Måned' },
  all: { en: 'All', da: 'Alle' },
  byMonth: { en: 'By month', da: 'Pr. måned' },
  bySeller: { en: 'By provider', da: 'Pr. leverandør' },
  byBuyer: { en: 'By buyer', da: 'Pr. køber' },
  byAction: { en: 'By action', da: 'Pr. handling' },
  fulfilled: { en: 'Done', da: 'Udført' },
  rejected: { en: 'Rejected', da: 'Afvist' },
  cancelled: { en: 'Cancelled', da: 'Annulleret' },
  answerHoursMedian: { en: 'Hours to the answer (median)', da: 'Timer til svar (median)' },
  deliveryDaysMedian: { en: 'Days to the delivery (median)', da: 'Dage til levering (median)' },
  devicesInUse: { en: 'Devices in use', da: 'Udstyr i brug' },
  ordersAndLate: { en: 'Orders; red: late', da: 'Bestillinger; rød: forsinkede' },
  seeTable: { en: 'The table has the figures.', da: 'Tallene står i tabellen.' },
  percent: { en: '{percent}%', da: '{percent} %' },
  downloadCsv: { en: 'Download as CSV', da: 'Hent som CSV' },
  others: { en: 'Others', da: 'Øvrige' },
  othersHint: { en: 'small groups, together', da: 'små grupper tilsammen' },
  fewHint: {
    en: 'Groups of fewer than 5 patients in a month are left out or counted as “Others”, if need be with one more group, so that nobody can be recognized.',
    da: 'Grupper med under 5 borgere i en måned er udeladt eller talt med under »Øvrige«, om nødvendigt med én gruppe mere, så ingen kan genkendes.'
  },
  noFigures: { en: 'No orders in this period.', da: 'Ingen bestillinger i perioden.' },
  noName: { en: 'Without a name', da: 'Uden navn' },

  mail: { en: 'Notify us by e-mail', da: 'Send os e-mail om bestillinger' },
  mailOff: {
    en: 'To {address}, at most every 15 minutes.',
    da: 'Til {address}, højst hvert kvarter.'
  },
  mailOn: {
    en: 'Mail goes to {address}, at most every 15 minutes.',
    da: 'Der sendes e-mail til {address}, højst hvert kvarter.'
  },
  mailPending: {
    en: 'A test mail is on its way to {address}.',
    da: 'En prøve-e-mail er på vej til {address}.'
  },
  mailFails: {
    en: 'The last mail to {address} could not be delivered. The server will try again.',
    da: 'Den sidste e-mail til {address} kunne ikke afleveres. Serveren prøver igen.'
  },
  mailStopped: {
    en: 'Mail has stopped. Switch it on to send mail to {address}.',
    da: 'Der sendes ikke e-mail længere. Slå til for at sende til {address}.'
  },
  mailRefused: {
    en: 'The e-mail address of your organization has changed. Load the page again.',
    da: 'Jeres organisations e-mailadresse er ændret. Genindlæs siden.'
  },
  mailNoAddress: {
    en: 'Your organization has no e-mail address. A clerk can add one to its party.',
    da: 'Jeres organisation har ingen e-mailadresse. En administrativ medarbejder kan skrive den i jeres part.'
  }
} as const satisfies PageTexts

export type DeskTextKey = keyof typeof deskTexts
export const deskText = translatorOf(deskTexts)

/** The texts of trace lines that report no change of a status, by their codes. */
const traceTexts: PageTexts = {
  'order-created': { en: 'Order created', da: 'Bestilling oprettet' },
  'order-priority-changed': { en: 'Urgency changed', da: 'Ændret, om det haster' },
  'receiver-changed': { en: 'Receiver changed', da: 'Modtager ændret' },
  'delivery-wish-changed': { en: 'Wished delivery changed', da: 'Ønsket levering ændret' },
  'delivery-time-changed': { en: 'Delivery time agreed', da: 'Leveringstid aftalt' },
  'order-line-device-changed': { en: 'Numbers of the device', da: 'Udstyrets numre' },
  'device-use-ended': { en: 'Device no longer in use', da: 'Udstyr ikke længere i brug' },
  'device-use-resumed': { en: 'Device in use again', da: 'Udstyr i brug igen' },
  'another-model-delivered': { en: 'Another model was delivered', da: 'En anden model er leveret' },
  'order-awaits-answer': { en: 'Awaits an answer', da: 'Venter på svar' },
  'order-awaits-no-answer': { en: 'No longer awaits an answer', da: 'Venter ikke længere på svar' }
}
const traceTextOf = translatorOf(traceTexts)

/** The text of a trace line in the language of the page. */
export const translatedTrace = ({ code, text }: { code: string; text: string }): string =>
  traceTextOf(code) || text
