import { childElements, type DomElement, elementsOf, lineOf, nameOf, remove, rename, replaceByText, textOf } from './dom.ts'
import { lowered, mathText, raised } from './math.ts'

/** Endings of ordinal numbers, and signs. */
const PLAIN_ABOVE = /^(?:st|nd|rd|th|er|ère|re|e|ème|o|os|a|as|me|ter|te|de|[ªº®©*†‡§°])$/i

/** Writes elements that Markdown lacks as the text that a reader sees. */
export function rewrite(root: DomElement): void {
  for (const math of elementsOf(root, new Set(['MATH']))) {
    const text = mathText(math)
    if (math.getAttribute('display') === 'block') rename(math, 'p', text)
    else replaceByText(math, ` ${text} `.replace(/^ $/, ''))
  }
  for (const ruby of elementsOf(root, new Set(['RUBY']))) writeRuby(ruby)
  // The inner ones first, because they are a part of the text of the outer ones.
  for (const element of elementsOf(root, new Set(['SUP', 'SUB'])).reverse()) shift(element)
  for (const element of elementsOf(root, new Set(['Q']))) quote(element)
  for (const element of elementsOf(root, new Set(['PRE', 'LISTING', 'XMP', 'PLAINTEXT']))) writeCode(element)
  for (const element of elementsOf(root, new Set(['BR']))) {
    if (element.closest('h1, h2, h3, h4, h5, h6, a')) replaceByText(element, ' ')
  }
  for (const element of elementsOf(root, new Set(['SUMMARY', 'LEGEND']))) rename(element, 'p')
  for (const element of elementsOf(root, new Set(['DETAILS', 'SEARCH', 'DIALOG']))) rename(element, 'div')
}

/** The base text with its guide behind it: 漢字(かんじ), so that the base can be searched. */
function writeRuby(ruby: DomElement): void {
  const guides = elementsOf(ruby, new Set(['RT'])).map(lineOf)
  for (const element of elementsOf(ruby, new Set(['RT', 'RP', 'RTC']))) remove(element)
  const guide = guides.join(/\p{Script=Latin}/u.test(guides.join('')) ? ' ' : '')
  const base = lineOf(ruby)
  replaceByText(ruby, guide === '' ? base : `${base}(${guide})`)
}

/** Writes the text of `sup` and `sub`. A mark of a footnote gets brackets, because it would change the number before it. */
function shift(element: DomElement): void {
  const text = lineOf(element)
  const isNote =
    isNoteLink(element) || elementsOf(element, new Set(['A'])).some((link) => link.getAttribute('href')?.includes('#'))
  const before = (element.previousSibling ? textOf(element.previousSibling).at(-1) : '') ?? ''
  if (text === '') remove(element)
  else if (isNote) replaceByText(element, /^[[(]/.test(text) ? text : `[${text}]`)
  else if (/^[[(].*[\])]$/.test(text) || (before.trim() === '' && !/^\d/.test(text))) replaceByText(element, text)
  else if (text.length > 60) replaceByText(element, ` (${text})`)
  else if (nameOf(element) === 'SUB') replaceByText(element, lowered(text))
  else if (text === 'TM' || text === 'SM') replaceByText(element, text === 'TM' ? '™' : '℠')
  else replaceByText(element, PLAIN_ABOVE.test(text) ? text : raised(text))
}

/** A link to a note around the mark, or an attribute that names it. */
function isNoteLink(element: DomElement): boolean {
  const link = element.parentNode && nameOf(element.parentNode) === 'A' ? element.parentNode : undefined
  const named = `${element.getAttribute('class')} ${element.id} ${link?.getAttribute('role')} ${link?.getAttribute('class')}`
  return (link?.getAttribute('href')?.startsWith('#') ?? false) || /footnote|noteref|fnref|citation|\breference\b/i.test(named)
}

function quote(element: DomElement): void {
  const [open, close] = element.parentNode?.closest('q') ? ['‘', '’'] : ['“', '”']
  element.insertBefore(element.ownerDocument.createTextNode(open), element.firstChild)
  element.appendChild(element.ownerDocument.createTextNode(close))
}

/** Keeps the text of a code block without other markup in it. */
function writeCode(element: DomElement): void {
  for (const br of elementsOf(element, new Set(['BR']))) replaceByText(br, '\n')
  const code = childElements(element).find((child) => nameOf(child) === 'CODE')
  const language = /(?:^|\s)(?:lang(?:uage)?-|highlight-source-|brush:\s*)([\w+#-]{1,30})/.exec(
    `${element.getAttribute('class') ?? ''} ${code?.getAttribute('class') ?? ''} ${element.parentNode?.getAttribute('class') ?? ''}`,
  )?.[1]
  const block = element.ownerDocument.createElement('pre')
  const inner = element.ownerDocument.createElement('code')
  inner.textContent = linesIn(element)
  block.appendChild(inner)
  if (language) block.setAttribute('data-language', language)
  element.parentNode?.replaceChild(block, element)
}

/** Some pages put each line of code in a block of its own. */
function linesIn(element: DomElement): string {
  const children =
    childElements(element).length === 1 ? childElements(childElements(element)[0] ?? element) : childElements(element)
  for (const child of children)
    if (/^(?:DIV|P|LI)$/.test(nameOf(child)) && !textOf(child).endsWith('\n'))
      child.appendChild(child.ownerDocument.createTextNode('\n'))
  return textOf(element)
}
