import { readFileSync } from 'node:fs'
import { unneededPackages } from './image/unneeded-packages.js'

// Prints the folders that an image does not need, one per line; the Dockerfile removes them.
process.stdout.write(`${unneededPackages(readFileSync('package-lock.json', 'utf8')).join('\n')}\n`)
