import type { Archive } from './archive.js'
import type { WorkbookLimits } from './limits.js'
import { throwWorkbookError } from './workbook-error.js'
import { type Handlers, readXml } from './xml.js'

/**
 * Joins the runs (`t` and `r/t`) of a shared string or an inline text, without its phonetic reading
 * (`rPh`).
 * @param limit characters.
 * @param done is called with each text when the element `name` ends.
 */
export function richTextHandlers(
  name: string,
  limit: number,
  done: (text: string) => void
): Required<Handlers> {
  let text = ''
  let isInText = false
  let isPhonetic = false
  return {
    open(element) {
      if (element === name) text = ''
      else if (element === 'rPh') isPhonetic = true
      else if (element === 't') isInText = !isPhonetic
    },
    text(piece) {
      if (!isInText) return
      text += piece
      if (text.length > limit) throwWorkbookError('text-too-long', { limit })
    },
    close(element) {
      if (element === 't') isInText = false
      else if (element === 'rPh') isPhonetic = false
      else if (element === name) done(unescapeText(text))
    }
  }
}

/**
 * Decodes the escapes of characters that XML cannot contain, such as _x000D_ (ECMA-376 part 1,
 * 22.9.2.19).
 */
export const unescapeText = (text: string) =>
  text.includes('_x')
    ? text.replace(/_x([0-9A-Fa-f]{4})_/g, (_, code: string) =>
        String.fromCharCode(Number.parseInt(code, 16))
      )
    : text

/** The inverse of {@link unescapeText}. */
export const escapeText = (text: string): string =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: XML cannot contain these
  text.replace(/_(?=x[0-9A-Fa-f]{4}_)|[\x00-\x08\x0b-\x1f]/g, (character) => {
    const code = character.charCodeAt(0).toString(16).toUpperCase()
    return `_x${code.padStart(4, '0')}_`
  })

/** Reads the shared strings, which cells refer to by index. */
export async function readSharedStrings(
  archive: Archive,
  part: string | undefined,
  { cellCharacters, characters }: WorkbookLimits
): Promise<string[]> {
  const texts: string[] = []
  let total = 0
  if (part === undefined || !archive.has(part)) return texts
  const handlers = richTextHandlers('si', cellCharacters, (text) => {
    texts.push(text)
    // An empty text also takes memory.
    total += text.length + 1
    if (total > characters) throwWorkbookError('too-much-text', { limit: characters })
  })
  await readXml(archive.open(part), handlers)
  return texts
}
