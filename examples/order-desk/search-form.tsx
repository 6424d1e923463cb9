import { deskText } from './desk-texts.js'

/** A field for words to search for. */
export function SearchForm({
  label,
  value,
  onSearch
}: {
  label: string
  value: string
  onSearch(words: string): void
}) {
  function submit(event: SubmitEvent) {
    event.preventDefault()
    const form = new FormData(event.currentTarget as HTMLFormElement)
    onSearch(String(form.get('q')).trim())
  }
  return (
    <form onSubmit={submit}>
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
