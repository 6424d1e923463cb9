import type { ComponentChildren } from 'preact'

/** A line that screen readers announce when it changes. It stays there while it is empty. */
export const Status = ({ id, children }: { id?: string; children?: ComponentChildren }) => (
  <p id={id} role="status">
    {children}
  </p>
)
