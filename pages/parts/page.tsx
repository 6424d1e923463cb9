import { type ComponentChildren, type FunctionComponent, render } from 'preact'
import { language, setLanguage } from './language.js'
import { useStore } from './store.js'

/** Renders a page into the body of its HTML, and again when the language changes. */
export function renderPage(Content: FunctionComponent): void {
  const Page = () => {
    useStore(language)
    return <Content />
  }
  render(<Page />, document.body)
}

/** The heading of a page, and a link that changes its language. */
export function PageHeader({ title, children }: { title: string; children?: ComponentChildren }) {
  const other = useStore(language) === 'da' ? 'en' : 'da'
  document.title = title
  const change = (event: MouseEvent) => {
    event.preventDefault()
    setLanguage(other)
  }
  return (
    <header>
      <h1>{title}</h1>
      {children}
      <a href={`?language=${other}`} lang={other} hreflang={other} onClick={change}>
        {other === 'da' ? 'Dansk' : 'English'}
      </a>
    </header>
  )
}

/** The content of a `meta` element, with which the server tells its page something. */
export const metaContent = (name: string): string =>
  document.querySelector(`meta[name="${name}"]`)?.getAttribute('content') ?? ''
