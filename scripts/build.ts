import { bundle } from './bundle.js'
import { bundlePages } from './bundle-pages.js'
import { writeClient } from './client/generate.js'

// The order desk calls the APIs with the client.
await writeClient()
await Promise.all([bundle('dist/program'), bundlePages()])
