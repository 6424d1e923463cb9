/** The languages of displays and of texts for users. */
export const languages = ['en', 'da'] as const
export type Language = (typeof languages)[number]

export type LocalizedText = Readonly<Record<Language, string>>

export const inEachLanguage = (textIn: (language: Language) => string): LocalizedText => ({
  en: textIn('en'),
  da: textIn('da')
})

/** Texts by name. A text may have placeholders, such as `{status}`. */
export type Texts = Readonly<Record<string, LocalizedText>>

export type Placeholder<T extends LocalizedText> = PlaceholderIn<T['en']>
type PlaceholderIn<S extends string> = S extends `${string}{${infer Name}}${infer Rest}`
  ? Name | PlaceholderIn<Rest>
  : never

/** The value of a placeholder. A `LocalizedText` is inserted in the language of the text. */
export type PlaceholderValue = string | number | LocalizedText

export type PlaceholderValues<T extends LocalizedText> = Readonly<Record<Placeholder<T>, PlaceholderValue>>

export const fill = <const T extends LocalizedText>(text: T, values: PlaceholderValues<T>): LocalizedText =>
  fillAny(text, values)

/** Like {@link fill}, for a text whose placeholders the compiler does not check. */
export const fillAny = (
  text: LocalizedText,
  values: Readonly<Record<string, PlaceholderValue>>
): LocalizedText =>
  inEachLanguage((language) =>
    text[language].replaceAll(/\{(\w+)\}/g, (placeholder, name: string) => {
      const value = values[name]
      if (value === undefined) return placeholder
      return typeof value === 'object' ? value[language] : String(value)
    })
  )

/** Joins words in each language, for example with ` and `. */
export const joinWords = (
  parts: readonly (string | LocalizedText)[],
  separator: LocalizedText
): LocalizedText =>
  inEachLanguage((language) =>
    parts.map((each) => (typeof each === 'string' ? each : each[language])).join(separator[language])
  )

/**
 * The texts of a problem: its title, its `remedy`, and `details` that a throw names. Remedies and
 * details may have placeholders.
 */
export interface ProblemTexts {
  readonly status: number
  readonly title: LocalizedText
  readonly remedy: LocalizedText
  readonly details?: Texts
}

/** The problems of a module, by their stable code. */
export type ProblemTable = Readonly<Record<string, ProblemTexts>>
