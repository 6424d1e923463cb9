import { SerializerSelector } from '@fastify/fast-json-stringify-compiler'

const compilers = SerializerSelector()

/**
 * Makes what writes an answer as its schema says; like the checks of requests it is compiled when the first answer is written.
 */
export const buildSerializer: typeof compilers = (schemas, options) => {
  const compile = compilers(schemas, options)
  return (definition) => {
    let write: ReturnType<typeof compile> | undefined
    return (answer) => {
      write ??= compile(definition)
      return write(answer)
    }
  }
}
