import { useLayoutEffect, useRef } from 'preact/hooks'
import { type DeskTextKey, deskText } from './desk-texts.js'
import { replaceQuery } from './links.js'

interface SearchFormProps {
  label: DeskTextKey
  /** A shorter label that a phone shows in full. Default: the label. */
  placeholder?: DeskTextKey
  to: readonly string[]
  query: URLSearchParams
}

/** A field for words to search for. The words become the `q` of the route. */
export function SearchForm({ label, placeholder = label, to, query }: SearchFormProps) {
  const value = query.get('q') ?? ''
  const field = useRef<HTMLInputElement>(null)
  useLayoutEffect(() => {
    if (field.current) field.current.value = value
  }, [value])
  function submit(event: SubmitEvent) {
    event.preventDefault()
    const q = String(new FormData(event.currentTarget as HTMLFormElement).get('q')).trim()
    const { page, ...others } = Object.fromEntries(query)
    replaceQuery(to, { ...others, q })
  }
  return (
    <form class="search" onSubmit={submit}>
      <input
        ref={field}
        {...{ type: 'search', name: 'q', maxLength: 100 }}
        aria-label={deskText(label)}
        placeholder={deskText(placeholder)}
      />
      <button type="submit" class="quiet">
        {deskText('search')}
      </button>
    </form>
  )
}
