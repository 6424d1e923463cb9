import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** A program of the folder `examples` as a code block, without the imports of the client. */
export function exampleBlock(file: string): string {
  const text = readFileSync(join('examples', file), 'utf8')
  const own = file.endsWith('.ts')
    ? text.replace(/^(\/\/.*|import .*|)\n/gm, (line) => (line === '\n' ? line : ''))
    : text
  return `\`\`\`${file.endsWith('.ts') ? 'ts' : 'js'}\n${own.trim()}\n\`\`\``
}
