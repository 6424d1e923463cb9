/** The languages of displays and of texts for people. */
export const languages = ['en', 'da'] as const
export type Language = (typeof languages)[number]

/** A text for people in each language. */
export type Words = Readonly<Record<Language, string>>

export const inEachLanguage = (textIn: (language: Language) => string): Words => ({
  en: textIn('en'),
  da: textIn('da')
})

/** Texts by name. A text may have placeholders, such as `{status}`. */
export type Texts = Readonly<Record<string, Words>>

export type Placeholder<T extends Words> = PlaceholderIn<T['en']>
type PlaceholderIn<S extends string> = S extends `${string}{${infer Name}}${infer Rest}`
  ? Name | PlaceholderIn<Rest>
  : never

/** The value of a placeholder. `Words` replace it in the language of the text. */
export type TextValue = string | number | Words

export type TextValues<T extends Words> = Readonly<Record<Placeholder<T>, TextValue>>

export const fill = <const T extends Words>(text: T, values: TextValues<T>): Words => fillAny(text, values)

/** As {@link fill}, for a text whose placeholders the compiler does not check. */
export const fillAny = (text: Words, values: Readonly<Record<string, TextValue>>): Words =>
  inEachLanguage((language) =>
    text[language].replaceAll(/\{(\w+)\}/g, (placeholder, name: string) => {
      const value = values[name]
      if (value === undefined) return placeholder
      return typeof value === 'object' ? value[language] : String(value)
    })
  )

/** Joins words in each language, for example with ` and `. */
export const joinWords = (parts: readonly (string | Words)[], separator: Words): Words =>
  inEachLanguage((language) =>
    parts.map((each) => (typeof each === 'string' ? each : each[language])).join(separator[language])
  )

/**
 * What a problem is, and what the caller can do: `remedy`, or one of `details` that a throw names.
 * Both may have placeholders.
 */
export interface ProblemTexts {
  readonly status: number
  readonly title: Words
  readonly remedy: Words
  readonly details?: Texts
}

/** The problems of a module, by their stable code. */
export type ProblemTable = Readonly<Record<string, ProblemTexts>>
