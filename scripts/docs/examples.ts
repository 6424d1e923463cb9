import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** A program of the folder `examples` as a code block, without its first comment and local imports. */
export function exampleBlock(file: string): string {
  const text = readFileSync(join('examples', file), 'utf8')
  const own = text.replace(/^(\/\/.*\n)+/, '').replace(/^import .* from '\..*\n/gm, '')
  return `\`\`\`ts\n${own.trim()}\n\`\`\``
}
