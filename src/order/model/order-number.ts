import { foldText } from '../../platform/text/search-text.js'

/**
 * The order number in a text, in its stored form: in any case, with or without the hyphen, and with
 * O for 0, I and L for 1.
 */
export function orderNumberOf(text: string): string | undefined {
  const digits = foldText(text.trim()).toUpperCase().replace(/O/g, '0').replace(/[IL]/g, '1')
  return /^[0-9A-HJKMNP-TV-Z]{8}$/.test(digits) ? `${digits.slice(0, 4)}-${digits.slice(4)}` : undefined
}
