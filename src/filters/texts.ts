import type { Texts } from '../platform/errors/language.js'

/** Texts of errors of query parameters, which follow the name of the parameter. */
export const filterTexts = {
  oneUrl: {
    en: 'must be one URL; repeat the parameter for each further URL',
    da: 'skal være én adresse; gentag parameteren for hver yderligere adresse'
  },
  clinicalUrl: {
    en: 'must be the full URL of a clinical {type}, with http:// or https://, and end with {type}/<id>',
    da: 'skal være den fulde adresse på en ressource af typen {type} i det kliniske system, med http:// eller https://, og slutte med {type}/<id>'
  },
  gtin: {
    en: 'must be a GTIN of 8, 12, 13 or 14 digits; check its digits',
    da: 'skal være et GTIN på 8, 12, 13 eller 14 cifre; kontrollér cifrene'
  },
  unknownCode: { en: 'must be {codes}', da: 'skal være {codes}' },
  maxWords: { en: 'must have at most {max} different words', da: 'må højst have {max} forskellige ord' },
  maxWordLength: {
    en: 'must have words of at most {max} characters after normalization',
    da: 'må kun indeholde ord på højst {max} tegn (efter normalisering)'
  }
} as const satisfies Texts
