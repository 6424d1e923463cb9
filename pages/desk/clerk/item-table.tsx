import { useEffect, useRef, useState } from 'preact/hooks'
import { entryErrorsOf, errorText } from '../../parts/errors.js'
import { DataTable } from '../../parts/table.js'
import { showToast } from '../../parts/toasts.js'
import { deskText } from '../desk-texts.js'
import { useSelection } from '../lists/selection.js'
import { joined } from '../resource-texts.js'
import { useSession } from '../session.js'
import type { OrderableItem } from './orderable-items.js'

interface ItemTableProps {
  items: readonly OrderableItem[]
  buyer: string
  /** The name of the buyer. */
  name: string
  reload(): void
}

/** Items with their switches. The user changes one item, or those selected at once. */
export function ItemTable(props: ItemTableProps) {
  const { items } = props
  const { chosen, select, box, all } = useSelection(items.map(({ url }) => url))
  const { busy, errors, change } = useWhiteList(props)
  const selected = items.filter(({ url }) => chosen.has(url))
  const rows = items.map((each) => {
    const { item, url, entry, seller, list } = each
    const error = errors.get(url)
    return [
      box(url, item.name),
      <>
        <b>{item.name}</b>
        <small>
          {joined(' · ', item.manufacturer, item.model, item.identifiers[0]?.value, item.description)}
        </small>
        {item.status !== 'AVAILABLE' && <span class="tag amber">{deskText(item.status)}</span>}
      </>,
      <>
        {seller?.name}
        <small>{joined(', ', list?.name, list?.status.code !== 'ACTIVE' && list?.status.display)}</small>
      </>,
      <>
        <button
          type="button"
          role="switch"
          class="switch"
          aria-checked={entry !== undefined}
          aria-label={`${deskText('mayBeOrdered')}: ${item.name}`}
          aria-busy={busy.includes(each)}
          onClick={() => change([each], entry === undefined)}
        >
          <i /> {deskText(entry === undefined ? 'no' : 'yes')}
        </button>
        <p class="error" role="alert">
          {error && `✗ ${error}`}
        </p>
      </>
    ]
  })
  return (
    <>
      <div class="bulk">
        {all}
        <span role="status">{selected.length > 0 && deskText('selected', { count: selected.length })}</span>
        {[true, false].map((isAllowed) => {
          const wanted = selected.filter(({ entry }) => (entry === undefined) === isAllowed)
          return (
            wanted.length > 0 && (
              <button
                type="button"
                key={String(isAllowed)}
                class="quiet"
                aria-busy={busy.length > 0}
                onClick={() => change(wanted, isAllowed).then((done) => select(done, false))}
              >
                {`${deskText(isAllowed ? 'allow' : 'disallow')} (${wanted.length})`}
              </button>
            )
          )
        })}
      </div>
      <DataTable
        label={deskText('orderable')}
        heads={['✓', ...(['item', 'seller', 'mayBeOrdered'] as const).map((key) => deskText(key))]}
        rows={rows}
      />
    </>
  )
}

/**
 * Puts items on the white list of a buyer, all or none, and removes them. After any outcome the
 * page shows the stored list.
 */
function useWhiteList({ buyer, name, reload }: ItemTableProps) {
  const { catalogue } = useSession().client
  const [errors, setErrors] = useState<ReadonlyMap<string, string | undefined>>(new Map())
  const [busy, setBusy] = useState<readonly OrderableItem[]>([])
  /** Hide the toasts with an undo of the table; undefined after the table was removed. */
  const hides = useRef<(() => void)[] | undefined>([])
  useEffect(
    () => () => {
      for (const hide of hides.current ?? []) hide()
      hides.current = undefined
    },
    []
  )

  /** Returns the changed items, and the error of the items that were not changed. */
  async function write(wanted: readonly OrderableItem[], isAllowed: boolean) {
    const failed = new Map<string, string | undefined>()
    const done: OrderableItem[] = []
    if (isAllowed)
      await catalogue.createWhiteLists(wanted.map(({ url }) => ({ buyer, item: url }))).then(
        (entries) => done.push(...wanted.map((each, at) => ({ ...each, entry: entries[at]?.id }))),
        (error) => {
          const texts = entryErrorsOf(error, wanted.length)
          for (const [at, { url }] of wanted.entries()) failed.set(url, texts[at])
        }
      )
    else
      for (const each of wanted)
        await catalogue.deleteWhiteList(each.entry ?? '').then(
          () => done.push({ ...each, entry: undefined }),
          (error) => failed.set(each.url, errorText(error))
        )
    return { done, failed }
  }

  /** Returns the URLs of the items that were changed. */
  async function change(wanted: readonly OrderableItem[], isAllowed: boolean, isUndo = false) {
    if (busy.length > 0) return []
    setBusy(wanted)
    const { done, failed } = await write(wanted, isAllowed)
    setErrors(failed)
    setBusy([])
    reload()
    // The table shows errors as long as it is there.
    const faults = isUndo || !hides.current ? [...new Set(failed.values())].filter(Boolean) : []
    const failures = faults.map((fault) => `✗ ${fault}`)
    const [first, ...others] = done
    if (!first) {
      if (failures.length > 0) showToast(failures.join(' '))
      return []
    }
    const what = others.length > 0 ? deskText('itemCount', { count: done.length }) : first.item.name
    const text = deskText(isAllowed ? 'nowAllowed' : 'nowDisallowed', { buyer: name, what })
    const undo = isUndo || !hides.current ? undefined : () => change(done, !isAllowed, true)
    const hide = showToast([...failures, `✓ ${text}`].join(' '), undo)
    if (undo) hides.current?.push(hide)
    return done.map(({ url }) => url)
  }
  return { busy, errors, change }
}
