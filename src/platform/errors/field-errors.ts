import { fill, inEachLanguage } from './language.js'
import { atMember, type FieldError, Problem } from './problem.js'
import { platformTexts } from './texts.js'

const MAX_REPORTED_ERRORS = 1000

/** Collects the field errors of a request, to report all of them at once. */
export class FieldErrors {
  readonly #problems: Problem[] = []

  add(problem: Problem): void {
    this.#problems.push(problem)
  }

  append(others: FieldErrors): void {
    this.#problems.push(...others.#problems)
  }

  get all(): readonly FieldError[] {
    return this.#problems.flatMap(({ errors }) => errors)
  }

  /**
   * The problem with the code of the first error. Its detail names that member and counts the
   * errors.
   * @throws Error if there are no errors.
   */
  toProblem(): Problem {
    const [first] = this.#problems
    const [error, ...more] = this.all
    if (!first || !error) throw new Error('A problem needs an error.')
    const count = more.length + 1
    const text = atMember(error.pointer, error.detail)
    const counted = fill(count > MAX_REPORTED_ERRORS ? platformTexts.firstErrors : platformTexts.allErrors, {
      count,
      max: MAX_REPORTED_ERRORS
    })
    const detail = count === 1 ? text : inEachLanguage((language) => `${text[language]} ${counted[language]}`)
    const errors = [error, ...more].slice(0, MAX_REPORTED_ERRORS)
    return new Problem(first.status, first.code, first.title, detail, { errors })
  }

  /** @throws Problem as {@link toProblem}, if there are errors. */
  check(): void {
    if (this.#problems.length > 0) throw this.toProblem()
  }
}
