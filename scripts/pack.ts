import { join } from 'node:path'
import { packArchive } from './pack/program.js'

// Makes the archive of this version, and beside it the folder that it holds, which the image has too.
process.stdout.write(`${await packArchive(join('dist', 'release'))}\n`)
