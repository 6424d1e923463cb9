// The server generates danish.js from its own texts.
export { danishByCode } from '../../sheets/danish.js'
