import type { ValueSet } from '../../clients/typescript/src/index.js'
import { language } from '../../pages/parts/language.js'
import { type Session, useApi } from './session.js'

type SetName = 'order-attention' | 'order-line-action' | 'order-status-reason'

const loaded = new Map<string, Promise<ValueSet>>()

/** Reads a value set once in each language. */
function loadSet({ client }: Session, name: SetName): Promise<ValueSet> {
  const key = `${language.get()}/${name}`
  const known = loaded.get(key)
  if (known) return known
  const set = client.catalogue.getValueSet(name).then(({ data }) => data)
  set.catch(() => loaded.delete(key))
  loaded.set(key, set)
  return set
}

/** The codes of a value set with their texts, in the language of the page. At first empty. */
export function useCodes(name: SetName): ReadonlyMap<string, string> {
  const { data } = useApi((session) => loadSet(session, name), [name])
  return new Map(data?.codes.map(({ code, display }) => [code, display ?? code]))
}

interface ChoiceProps {
  /** The texts, by the values. */
  options: ReadonlyMap<string, string>
  value?: string
  id?: string
  name?: string
  'aria-label'?: string
  onChoose?: (value: string) => void
}

/** A list to choose from. */
export const Choice = ({ options, value, onChoose, ...attributes }: ChoiceProps) => (
  <select {...attributes} onChange={({ currentTarget }) => onChoose?.(currentTarget.value)}>
    {[...options].map(([each, text]) => (
      <option key={each} value={each} selected={each === value}>
        {text}
      </option>
    ))}
  </select>
)
