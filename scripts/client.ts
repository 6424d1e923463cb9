import { writeClient } from './client/generate.js'

await writeClient()
