/** Makes an RFC 6901 pointer from member names and array indexes. */
export const pointerOf = (...path: readonly (string | number)[]) =>
  path.map((each) => `/${String(each).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')

/** Splits an RFC 6901 pointer into its unescaped segments. */
export function segmentsOf(pointer: string): string[] {
  const segments = pointer.split('/').slice(1)
  if (!pointer.includes('~')) return segments
  return segments.map((segment) => segment.replaceAll('~1', '/').replaceAll('~0', '~'))
}
