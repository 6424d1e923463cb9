import { readFileSync } from 'node:fs'
import { Parser } from '@asyncapi/parser'

// Fails if an AsyncAPI document is invalid, or valid with warnings.
//   node .ci/asyncapi.mjs <document>

const [, , file] = process.argv
const { document, diagnostics } = await new Parser().parse(readFileSync(file, 'utf8'))
const faults = diagnostics
  // More tools read version 3.0 than the latest version.
  .filter(({ code }) => code !== 'asyncapi-latest-version')
  .map(({ code, path, message }) => `${code} ${path.join('.')}: ${message}`)
if (document && document.version() !== '3.0.0') faults.push(`The version is ${document.version()}.`)
for (const fault of faults) process.stderr.write(`${fault}\n`)
process.exitCode = faults.length > 0 ? 1 : 0
