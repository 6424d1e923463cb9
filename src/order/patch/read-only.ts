import { isDeepStrictEqual } from 'node:util'
import { FieldErrors } from '../../platform/errors/field-errors.js'
import { readOnlyProblem } from '../../platform/json/json-patch.js'

type Members<M extends string> = Readonly<Partial<Record<M, unknown>>>

/** Makes the step that rejects changes of members that the service sets. */
export const rejectChangesOf =
  <M extends string>(...members: readonly M[]) =>
  ({ before, after }: { before: Members<M>; after: Members<M> }): FieldErrors => {
    const errors = new FieldErrors()
    for (const name of members)
      if (!isDeepStrictEqual(after[name], before[name])) errors.add(readOnlyProblem(`/${name}`))
    return errors
  }
