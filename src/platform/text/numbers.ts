/** Soft hyphens, zero-width characters, marks of direction, word joiners and byte order marks. */
const invisible = /[\u00ad\u200b-\u200f\u2060\ufeff]/g

/**
 * The form in which identifiers, serial numbers, lot numbers and UDIs are stored: trimmed, composed
 * (Unicode NFC), without invisible characters, and each white space as one space.
 */
export const normalizeNumber = (text: string): string =>
  isPlain.test(text)
    ? text
    : text
        .replace(invisible, '')
        .normalize('NFC')
        .replace(/\p{White_Space}+/gu, ' ')
        .trim()

/** Fast path: most numbers need no change, and an import has hundreds of thousands. */
const isPlain = /^[\x21-\x7e]*$/

/** The form of identifiers in storage and responses: absent members become null. */
export const identifiersOf = (
  input: readonly { system: string; value: string; assigner?: string | null }[] | null | undefined
) =>
  (input ?? []).map(({ system, value, assigner }) => ({
    system: normalizeNumber(system),
    value: normalizeNumber(value),
    assigner: assigner ?? null
  }))

/** The 14 digits of a GTIN of 8, 12, 13 or 14 digits. Undefined without a valid check digit. */
export function gtinOf(text: string): string | undefined {
  if (!/^(\d{8}|\d{12,14})$/.test(text)) return undefined
  const digits = text.padStart(14, '0')
  const sum = [...digits].reduce((total, digit, at) => total + Number(digit) * (at % 2 === 0 ? 3 : 1), 0)
  return sum % 10 === 0 ? digits : undefined
}

/** The forms in which the value of an identifier may be stored: those of a GTIN, or one. */
export function identifierForms(value: string): string[] {
  const number = normalizeNumber(value)
  const gtin = gtinOf(number)
  if (gtin === undefined) return [number]
  return [14, 13, 12, 8].map((length) => gtin.slice(-length)).filter((form) => gtinOf(form) === gtin)
}

/** A key of the value of an identifier. GTINs are equal if they differ only in leading zeros. */
export function identifierValueKey(value: string): string {
  const number = normalizeNumber(value)
  return gtinOf(number) ?? number
}

/** A key of a serial number, lot number or UDI, equal without regard to case and spaces. */
export const deviceNumberKey = (number: string): string =>
  normalizeNumber(number).toLowerCase().replaceAll(' ', '')
