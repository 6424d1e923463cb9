import type { FieldError } from '../../platform/errors/problem.js'

/** Danish details of errors, by their code and the member of the content that they are at. */
const byMember: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'dangling-reference': {
    seller:
      'Der er ingen leverandør med dette navn, som du må vedligeholde kataloger for. Vælg en fra listen, eller skriv navnet, præcis som det er registreret, eller partens URL.',
    buyer:
      'Der er ingen køber med dette navn, som hører til din organisation eller er oprettet af den. Vælg en fra listen, eller skriv navnet, præcis som det er registreret, eller partens URL.',
    relatedTo:
      'Der er ikke netop ét stykke udstyr fra leverandøren med denne identifikator. Ret den, og skriv også dens system, hvis flere har samme værdi.',
    item: 'Der er ikke netop én vare i kataloget med denne identifikator. Ret den, og skriv også dens system, hvis flere har samme værdi.'
  },
  'text-required': {
    identifiers: 'En identifikator har både et system og en værdi. Udfyld begge, eller tøm begge.'
  },
  'identifier-required': {
    identifiers: 'Giv varen en identifikator. Uden den kan en ny vare ikke skelnes fra en, der er ændret.'
  },
  'duplicate-identifier': {
    identifiers:
      'En anden række eller vare i kataloget har den samme identifikator, eller en anden identifikator for den samme vare. Ret den ene, eller fjern rækken.'
  },
  'unknown-coding': {
    value: 'Værdien hører ikke til annoteringens navn. Vælg en, som arket Koder viser for navnet.'
  }
}

/** The Danish detail of an error of the content. */
export function danishDetail({ pointer, code, detail }: FieldError): string {
  const members = pointer.split('/')
  const texts = Object.hasOwn(byMember, code) ? byMember[code] : undefined
  const member = members.find((each) => texts && Object.hasOwn(texts, each))
  return texts?.[member ?? ''] ?? detail.da
}
