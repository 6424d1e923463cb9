import { Instrumenter } from '@stryker-mutator/instrumenter'
import { transform } from 'esbuild'
import { contentOf } from './files.js'

/** A change of a compiled file: `replacement` replaces the text from `start` to `end`. */
export interface Mutant {
  file: string
  operator: string
  start: number
  end: number
  replacement: string
}

const noop = () => {}
const logger = {
  ...{ trace: noop, debug: noop, info: noop, warn: noop, error: noop, fatal: noop },
  ...{ isTraceEnabled: () => false, isDebugEnabled: () => false, isInfoEnabled: () => false },
  ...{ isWarnEnabled: () => false, isErrorEnabled: () => false, isFatalEnabled: () => false }
}

/** The mutants of Stryker's default operators. */
export async function strykerMutants(files: readonly string[]): Promise<Mutant[]> {
  const sources = files.map((name) => ({ name, mutate: true, content: contentOf(name) }))
  const options = { plugins: null, excludedMutations: [], ignorers: [] }
  const { mutants } = await new Instrumenter(logger).instrument(sources, options)
  const offsets = new Map(sources.map(({ name, content }) => [name, offsetsOf(content)]))
  return mutants.map(({ fileName, mutatorName, location, replacement }) => {
    const offset = offsets.get(fileName) ?? (() => 0)
    return {
      file: fileName,
      operator: mutatorName,
      start: offset(location.start),
      end: offset(location.end),
      replacement
    }
  })
}

/**
 * Mutants that omit one line: a statement, an argument, a member or a condition of an SQL text.
 * Stryker's operators empty whole blocks and do not change calls and tagged templates.
 */
export async function lineMutants(files: readonly string[]): Promise<Mutant[]> {
  const mutants: Mutant[] = []
  for (const file of files) {
    const content = contentOf(file)
    const offset = offsetsOf(content)
    for (const [line, text] of content.split('\n').entries()) {
      if (!/\w/.test(text) || /^\s*(import|export|\/\/|\/?\*)|^\} from /.test(text)) continue
      const start = offset({ line, column: 0 })
      const mutant = { file, operator: 'LineRemoval', start, end: start + text.length, replacement: '' }
      if (await isValid(applyMutant(content, mutant))) mutants.push(mutant)
    }
  }
  return mutants
}

/** The text of a file with this mutant. */
export const applyMutant = (content: string, { start, end, replacement }: Mutant): string =>
  content.slice(0, start) + replacement + content.slice(end)

const isValid = (content: string) =>
  transform(content, { logLevel: 'silent' }).then(
    () => true,
    () => false
  )

function offsetsOf(content: string) {
  const starts = [0]
  for (const { index } of content.matchAll(/\n/g)) starts.push(index + 1)
  return ({ line, column }: { line: number; column: number }) => (starts[line] ?? 0) + column
}
