import { join } from 'node:path'
import { readArguments } from './arguments.js'
import { packArchive } from './pack/program.js'

readArguments('npm run pack. Builds the program and packs it into an archive in dist/release.')

// Makes the archive of this version, and next to it the folder with the same content, which is also
// in the image.
process.stdout.write(`${await packArchive(join('dist', 'release'))}\n`)
