import { join } from 'node:path'
import { packArchive } from './pack/program.js'

// Makes the archive of this version, and next to it the folder with the same content, which is also
// in the image.
process.stdout.write(`${await packArchive(join('dist', 'release'))}\n`)
