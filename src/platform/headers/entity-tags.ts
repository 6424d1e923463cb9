import { hash } from 'node:crypto'

/**
 * The revision in tags of responses without a revision, such as lists. No resource has this
 * revision.
 */
const NO_REVISION = '0'

/**
 * The strong tag of a response. The body also depends on the caller, the language and the query.
 */
export const entityTag = (revision: string | null, body: string | Buffer): string =>
  `"${revision ?? NO_REVISION}.${hash('sha1', body, 'base64url')}"`

/** Entity tags of a header (RFC 9110, section 8.8.3). Ignores anything else. */
export const parseTags = (header: string) =>
  [...header.matchAll(/(W\/)?"([\x21\x23-\x7e\x80-\xff]*)"/g)].map(([, weak, opaque = '']) => ({
    isWeak: weak !== undefined,
    opaque
  }))

/** The tag of any resource that exists. */
export const ANY_TAG = '*'

/** Whether an `If-None-Match` header has the tag, by weak comparison. */
export const isTagIn = (header: string | undefined, tag: string): boolean =>
  header !== undefined &&
  (header.trim() === ANY_TAG || parseTags(header).some(({ opaque }) => `"${opaque}"` === tag))
