import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'

/**
 * A menu of the less common actions. The menu closes with Escape and by a click outside, unless an
 * action has opened a dialog in the menu.
 */
export function Menu({ label, children }: { label: string; children: ComponentChildren }) {
  const menu = useRef<HTMLDetailsElement>(null)
  useEffect(() => {
    const stop = new AbortController()
    const close = ({ target, type, key }: Partial<KeyboardEvent & MouseEvent>) => {
      const isElsewhere = type === 'click' && !menu.current?.contains(target as Node)
      const hasDialog = menu.current?.querySelector('dialog')
      if (menu.current && !hasDialog && (isElsewhere || key === 'Escape')) menu.current.open = false
    }
    for (const type of ['click', 'keydown'] as const)
      document.addEventListener(type, close, { signal: stop.signal })
    return () => stop.abort()
  }, [])
  return (
    <details class="menu" ref={menu}>
      <summary class="button quiet">{label} ▾</summary>
      <div>{children}</div>
    </details>
  )
}
