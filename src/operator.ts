import type { Writable } from 'node:stream'
import { operate } from './operator/operate.js'

const printTo = (stream: Writable) => (line: string) => {
  stream.write(`${line}\n`)
}

process.exitCode = await operate(process.argv.slice(2), {
  input: process.stdin,
  print: printTo(process.stdout),
  printError: printTo(process.stderr)
})
