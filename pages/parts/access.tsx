import { useRef, useState } from 'preact/hooks'
import { partsText } from './parts-texts.js'
import { useStore } from './store.js'
import type { GivenToken } from './token-source.js'

/** Says whether there is a token, and lets the user paste one. */
export function AccessSection({ source }: { source: GivenToken }) {
  const isGiven = useStore(source.current) !== undefined
  const wasGiven = useRef(false)
  if (isGiven) wasGiven.current = true
  const [isOdd, setOdd] = useState(false)
  const state = isOdd ? 'accessOdd' : isGiven ? 'accessGiven' : wasGiven.current ? 'accessRefused' : undefined

  function submit(event: SubmitEvent) {
    event.preventDefault()
    const form = event.currentTarget as HTMLFormElement
    setOdd(!source.set(String(new FormData(form).get('token'))))
    form.reset()
  }
  return (
    <section aria-labelledby="access-title">
      <h2 id="access-title">{partsText('accessTitle')}</h2>
      <p id="access-state" role="status">
        {partsText(state ?? (source.isAwaited ? 'accessAwaited' : 'accessWanted'))}
      </p>
      <form id="access-form" onSubmit={submit}>
        <label for="token">{partsText('tokenLabel')}</label>
        <fieldset role="group">
          <input
            id="token"
            name="token"
            type="password"
            autocomplete="off"
            spellcheck={false}
            aria-describedby="token-hint"
          />
          <button type="submit">{partsText('tokenUse')}</button>
        </fieldset>
        <small id="token-hint">{partsText('tokenHint')}</small>
      </form>
    </section>
  )
}
