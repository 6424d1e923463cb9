/**
 * Trims a text, removes control characters and normalizes line breaks to `\n`, as spreadsheets and
 * forms do. Texts with the same result count as equal.
 */
export const withoutControlCharacters = (text: string | null): string =>
  text === null || text === '' || isPlain.test(text)
    ? (text ?? '')
    : text
        .replace(/\r\n?/g, '\n')
        // biome-ignore lint/suspicious/noControlCharactersInRegex: XML cannot contain them
        .replace(/[\u0000-\u0008\u000b-\u001f\u007f\ufffe\uffff\p{Surrogate}]/gu, '')
        .trim()

/** Fast path: most texts need no change, and an import has hundreds of thousands. */
const isPlain = /^(?! )[\x20-\x7e\xa1-\u167f]+(?<! )$/
