// The server generates danish.js from its own texts.
export { danish } from '../../sheets/danish.js'
