/**
 * The element of the page with this id.
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
 * Makes an element. Texts become text alone, whatever stands in them.
 * @param {string} tag
 * @param {Record<string, string>} attributes
 * @param {...(Node | string)} children
 * @returns {HTMLElement}
 */
export function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag)
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value)
  made.append(...children)
  return made
}

/**
 * A button that does something.
 * @param {string} text
 * @param {string} look
 * @param {() => unknown} act
 */
export function button(text, look, act) {
  const made = element('button', { type: 'button', class: look }, text)
  made.addEventListener('click', act)
  return made
}

/** Shows something and leads whoever cannot see it there.
 * @param {HTMLElement} place
 * @param {HTMLElement} shown with a heading in it.
 */
export function showAndFocus(place, shown) {
  place.replaceChildren(shown)
  const heading = shown.querySelector('h3')
  heading?.focus()
  heading?.scrollIntoView({ block: 'start' })
}
