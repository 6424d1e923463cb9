const tooLarge = 'Filen er større, end den må være. Del den op i flere.'
const tryLater = 'Serveren har for meget at gøre lige nu. Vent lidt, og prøv igen.'
const asXlsx = 'Åbn filen i Excel, og gem den som Excel-projektmappe (.xlsx).'

/**
 * Danish texts by the codes of problems, for the upload page, and by those of the errors that an
 * import finds in the content of a workbook. Faults that `sheets` finds have their own. A code
 * without a text is shown in English.
 */
export const danishByCode: Readonly<Record<string, string>> = {
  'ambiguous-identifiers': 'Identifikatorerne hører til forskellige varer. Lad rækken have den ene vares.',
  'ambiguous-party': 'Flere parter har dette navn. Skriv partens URL i stedet.',
  'catalogue-exists':
    'Leverandøren har allerede et katalog med denne identifikator. Opdatér det i stedet, eller giv det nye en anden identifikator.',
  'dangling-reference': 'Det, cellen henviser til, findes ikke, eller du har ikke adgang til det.',
  'duplicate-annotation': 'Varen har allerede denne annotering. Fjern rækken.',
  'duplicate-entry': 'En anden række har samme vare og køber. Fjern den ene.',
  'duplicate-identifier': 'En anden vare har den samme identifikator. Ret den ene.',
  'fixed-seller': 'Katalogets leverandør kan ikke skiftes, for andre varer hænger sammen med kataloget.',
  'fixed-type': 'En vare kan ikke skifte mellem udstyr og ydelse.',
  'identifier-required': 'Giv varen en identifikator, så den kan kendes fra andre.',
  'catalogue-changed':
    'Kataloget eller en af dets varer er ændret efter indlæsningen. Indlæs i stedet en fil, der blev hentet før.',
  'import-not-undoable': 'Kun katalogets sidste indlæsning kan tages tilbage, og kun i 30 dage.',
  'other-catalogue':
    'Et andet af leverandørens kataloger har dette navn eller denne identifikator. Opdatér det i stedet, eller bekræft, at det er det valgte katalog, der skal ændres.',
  'text-required': 'Skriv en tekst i cellen.',
  'text-too-long': 'Teksten er længere, end den må være. Gør den kortere.',
  'unknown-coding': 'Værdien er ikke på listen. Vælg en, der er.',
  'unrelated-item': 'Ydelsen hører til noget, der ikke er leverandørens udstyr.',
  'wrong-role': 'Parten har ikke den rolle, der skal til.',

  'empty-file': 'Filen er tom.',
  damaged: 'Filen er beskadiget. Åbn den i Excel, og gem den igen.',
  'unsafe-content': 'Filen indeholder noget, der ikke hører til i en Excel-fil.',
  'not-a-workbook': `Det er ikke en Excel-fil. ${asXlsx}`,
  'is-csv': `Det er en CSV-fil. ${asXlsx}`,
  'is-ods': `Filen er fra LibreOffice eller OpenOffice. ${asXlsx}`,
  'is-xls': `Filen er fra en gammel Excel. ${asXlsx}`,
  'is-xlsb': `Det er en binær Excel-fil. ${asXlsx}`,
  encrypted: 'Filen er beskyttet med adgangskode. Gem den uden.',
  'no-sheets': 'Filen har ingen ark.',
  'file-too-large': tooLarge,
  'payload-too-large': tooLarge,
  'unpacked-too-large': tooLarge,
  'too-many-parts': tooLarge,
  'too-many-sheets': 'Filen har flere ark, end den må have.',
  'too-many-rows': 'Filen har flere rækker, end den må have. Del den op.',
  'too-many-cells': 'Filen har flere celler, end den må have. Del den op.',
  'too-much-text': tooLarge,
  'too-slow': 'Det tager for lang tid at læse filen. Del den op.',
  'too-much-memory': tooLarge,
  'too-many-workbooks': tryLater,
  'reader-failed': 'Filen kunne ikke læses. Prøv igen.',
  'no-file': 'Der fulgte ingen fil med. Prøv igen.',
  'several-files': 'Der fulgte flere filer med. Send én.',
  'malformed-upload': 'Filen kom ikke helt frem. Send den igen.',
  'malformed-text': 'Filen indeholder tekst, der ikke kan gemmes.',
  'faulty-workbook': 'Filen har fejl.',

  unauthorized: 'Adgangsnøglen bliver ikke godtaget; måske er den udløbet.',
  forbidden: 'Din adgangsnøgle giver ikke lov til dette.',
  'not-found': 'Kataloget findes ikke, eller du har ikke adgang til det.',
  'request-timeout': 'Det tog for lang tid at sende filen. Prøv igen.',
  'too-many-requests': 'Du har sendt for meget på kort tid. Vent et minut, og prøv igen.',
  'internal-error': 'Noget gik galt på serveren. Prøv igen senere.',
  busy: tryLater,
  'database-unavailable': 'Serveren kan ikke nå sin database. Prøv igen senere.',
  'outcome-unknown':
    'Det er uvist, om filen blev indlæst. Se efter, om kataloget er der eller er ændret, før du sender den igen.',
  'terminology-unavailable': 'En kode kan ikke kontrolleres lige nu. Prøv igen senere.',
  'clinical-backend-unavailable': 'Det kliniske system svarer ikke lige nu. Prøv igen senere.',
  'token-issuer-unavailable': 'Adgangsnøglen kan ikke kontrolleres lige nu. Prøv igen senere.'
}
