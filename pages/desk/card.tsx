import type { ComponentChildren } from 'preact'
import { type DeskTextKey, deskText } from './desk-texts.js'

interface CardProps {
  title: string
  /** Shown next to the title. */
  actions?: ComponentChildren
  /** Whether the content reaches the edges, as a table does. */
  isFlush?: boolean
  children: ComponentChildren
}

/** A part of a view, with a heading. */
export const Card = ({ title, actions, isFlush = false, children }: CardProps) => (
  <section class="card" aria-label={title}>
    <header>
      <h2 tabindex={-1}>{title}</h2>
      {actions}
    </header>
    {isFlush ? children : <div class="in">{children}</div>}
  </section>
)

/** Values with their names. Names without a value are left out. */
export const FactList = ({ facts }: { facts: readonly (readonly [DeskTextKey, ComponentChildren])[] }) => (
  <dl>
    {facts.map(
      ([name, value]) =>
        value && (
          <>
            <dt>{deskText(name)}</dt>
            <dd>{value}</dd>
          </>
        )
    )}
  </dl>
)

/** An e-mail address, which breaks after its @ where it is too long for a line. */
export function EmailText({ email }: { email: string }) {
  const [user, host] = email.split(/(?<=@)/)
  return (
    <>
      {user}
      <wbr />
      {host}
    </>
  )
}
