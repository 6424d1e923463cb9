import { type DeskTextKey, deskText } from './desk-texts.js'
import { replaceQuery } from './links.js'

/** A field for words to search for. They become the `q` of the route. */
export function SearchForm(props: { label: DeskTextKey; to: readonly string[]; query: URLSearchParams }) {
  const label = deskText(props.label)
  const value = props.query.get('q') ?? ''
  function submit(event: SubmitEvent) {
    event.preventDefault()
    const q = String(new FormData(event.currentTarget as HTMLFormElement).get('q')).trim()
    replaceQuery(props.to, { ...Object.fromEntries(props.query), q })
  }
  return (
    <form key={value} onSubmit={submit}>
      <fieldset role="group">
        <input
          type="search"
          name="q"
          aria-label={label}
          placeholder={label}
          defaultValue={value}
          maxLength={100}
        />
        <button type="submit">{deskText('search')}</button>
      </fieldset>
    </form>
  )
}
