/** The languages of displays and of texts for people. */
export const languages = ['en', 'da'] as const
export type Language = (typeof languages)[number]

/** A text for people in each language. */
export type Words = Readonly<Record<Language, string>>

/** A text made for each language. */
export const inEachLanguage = (textIn: (language: Language) => string): Words => ({
  en: textIn('en'),
  da: textIn('da')
})
