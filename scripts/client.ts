import { readArguments } from './arguments.js'
import { writeClient } from './client/generate.js'

readArguments('npm run client. Writes the generated files of the typed client in clients/typescript.')

await writeClient()
