import { type PageTexts, translatorOf } from '../parts/texts.js'

/** All texts of the upload page in both languages. */
export const uploadTexts = {
  title: { en: 'Catalogue from Excel', da: 'Katalog fra Excel' },
  introduction: {
    en: 'Send a catalogue as an Excel workbook. It is checked first. Nothing is written until you import it.',
    da: 'Send et katalog som Excel-fil. Den bliver kontrolleret først, og intet bliver skrevet, før du indlæser den.'
  },

  targetTitle: { en: 'New catalogue or update', da: 'Nyt katalog eller opdatering' },
  targetLabel: { en: 'What is the workbook for?', da: 'Hvad skal filen bruges til?' },
  targetNew: { en: 'Create a new catalogue', da: 'Lav et nyt katalog' },
  targetNone: { en: 'Choose a catalogue', da: 'Vælg et katalog' },
  targetOld: { en: 'Update a catalogue', da: 'Opdatér et katalog' },
  targetCatalogue: { en: 'The catalogue and its imports', da: 'Kataloget og dets indlæsninger' },
  statusDRAFT: { en: 'draft', da: 'kladde' },
  statusACTIVE: { en: 'active', da: 'aktivt' },
  statusINACTIVE: { en: 'inactive', da: 'inaktivt' },
  cataloguesNeedAccess: {
    en: 'The catalogues are shown when you have access.',
    da: 'Katalogerne bliver vist, når du har adgang.'
  },
  cataloguesThere: {
    en: 'Catalogues that you can change: {count}.',
    da: 'Kataloger, som du kan ændre: {count}.'
  },
  sellersThere: {
    en: 'You can create catalogues for: {sellers}.',
    da: 'Du kan oprette kataloger for: {sellers}.'
  },
  nothingAdministered: {
    en: 'Your organization administers no provider, so it has no catalogues. Providers maintain their own catalogues.',
    da: 'Din organisation administrerer ingen leverandør og har derfor ingen kataloger. Leverandørerne vedligeholder selv deres kataloger.'
  },
  noSellers: {
    en: 'You cannot create a catalogue: your organization has not registered a provider.',
    da: 'Du kan ikke lave et katalog: din organisation har ikke oprettet en leverandør.'
  },
  template: { en: 'Download an empty workbook', da: 'Hent en tom fil' },
  templateName: { en: 'catalogue', da: 'katalog' },
  export: { en: 'Download this catalogue as it is now', da: 'Hent kataloget, som det er nu' },

  fileTitle: { en: 'Workbook', da: 'Fil' },
  fileChoose: { en: 'Choose a workbook', da: 'Vælg en fil' },
  fileDrop: { en: 'or drop it here (.xlsx)', da: 'eller slip den her (.xlsx)' },
  fileNone: { en: 'No workbook is chosen.', da: 'Der er ikke valgt en fil.' },
  fileChosen: { en: 'Chosen: {name} ({size} kB).', da: 'Valgt: {name} ({size} kB).' },
  fileSeveral: { en: 'Drop one file at a time.', da: 'Slip én fil ad gangen.' },
  fileEmpty: { en: '{name} is empty. Choose another.', da: '{name} er tom. Vælg en anden.' },
  fileTooLarge: {
    en: '{name} is too large: {size} kB, and {limit} kB are allowed. Split it.',
    da: '{name} er for stor: {size} kB, og der må højst være {limit} kB. Del den op.'
  },
  fileUnreadable: {
    en: '{name} cannot be read. Is it a folder, or open in another program?',
    da: '{name} kan ikke læses. Er det en mappe, eller er den åben i et andet program?'
  },

  checkTitle: { en: 'Check', da: 'Kontrol' },
  checkHint: {
    en: 'The whole workbook is checked. Nothing is written.',
    da: 'Hele filen bliver kontrolleret. Intet bliver skrevet.'
  },
  check: { en: 'Check the workbook', da: 'Kontrollér filen' },
  needsToken: { en: 'First get access, see above.', da: 'Få først adgang, se øverst.' },
  needsCatalogue: { en: 'Choose a catalogue first.', da: 'Vælg først et katalog.' },
  needsFile: { en: 'Choose a workbook first.', da: 'Vælg først en fil.' },
  needsCheck: {
    en: 'Check the workbook first. It can be imported when it has no faults.',
    da: 'Kontrollér først filen. Den kan indlæses, når den er uden fejl.'
  },
  needsCorrection: {
    en: 'The workbook has faults. Correct it, choose it again and check it.',
    da: 'Filen har fejl. Ret den, vælg den igen, og kontrollér den.'
  },
  isRunning: { en: 'Please wait …', da: 'Vent venligst …' },
  canCheck: { en: 'Ready to be checked.', da: 'Klar til kontrol.' },
  isChecked: { en: 'The workbook is checked.', da: 'Filen er kontrolleret.' },
  canImport: {
    en: 'The workbook has no faults and can be imported.',
    da: 'Filen er uden fejl og kan indlæses.'
  },
  isImported: { en: 'The workbook is imported.', da: 'Filen er indlæst.' },

  importTitle: { en: 'Import', da: 'Indlæsning' },
  import: { en: 'Import', da: 'Indlæs' },

  cleanTitle: { en: 'No faults', da: 'Ingen fejl' },
  cleanIntroduction: { en: 'If you import the workbook:', da: 'Hvis du indlæser filen:' },
  importedTitle: { en: 'Imported', da: 'Indlæst' },
  importedIntroduction: { en: 'Result:', da: 'Det blev der gjort:' },
  catalogue_created: { en: 'Catalogue: new', da: 'Katalog: nyt' },
  catalogue_changed: { en: 'The catalogue’s own data: changed', da: 'Katalogets egne oplysninger: ændret' },
  catalogue_unchanged: {
    en: 'The catalogue’s own data: unchanged',
    da: 'Katalogets egne oplysninger: uændret'
  },
  itemsCreated: { en: 'Items added: {count}', da: 'Varer tilføjet: {count}' },
  itemsChanged: { en: 'Items changed: {count}', da: 'Varer ændret: {count}' },
  itemsUnchanged: { en: 'Items unchanged: {count}', da: 'Varer uændret: {count}' },
  itemsWithdrawn: {
    en: 'Items made unavailable: {count}',
    da: 'Varer, der ikke kan bestilles mere: {count}'
  },
  annotations: {
    en: 'Annotations added: {created}, already there: {unchanged}',
    da: 'Annoteringer tilføjet: {created}, allerede der: {unchanged}'
  },
  whiteList: {
    en: 'Items put on a white list: {created}, already there: {unchanged}',
    da: 'Varer sat på en positivliste: {created}, allerede der: {unchanged}'
  },
  hiddenRows: {
    en: 'Hidden rows, which count like the others: {count}',
    da: 'Skjulte rækker, som tæller med: {count}'
  },
  changesTitle: {
    en: 'Rows that are new or different: {count}',
    da: 'Rækker, der er nye eller ændrede: {count}'
  },
  someShown: {
    en: 'The first {shown} of {total} are shown.',
    da: 'De første {shown} af {total} er vist.'
  },
  changesTable: { en: 'What changes, row by row', da: 'Hvad der ændres, række for række' },
  changedTable: { en: 'What changed, row by row', da: 'Hvad der blev ændret, række for række' },
  changeWhere: { en: 'Sheet and row', da: 'Ark og række' },
  changeWhat: { en: 'What', da: 'Hvad' },
  column: { en: 'Column', da: 'Kolonne' },
  changeOld: { en: 'Before', da: 'Før' },
  changeNew: { en: 'After', da: 'Efter' },
  changeCreated: { en: 'new row', da: 'ny række' },
  ignoredTitle: {
    en: 'These columns were not read, because no column has such a header. Correct the header if they matter:',
    da: 'Disse kolonner blev ikke læst, for ingen kolonne har sådan en overskrift. Ret overskriften, hvis de er vigtige:'
  },

  catalogueNow: { en: 'The catalogue “{name}” now', da: 'Kataloget »{name}« nu' },
  catalogueDRAFT: {
    en: 'It is a draft: nothing can be ordered from it. Set its status to Active in the workbook when it is ready.',
    da: 'Det er en kladde: der kan ikke bestilles fra det. Sæt dets status til aktivt i filen, når det er klar.'
  },
  catalogueACTIVE: { en: 'It is active.', da: 'Det er aktivt.' },
  catalogueINACTIVE: {
    en: 'It is inactive: nothing can be ordered from it.',
    da: 'Det er inaktivt: der kan ikke bestilles fra det.'
  },
  itemsTable: { en: 'Items of the catalogue', da: 'Varer i kataloget' },
  itemIdentifier: { en: 'Identifier', da: 'Identifikator' },
  itemName: { en: 'Name', da: 'Navn' },
  itemType: { en: 'Type', da: 'Type' },
  itemStatus: { en: 'Status', da: 'Status' },
  itemDeviceModel: { en: 'Device', da: 'Udstyr' },
  itemService: { en: 'Service', da: 'Ydelse' },
  itemAVAILABLE: { en: 'can be ordered', da: 'kan bestilles' },
  itemUNAVAILABLE: { en: 'cannot be ordered at the moment', da: 'kan ikke bestilles for tiden' },
  itemDISCONTINUED: { en: 'discontinued', da: 'udgået' },

  historyTitle: { en: 'Imports of this catalogue', da: 'Kataloget er indlæst sådan' },
  historyNone: { en: 'There are none.', da: 'Der er ingen.' },
  historyTable: { en: 'Imports, newest first', da: 'Indlæsninger, den nyeste først' },
  historyWhen: { en: 'Time', da: 'Tidspunkt' },
  historyWhat: { en: 'What changed', da: 'Hvad der blev ændret' },
  historyFile: { en: 'File', da: 'Fil' },
  historyWho: { en: 'User', da: 'Bruger' },
  historyImport: { en: 'Import', da: 'Indlæsning' },
  historyUndo: { en: 'An import was taken back', da: 'En indlæsning blev taget tilbage' },
  historyUndone: { en: 'It was taken back', da: 'Den er taget tilbage' },
  undo: { en: 'Take back the import of {when}', da: 'Tag indlæsningen {when} tilbage' },
  undoHint: {
    en: 'New items can then no longer be ordered. Everything else is as it was before.',
    da: 'Nye varer kan så ikke bestilles mere. Alt andet bliver, som det var før.'
  },
  undone: { en: '✓ The import was taken back.', da: '✓ Indlæsningen er taget tilbage.' },

  faultsTitle: { en: 'Faults: {count}', da: 'Fejl: {count}' },
  faultsIntroduction: {
    en: 'Nothing was written. Correct the workbook, save it, choose it again and check it.',
    da: 'Intet er skrevet. Ret filen, gem den, vælg den igen, og kontrollér den.'
  },
  faultSheet: { en: 'Sheet', da: 'Ark' },
  faultCell: { en: 'Cell', da: 'Celle' },
  faultFound: { en: 'What was found', da: 'Hvad der står' },
  faultDetail: { en: 'What to do', da: 'Hvad du skal gøre' },
  wholeSheet: { en: 'whole sheet', da: 'hele arket' },
  nothing: { en: '(nothing)', da: '(intet)' },
  markedHint: {
    en: 'Correct your own workbook: the marked copy shows where the faults are, and may lack lists and widths.',
    da: 'Ret i din egen fil: kopien med markeringer viser, hvor fejlene er, og kan mangle lister og bredder.'
  },
  marked: { en: 'Download the workbook with the faults marked', da: 'Hent filen med fejlene markeret' },
  markedEnding: { en: ' - faults', da: ' - fejl' },

  chooseOther: { en: 'Update “{name}” instead', da: 'Opdatér »{name}« i stedet' },
  confirmChosen: { en: 'Update the chosen catalogue anyway', da: 'Opdatér det valgte katalog alligevel' },
  refusedTitle: { en: 'It did not succeed', da: 'Det lykkedes ikke' },
  changedSince: {
    en: 'The catalogue was changed after the check, so nothing was imported. Check the workbook again to see what it changes now.',
    da: 'Kataloget er ændret efter kontrollen, så intet er indlæst. Kontrollér filen igen for at se, hvad den ændrer nu.'
  },
  unknownOutcome: {
    en: 'The connection was lost. The workbook may or may not have been imported. Check the catalogue before you send it again.',
    da: 'Forbindelsen blev afbrudt: herfra kan ingen vide, om filen blev indlæst. Se efter, om kataloget er der eller er ændret, før du sender den igen.'
  }
} as const satisfies PageTexts

export const uploadText = translatorOf(uploadTexts)

export const uploadTextsOf = (...keys: (keyof typeof uploadTexts)[]): string[] =>
  keys.map((key) => uploadText(key))
