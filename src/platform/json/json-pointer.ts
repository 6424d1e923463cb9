/** The RFC 6901 pointer that leads through the named members and numbered entries. */
export const pointerOf = (...path: readonly (string | number)[]) =>
  path.map((each) => `/${String(each).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')

/** The names that a pointer (RFC 6901) is made of. */
export const segmentsOf = (pointer: string): string[] =>
  pointer
    .split('/')
    .slice(1)
    .map((segment) => segment.replaceAll('~1', '/').replaceAll('~0', '~'))
