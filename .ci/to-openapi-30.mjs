import { readFileSync, writeFileSync } from 'node:fs'

// Writes a document in OpenAPI 3.0, without examples, for a generator that knows no later version.
//   node .ci/to-openapi-30.mjs <document in 3.1> <document in 3.0>

const [source, target] = process.argv.slice(2)
const isNull = ({ type }) => type === 'null'

function convert(value) {
  if (Array.isArray(value)) return value.map(convert)
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value).filter(([name]) => !/^x-|^examples?$/.test(name))
  return withoutNull(Object.fromEntries(members.map(([name, member]) => [name, convert(member)])))
}

function withoutNull({ oneOf, type, enum: codes, ...schema }) {
  if (type === 'null') return { ...schema, type: 'string', nullable: true }
  const isNullable =
    (Array.isArray(type) && type.includes('null')) || (Array.isArray(oneOf) && oneOf.some(isNull))
  const others = Array.isArray(oneOf) && oneOf.filter((each) => !isNull(each))
  return {
    ...schema,
    ...(type === undefined
      ? {}
      : { type: Array.isArray(type) ? type.find((each) => each !== 'null') : type }),
    ...(codes && { enum: Array.isArray(codes) ? codes.filter((code) => code !== null) : codes }),
    ...(others && { [others.length === 1 ? 'allOf' : 'oneOf']: others }),
    ...(isNullable && { nullable: true })
  }
}

const document = convert(JSON.parse(readFileSync(source, 'utf8')))
writeFileSync(target, JSON.stringify({ ...document, openapi: '3.0.3' }))
