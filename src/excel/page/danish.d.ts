// The server makes this file of its own texts.
export { danish } from '../sheets/danish.js'
