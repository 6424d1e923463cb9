import { type ComponentChildren, type FunctionComponent, render } from 'preact'
import { access } from './access/access.js'
import { accessText } from './access/access-texts.js'
import { language, setLanguage } from './language.js'
import { partsText } from './parts-texts.js'
import { useStore } from './store.js'

/** Renders a page into the body of its HTML, and again when the language changes. */
export function renderPage(Content: FunctionComponent): void {
  const Page = () => {
    useStore(language)
    return <Content />
  }
  render(<Page />, document.body)
  keepFocus()
}

/** Moves the focus to the dialog or the heading when the focused element is removed or hidden. */
function keepFocus(): void {
  let focused: Element | undefined
  document.addEventListener('focusin', ({ target }) => {
    focused = target as Element
  })
  new MutationObserver(() => {
    if (!focused || focused.checkVisibility()) return
    const find = (selector: string) => document.querySelector<HTMLElement>(selector)
    const target = find('dialog:modal') ?? find('h1[tabindex]')
    target?.focus({ preventScroll: true })
  }).observe(document.body, { childList: true, subtree: true })
}

interface PageHeaderProps {
  /** The name of the page: its heading, or a link to its first view. */
  children: ComponentChildren
  /** The views of the page. */
  views?: ComponentChildren
  /** The name and the organization of the user. */
  person?: readonly [name: string, organization: string] | undefined
}

/** The frame of a page: its name, its views, the user, and a link that changes the language. */
export function PageHeader({ children, views, person }: PageHeaderProps) {
  const other = useStore(language) === 'da' ? 'en' : 'da'
  useStore(access.state)
  const change = (event: MouseEvent) => {
    event.preventDefault()
    setLanguage(other)
  }
  return (
    <header>
      <button type="button" class="skip" onClick={() => document.querySelector('main')?.focus()}>
        {partsText('skip')}
      </button>
      {children}
      {views}
      <div class="me">
        {person?.[0]}
        <div>
          {person?.[1] && <span>{person[1]} · </span>}
          {access.hasSession() && (
            <>
              <button type="button" class="link" onClick={access.signOut}>
                {accessText('signOut')}
              </button>{' '}
              ·{' '}
            </>
          )}
          <a href={`?language=${other}`} lang={other} hreflang={other} onClick={change}>
            {other === 'da' ? 'Dansk' : 'English'}
          </a>
        </div>
      </div>
    </header>
  )
}
