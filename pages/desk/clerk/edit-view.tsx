import type { ComponentChildren } from 'preact'
import { Loaded } from '../../parts/loaded.js'
import { showToast } from '../../parts/toasts.js'
import type { CallState } from '../../parts/use-call.js'
import { deskText } from '../desk-texts.js'
import { DeskLink, openView } from '../links.js'

/** Writes the edited entry, reloads it, and shows the list if this succeeds. */
type Save = (write: () => Promise<unknown>, done?: string) => Promise<void>

interface EditViewProps<T> {
  /** The list to which the view returns: its route, which is also the key of its text. */
  list: 'contracts' | 'parties'
  call: CallState<T>
  children(data: T, save: Save): ComponentChildren
}

/** A view that corrects an entry of a list. */
export function EditView<T>({ list, call, children }: EditViewProps<T>) {
  const save: Save = async (write, done = deskText('saved')) => {
    await write().finally(call.reload)
    showToast(`✓ ${done}`)
    openView([list])
  }
  return (
    <>
      <p>
        <DeskLink to={[list]}>‹ {deskText(list)}</DeskLink>
      </p>
      <Loaded call={call}>{(data) => children(data, save)}</Loaded>
    </>
  )
}
