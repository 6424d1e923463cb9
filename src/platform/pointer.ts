/** The RFC 6901 pointer that leads through the named members and numbered entries. */
export const pointerOf = (...path: readonly (string | number)[]) =>
  path.map((each) => `/${String(each).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
