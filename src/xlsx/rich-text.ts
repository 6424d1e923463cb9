import { refuse } from './refusal.js'
import type { Handlers } from './xml.js'

/**
 * Joins the runs of a text as it stands in a shared string or in a cell: `t` and `r/t`. How it is pronounced (`rPh`) is left out.
 * @param done is given each whole text, when the element `name` ends
 */
export function textOf(name: string, limit: number, done: (text: string) => void): Required<Handlers> {
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
      if (text.length > limit) refuse('text-too-long', { limit })
    },
    close(element) {
      if (element === 't') isInText = false
      else if (element === 'rPh') isPhonetic = false
      else if (element === name) done(unescaped(text))
    }
  }
}

/** Characters that XML cannot hold, or would change, stand as _x000D_ (ECMA-376 part 1, 22.9.2.19). */
export const unescaped = (text: string) =>
  text.includes('_x')
    ? text.replace(/_x([0-9A-Fa-f]{4})_/g, (_, code: string) =>
        String.fromCharCode(Number.parseInt(code, 16))
      )
    : text

/** What {@link unescaped} makes this text again. */
export const escaped = (text: string): string =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what XML cannot hold
  text.replace(/_(?=x[0-9A-Fa-f]{4}_)|[\x00-\x08\x0b-\x1f]/g, (character) => {
    const code = character.charCodeAt(0).toString(16).toUpperCase()
    return `_x${code.padStart(4, '0')}_`
  })
