/**
 * A text without surrounding space and without control characters other than line breaks, which become `\n`: what spreadsheets and
 * forms keep of it. Texts that differ in nothing else count as equal.
 */
export const printableText = (text: string | null): string =>
  text === null || text === '' || isPlain.test(text)
    ? (text ?? '')
    : text
        .replace(/\r\n?/g, '\n')
        // biome-ignore lint/suspicious/noControlCharactersInRegex: XML cannot hold them, or programs do not
        .replace(/[\u0000-\u0008\u000b-\u001f\u007f\ufffe\uffff\p{Surrogate}]/gu, '')
        .trim()

/** Most texts are as they should be, and an import looks at hundreds of thousands. */
const isPlain = /^(?! )[\x20-\x7e\xa1-\u167f]+(?<! )$/
