/**
 * Finds an element by id and checks its type.
 * @template {HTMLElement} T
 * @param {string} id
 * @param {new () => T} type
 * @returns {T}
 */
export function byId(id, type) {
  const found = document.getElementById(id)
  if (!(found instanceof type)) throw new Error(`There is no ${type.name} ${id}.`)
  return found
}

/**
 * Creates an element. Strings become text nodes and are never parsed as HTML.
 * @param {string} tag
 * @param {Record<string, string>} attributes
 * @param {...(Node | string)} children
 * @returns {HTMLElement}
 */
export function element(tag, attributes = {}, ...children) {
  const created = document.createElement(tag)
  for (const [name, value] of Object.entries(attributes)) created.setAttribute(name, value)
  created.append(...children)
  return created
}

/**
 * Creates a button.
 * @param {string} text
 * @param {string} className
 * @param {() => unknown} onClick
 */
export function button(text, className, onClick) {
  const created = element('button', { type: 'button', class: className }, text)
  created.addEventListener('click', onClick)
  return created
}

/** Shows an element and moves the focus to its heading, for screen readers.
 * @param {HTMLElement} container
 * @param {HTMLElement} shown contains an h3.
 */
export function showAndFocus(container, shown) {
  container.replaceChildren(shown)
  const heading = shown.querySelector('h3')
  heading?.focus()
  heading?.scrollIntoView({ block: 'start' })
}
