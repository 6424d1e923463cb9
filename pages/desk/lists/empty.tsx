import type { ComponentChildren } from 'preact'

/** Says that a list is empty, and what the user can do instead. */
export const Empty = ({ text, children }: { text: string; children?: ComponentChildren }) => (
  <div class="empty">
    <p role="status">{text}</p>
    <p class="row centred">{children}</p>
  </div>
)
