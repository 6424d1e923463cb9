import { readArguments } from './arguments.js'
import { bundle } from './bundle.js'
import { bundlePages } from './bundle-pages.js'
import { writeClient } from './client/generate.js'

readArguments('npm run build. Bundles the program and its pages into dist, and writes the typed client.')

// The order desk calls the APIs with the client.
await writeClient()
await Promise.all([bundle('dist/program'), bundlePages()])
