import type { PageTexts } from '../../parts/texts.js'

/** Texts of the views of clerks. */
export const clerkTexts = {
  orderable: { en: 'What may be ordered', da: 'Hvad der må bestilles' },
  mayBeOrdered: { en: 'May be ordered', da: 'Må bestilles' },
  yes: { en: 'Yes', da: 'Ja' },
  no: { en: 'No', da: 'Nej' },
  whiteListed: {
    en: '{buyer} has {count} items on the white list.',
    da: '{buyer} har {count} varer på positivlisten.'
  },
  oneWhiteListed: {
    en: '{buyer} has 1 item on the white list.',
    da: '{buyer} har 1 vare på positivlisten.'
  },
  searchItems: { en: 'Name, manufacturer, model or number', da: 'Navn, fabrikant, model eller nummer' },
  allSellers: { en: 'All providers', da: 'Alle leverandører' },
  allow: { en: 'Allow', da: 'Tillad' },
  disallow: { en: 'Do not allow', da: 'Tillad ikke' },
  nowAllowed: { en: '{buyer} may now order {what}.', da: '{buyer} må nu bestille {what}.' },
  nowDisallowed: {
    en: '{buyer} may no longer order {what}.',
    da: '{buyer} må ikke længere bestille {what}.'
  },
  itemCount: { en: '{count} items', da: '{count} varer' },
  UNAVAILABLE: { en: 'Not available at the moment', da: 'Kan ikke leveres for tiden' },
  DISCONTINUED: { en: 'Discontinued', da: 'Udgået' },
  noBuyers: {
    en: 'Your organization administers no buyer.',
    da: 'Din organisation administrerer ingen køber.'
  },
  noSellers: {
    en: '{buyer} has no contract in force, so no catalogue is open to it.',
    da: '{buyer} har ingen kontrakt i kraft og derfor ingen kataloger at vælge fra.'
  },
  noItemsHere: { en: 'These catalogues have no items yet.', da: 'Disse kataloger har ingen varer endnu.' },
  noItemsMatch: { en: 'No item matches “{q}”.', da: 'Ingen varer passer til »{q}«.' },
  showAll: { en: 'Show all', da: 'Vis alle' },

  contracts: { en: 'Contracts', da: 'Kontrakter' },
  contract: { en: 'Contract', da: 'Kontrakt' },
  inForce: { en: 'In force', da: 'I kraft' },
  expiring: { en: 'Expiring soon', da: 'Udløber snart' },
  coming: { en: 'Not begun', da: 'Ikke begyndt' },
  over: { en: 'Ended', da: 'Afsluttede' },
  noInForce: { en: 'No contract is in force.', da: 'Ingen kontrakter er i kraft.' },
  noExpiring: { en: 'No contract expires soon.', da: 'Ingen kontrakter udløber snart.' },
  noComing: { en: 'All contracts have begun.', da: 'Alle kontrakter er begyndt.' },
  noOver: { en: 'No contract has ended.', da: 'Ingen kontrakter er afsluttet.' },
  newContract: { en: 'New contract', da: 'Ny kontrakt' },
  createContract: { en: 'Create the contract', da: 'Opret kontrakten' },
  contractCreated: { en: 'The contract is created.', da: 'Kontrakten er oprettet.' },
  contractEnded: { en: 'The contract ends on {day}.', da: 'Kontrakten slutter {day}.' },
  endContract: { en: 'End the contract', da: 'Afslut kontrakten' },
  contractEndEffect: {
    en: 'After this day nothing can be ordered under the contract. Open orders stay.',
    da: 'Efter den dag kan der ikke bestilles under kontrakten. Åbne bestillinger bliver stående.'
  },
  lastDay: { en: 'Last day', da: 'Sidste dag' },
  firstDay: { en: 'First day', da: 'Første dag' },
  period: { en: 'Period', da: 'Periode' },
  account: { en: 'Paid by', da: 'Betales af' },
  buyers: { en: 'Buyers', da: 'Købere' },
  answerDays: { en: 'Days to answer an order', da: 'Dage til at svare på en bestilling' },
  reminderDays: { en: 'Reminder before a delivery, days', da: 'Påmindelse før levering, dage' },
  expiryReminderDays: { en: 'Reminder before the end, days', da: 'Påmindelse før udløb, dage' },
  save: { en: 'Save', da: 'Gem' },

  parties: { en: 'Parties', da: 'Parter' },
  searchParties: { en: 'Name or e-mail', da: 'Navn eller e-mail' },
  roles: { en: 'Role', da: 'Rolle' },
  BUYER: { en: 'Buyer', da: 'Køber' },
  SELLER: { en: 'Provider', da: 'Leverandør' },
  ACCOUNTING: { en: 'Payer', da: 'Betaler' },
  emailMissing: { en: 'No e-mail', da: 'Ingen e-mail' },
  emailHint: {
    en: 'The other side of an order sees it.',
    da: 'Den anden part i en bestilling ser den.'
  },
  noParties: {
    en: 'Your organization administers no parties.',
    da: 'Din organisation administrerer ingen parter.'
  },
  noPartiesMatch: { en: 'No party matches “{q}”.', da: 'Ingen parter passer til »{q}«.' }
} as const satisfies PageTexts
