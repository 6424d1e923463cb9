import { writeClient } from './client/generate.js'

writeClient()
