import { TextDecoder } from 'node:util'
import { SaxesParser } from 'saxes'
import { refuse, WorkbookRefusal } from './refusal.js'

export type Attributes = Readonly<Record<string, string>>

/** What is done with the elements of a part, by their names without prefix. */
export interface Handlers {
  open(name: string, attributes: Attributes): void
  close?(name: string): void
  text?(text: string): void
}

/** Elements within elements; a workbook has not half as many. */
const deepest = 100
/** Characters of one tag, or of the text between two. A cell has less; an XML parser would keep all of them. */
const longest = 1_000_000

/**
 * Reads XML piece by piece, without DOCTYPE and thereby without entities. Elements that do not belong to the namespace of the
 * root keep their prefix, so that they are taken for nothing else.
 * @throws WorkbookRefusal
 */
export async function readXml(pieces: AsyncIterable<Buffer>, handlers: Handlers): Promise<void> {
  const parser = parserFor(handlers)
  let decoder: TextDecoder | undefined
  let run = 0
  const write = (text: string) => {
    const last = text.lastIndexOf('<')
    run = last < 0 ? run + text.length : text.length - last
    if (run > longest) refuse('text-too-long', { limit: longest })
    parser.write(text)
  }
  try {
    for await (const piece of pieces) {
      decoder ??= decoderFor(piece)
      write(decoder.decode(piece, { stream: true }))
    }
    write(decoder?.decode() ?? '')
    parser.close()
  } catch (cause) {
    throw cause instanceof WorkbookRefusal ? cause : new WorkbookRefusal({ code: 'damaged' }, cause)
  }
}

function parserFor({ open, close, text }: Handlers): SaxesParser {
  const parser = new SaxesParser({ position: false })
  let prefix: string | undefined
  let depth = 0
  const local = (name: string) => {
    if (prefix === undefined) prefix = name.slice(0, name.indexOf(':') + 1)
    if (prefix === '') return name
    return name.startsWith(prefix) ? name.slice(prefix.length) : `:${name}`
  }
  parser.on('doctype', () => refuse('unsafe-content'))
  parser.on('opentag', (tag) => {
    if (++depth > deepest) refuse('damaged')
    open(local(tag.name), tag.attributes as Attributes)
  })
  parser.on('closetag', (tag) => {
    depth--
    close?.(local(tag.name))
  })
  if (text) {
    parser.on('text', text)
    parser.on('cdata', text)
  }
  return parser
}

/** UTF-8, or UTF-16 where the first bytes say so; bytes that are neither are damage. */
function decoderFor(piece: Buffer): TextDecoder {
  const start = piece.readUInt16BE(0)
  const encoding =
    start === 0xfffe || start === 0x3c00
      ? 'utf-16le'
      : start === 0xfeff || start === 0x003c
        ? 'utf-16be'
        : 'utf-8'
  return new TextDecoder(encoding, { fatal: true })
}

/** The value of an attribute that has a prefix, which may be any. */
export const prefixed = (attributes: Attributes, name: string): string | undefined =>
  Object.entries(attributes).find(([key]) => key.endsWith(`:${name}`))?.[1]

/** Whether an attribute says yes, as XML Schema has it. */
export const isTrue = (value: string | undefined) => value === '1' || value === 'true'
