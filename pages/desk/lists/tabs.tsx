import { type DeskTextKey, deskText } from '../desk-texts.js'
import { DeskLink } from '../links.js'

/**
 * A list that a tab shows: its name, which is also the key of its text, and the colour of its
 * count.
 */
interface Tab {
  name: DeskTextKey
  colour?: 'amber' | 'red' | undefined
  count: string | number | undefined
}

interface TabsProps {
  to: readonly string[]
  tabs: readonly Tab[]
  current: string | undefined
}

/** Tabs for lists of the same kind, each with its count. */
export const Tabs = ({ to, tabs, current }: TabsProps) => (
  <nav class="tabs" aria-label={deskText('lists')}>
    {tabs.map(({ name, colour, count }) => (
      <DeskLink
        key={name}
        to={to}
        query={{ list: name }}
        aria-current={name === current ? 'page' : undefined}
      >
        {deskText(name)}{' '}
        {count !== undefined && <span class={`count ${String(count) === '0' ? '' : colour}`}>{count}</span>}
      </DeskLink>
    ))}
  </nav>
)
