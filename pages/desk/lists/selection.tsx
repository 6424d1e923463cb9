import { useState } from 'preact/hooks'
import { deskText } from '../desk-texts.js'

/** The rows of a table that the user selects, by their ids. */
export function useSelection(ids: readonly string[]) {
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const select = (changed: readonly string[], isSelected: boolean) =>
    setChosen((last) => {
      const others = [...last].filter((id) => !changed.includes(id))
      return new Set(isSelected ? [...others, ...changed] : others)
    })
  return {
    chosen,
    select,
    clear: () => setChosen(new Set()),
    /** Selects a row, which has this text. */
    box: (id: string, text: string) => (
      <input
        type="checkbox"
        aria-label={deskText('selectLine', { line: text })}
        checked={chosen.has(id)}
        onChange={({ currentTarget }) => select([id], currentTarget.checked)}
      />
    ),
    all: (
      <label>
        <input
          type="checkbox"
          checked={ids.every((id) => chosen.has(id))}
          onChange={({ currentTarget }) => select(ids, currentTarget.checked)}
        />
        {deskText('selectAll')}
      </label>
    )
  }
}
