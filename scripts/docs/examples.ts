import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** A program of the folder `examples` as a code block, without its first comment. */
export function exampleBlock(file: string): string {
  const text = readFileSync(join('examples', file), 'utf8')
  return `\`\`\`ts\n${text.replace(/^(\/\/.*\n)+/, '').trim()}\n\`\`\``
}
