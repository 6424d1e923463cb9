import { type ParseArgsConfig, parseArgs } from 'node:util'

/**
 * Parses the arguments of a program. For `--help` it prints the usage and ends the program with 0;
 * for invalid arguments it prints the error and the usage, and ends the program with 2.
 * @param usage the command, and what it does.
 */
export function readArguments<const T extends ParseArgsConfig>(usage: string, config?: T) {
  if (process.argv.slice(2).includes('--help')) {
    process.stdout.write(`Usage: ${usage}\n`)
    process.exit(0)
  }
  try {
    return parseArgs<T>(config)
  } catch (error) {
    return failWithUsage((error as Error).message, usage)
  }
}

export function failWithUsage(message: string, usage: string): never {
  process.stderr.write(`${message}\n\nUsage: ${usage}\n`)
  process.exit(2)
}
