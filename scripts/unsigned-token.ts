export { type TokenOptions, unsignedToken } from '../src/home/unsigned-token.js'
