import { fill, inEachLanguage, type LocalizedText } from './language.js'
import { Problem } from './problem.js'
import { platformProblems, platformTexts } from './texts.js'

/** The problem of a query parameter. The text follows its name, without a full stop. */
export function queryProblem(parameter: string, text: LocalizedText, code = 'invalid-query'): Problem {
  const named = fill(platformTexts.parameterSentence, { parameter, text })
  const detail = fill(platformTexts.memberSentence, { text })
  const { status, title } = platformProblems['invalid-query']
  return new Problem(status, 'invalid-query', title, named, {
    errors: [{ pointer: `/${parameter}`, code, detail }]
  })
}

/** @throws Problem with the errors of all parameters. */
export function parseEach<E, T>(parameters: readonly E[], parse: (parameter: E) => T): T[] {
  const faults: Problem[] = []
  const parsed = parameters.flatMap((each) => {
    try {
      return [parse(each)]
    } catch (error) {
      if (!(error instanceof Problem && error.code === 'invalid-query')) throw error
      faults.push(error)
      return []
    }
  })
  if (faults.length === 0) return parsed
  throw joinQueryProblems(faults)
}

/** @throws Problem with the errors of all parsers. */
export const parseAll = <const T extends readonly (() => unknown)[]>(...parsers: T) =>
  parseEach(parsers, (parse) => parse()) as { [K in keyof T]: ReturnType<T[K]> }

export function joinQueryProblems(faults: readonly Problem[]): Problem {
  const { status, title } = platformProblems['invalid-query']
  const detail = inEachLanguage((language) => faults.map((each) => each.detail[language]).join(' '))
  return new Problem(status, 'invalid-query', title, detail, {
    errors: faults.flatMap(({ errors }) => errors)
  })
}
