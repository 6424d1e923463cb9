import { Ajv, type ValidateFunction } from 'ajv'
import t from 'tap'
import { validatorCompiler } from '../../src/platform/json/validation.js'

/** The functions that Ajv compiles while it runs `use`. */
function compiledIn(use: () => void): ValidateFunction[] {
  const { compile } = Ajv.prototype
  const compiled: ValidateFunction[] = []
  Ajv.prototype.compile = function (this: Ajv, ...values: Parameters<typeof compile>) {
    const check = compile.apply(this, values)
    compiled.push(check)
    return check
  } as typeof compile
  try {
    use()
  } finally {
    Ajv.prototype.compile = compile
  }
  return compiled
}

t.test('keeps no invalid body in memory', async (t) => {
  const validate = validatorCompiler({ schema: { type: 'object', properties: { name: { type: 'string' } } } })
  const compiled = compiledIn(() => t.notOk(validate({ name: 1 })))
  t.match(validate.errors, [{ instancePath: '/name', keyword: 'type' }])
  t.same(
    compiled.map(({ errors }) => errors),
    [null, null]
  )
})
