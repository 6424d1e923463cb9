import { SaxesParser } from 'saxes'
import { throwWorkbookError, WorkbookError } from './workbook-error.js'

export type Attributes = Readonly<Record<string, string>>

/** Called for the elements of a part, with their names without prefix. */
export interface Handlers {
  open(name: string, attributes: Attributes): void
  close?(name: string): void
  text?(text: string): void
}

/** Nesting of elements. A workbook needs less than half of this number. */
const MAX_DEPTH = 100
/**
 * Characters of a tag, or of the text between two tags, which the parser buffers. A cell has fewer
 * characters.
 */
const MAX_RUN_CHARACTERS = 1_000_000

/**
 * Streams XML through the handlers. DOCTYPE, and therefore entities, are rejected. Elements outside
 * the namespace of the root keep their prefix, so that no handler mistakes them.
 * @throws WorkbookError
 */
export async function readXml(pieces: AsyncIterable<Buffer>, handlers: Handlers): Promise<void> {
  const parser = parserFor(handlers)
  // Only UTF-8, in which all programs save. Invalid bytes throw.
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let run = 0
  const write = (text: string) => {
    const last = text.lastIndexOf('<')
    run = last < 0 ? run + text.length : text.length - last
    if (run > MAX_RUN_CHARACTERS) throwWorkbookError('text-too-long', { limit: MAX_RUN_CHARACTERS })
    parser.write(text)
  }
  try {
    for await (const piece of pieces) write(decoder.decode(piece, { stream: true }))
    write(decoder.decode())
    parser.close()
  } catch (cause) {
    throw cause instanceof WorkbookError ? cause : new WorkbookError({ code: 'damaged' }, cause)
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
  parser.on('doctype', () => throwWorkbookError('unsafe-content'))
  // Another encoding would be misread.
  parser.on('xmldecl', ({ encoding = 'UTF-8' }) => {
    if (!/^utf-8$/i.test(encoding)) throwWorkbookError('damaged')
  })
  parser.on('opentag', (tag) => {
    if (++depth > MAX_DEPTH) throwWorkbookError('damaged')
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

/** The value of a prefixed attribute, with any prefix. */
export const prefixedAttribute = (attributes: Attributes, name: string): string | undefined =>
  Object.entries(attributes).find(([key]) => key.endsWith(`:${name}`))?.[1]

/** Parses a boolean of XML Schema. */
export const parseXmlBoolean = (value: string | undefined) => value === '1' || value === 'true'
