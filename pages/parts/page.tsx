import { type ComponentChildren, type FunctionComponent, render } from 'preact'
import { language, setLanguage } from './language.js'
import { partsText } from './parts-texts.js'
import './parts.css'
import { useStore } from './store.js'

/** Renders a page into the body of its HTML, and again when the language changes. */
export function renderPage(Content: FunctionComponent): void {
  const Page = () => {
    useStore(language)
    return <Content />
  }
  render(<Page />, document.body)
}

/** The heading of a page, and the links that change its language. */
export function PageHeader({ title, children }: { title: string; children?: ComponentChildren }) {
  const chosen = useStore(language)
  document.title = title
  return (
    <header>
      <h1>{title}</h1>
      {children}
      <fieldset role="group" aria-label={partsText('language')}>
        {(['da', 'en'] as const).map((each) => (
          <button
            type="button"
            key={each}
            lang={each}
            aria-pressed={each === chosen}
            onClick={() => setLanguage(each)}
          >
            {each === 'da' ? 'Dansk' : 'English'}
          </button>
        ))}
      </fieldset>
    </header>
  )
}
