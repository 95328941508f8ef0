import { type DomDocument, type DomElement, elementsOf, textOf, visitElements } from './dom.ts'

/** Properties that decide whether a reader sees an element. */
const PROPERTIES = new Set(
  'display visibility opacity font-size position left right top clip clip-path text-indent color background-color width height overflow transform'.split(
    ' ',
  ),
)
type Style = Map<string, string>
interface Rule {
  readonly selector: string
  readonly style: Style
  readonly weight: number
}

/** Rules with other selectors, such as those of a state, are ignored. */
const SELECTOR = /^[\w.#\-\s>*[\]="']{1,200}$/
const MAX_MATCHES = 200_000

/** Returns the style of an element by its `style` attribute and the `style` elements of the document. */
export function stylesOf(document: DomDocument): (element: DomElement) => ReadonlyMap<string, string> {
  const styles = matchRules(document, rulesOf(document))
  return (element) => {
    const own = element.getAttribute('style')
    const style = styles.get(element)
    if (!own) return style ?? NO_STYLE
    return new Map([...(style ?? []), ...declarations(own)])
  }
}

const NO_STYLE: Style = new Map()

function matchRules(document: DomDocument, rules: readonly Rule[]): Map<DomElement, Style> {
  const styles = new Map<DomElement, Style>()
  if (rules.length === 0) return styles
  const byKey = elementsByKey(document)
  let matches = 0
  for (const { selector, style } of rules) {
    const last = selector.split(/[\s>]+/).at(-1) ?? ''
    const key = /#[\w-]+/.exec(last)?.[0] ?? /\.[\w-]+/.exec(last)?.[0] ?? /^\w+/.exec(last)?.[0]?.toUpperCase() ?? ''
    for (const element of byKey.get(key) ?? []) {
      matches += 1
      if (matches > MAX_MATCHES) return styles
      if (!isMatch(element, selector)) continue
      const merged = styles.get(element)
      // Elements with the same one rule share its style.
      styles.set(element, merged ? new Map([...merged, ...style]) : style)
    }
  }
  return styles
}

function isMatch(element: DomElement, selector: string): boolean {
  try {
    return element.matches(selector)
  } catch {
    return false
  }
}

function elementsByKey(document: DomDocument): Map<string, DomElement[]> {
  const byKey = new Map<string, DomElement[]>()
  const add = (key: string, element: DomElement) => {
    const elements = byKey.get(key)
    if (elements) elements.push(element)
    else byKey.set(key, [element])
  }
  visitElements(document, (element) => {
    add(element.nodeName.toUpperCase(), element)
    if (element.id) add(`#${element.id}`, element)
    for (const name of new Set(element.getAttribute('class')?.split(/\s+/))) if (name) add(`.${name}`, element)
    return true
  })
  return byKey
}

/** Sorted by their weight: a later one replaces the former. */
function rulesOf(document: DomDocument): Rule[] {
  const rules: Rule[] = []
  for (const element of elementsOf(document, new Set(['STYLE']))) {
    const media = element.getAttribute('media')?.trim().toLowerCase() ?? ''
    if (!/^(?:all|screen)?$/.test(media) || element.closest('noscript, template')) continue
    for (const [selectors, body] of blocksOf(withoutComments(textOf(element)), 0)) {
      const style = declarations(body)
      if (style.size === 0) continue
      for (const selector of selectors.split(',').map((each) => each.trim()))
        if (SELECTOR.test(selector)) rules.push({ selector, style, weight: weightOf(selector) })
    }
  }
  return rules.sort((one, other) => one.weight - other.weight)
}

const weightOf = (selector: string): number =>
  10_000 * (selector.match(/#/g)?.length ?? 0) +
  100 * (selector.match(/[.[]/g)?.length ?? 0) +
  (selector.match(/(?:^|[\s>])\w/g)?.length ?? 0)

function withoutComments(css: string): string {
  const parts: string[] = []
  let at = 0
  for (let start = css.indexOf('/*'); start >= 0; start = css.indexOf('/*', at)) {
    parts.push(css.slice(at, start))
    const end = css.indexOf('*/', start + 2)
    if (end < 0) return parts.join(' ')
    at = end + 2
  }
  return [...parts, css.slice(at)].join(' ')
}

/** Selectors with their declarations, also those within `@media screen` and `@supports`. */
function* blocksOf(css: string, depth: number): Generator<readonly [selectors: string, body: string]> {
  let at = 0
  for (let open = css.indexOf('{'); open >= 0; open = css.indexOf('{', at)) {
    const close = closingBrace(css, open)
    const prelude = css
      .slice(at, open)
      .replace(/^[^{}]*;/, '')
      .trim()
    const body = css.slice(open + 1, close)
    if (!prelude.startsWith('@')) yield [prelude, body]
    else if (depth < 5 && /^@(?:media\s+(?:only\s+)?(?:screen|all)|supports\b[^{]*|layer\b[^{]*)$/i.test(prelude))
      yield* blocksOf(body, depth + 1)
    at = close + 1
  }
}

function closingBrace(css: string, open: number): number {
  let depth = 0
  for (let at = open; at < css.length; at += 1) {
    const character = css.charAt(at)
    if (character === '{') depth += 1
    if (character === '}') depth -= 1
    if (depth === 0) return at
  }
  return css.length
}

function declarations(body: string): Style {
  const style: Style = new Map()
  for (const declaration of body.split(';')) {
    const colon = declaration.indexOf(':')
    const property = declaration.slice(0, Math.max(0, colon)).trim().toLowerCase()
    if (PROPERTIES.has(property) || property === 'background') {
      const value = declaration
        .slice(colon + 1)
        .replace(/!\s*important/i, '')
        .trim()
        .toLowerCase()
      style.set(property === 'background' ? 'background-color' : property, value)
    }
  }
  return style
}

const ZERO = /^[-+]?0*\.?0+(?:[a-z%]{1,4})?$/
const FAR = /^-\d{3,}(?:\.\d+)?(?:px|em|rem|pt|%|vw|vh)?$/
const TINY = /^[01](?:px)?$/

/** Whether a reader does not see the text of an element with this style. */
export function isInvisible(style: ReadonlyMap<string, string>): boolean {
  if (style.size === 0) return false
  const is = (property: string, pattern: RegExp) => pattern.test(style.get(property) ?? '')
  const isClipped =
    is('clip-path', /^inset\((?:50|100)%/) ||
    (is('clip', /^rect\(\s*[01](?:px)?[\s,]+[01](?:px)?[\s,]/) && is('position', /^(?:absolute|fixed)$/)) ||
    (is('overflow', /^(?:hidden|clip)$/) && is('height', TINY) && is('width', TINY))
  const isOutside = is('position', /^(?:absolute|fixed)$/) && (is('left', FAR) || is('top', FAR) || is('right', FAR))
  const colour = colourOf(style.get('color'))
  return (
    is('display', /^none$/) ||
    is('visibility', /^(?:hidden|collapse)$/) ||
    is('opacity', ZERO) ||
    is('font-size', ZERO) ||
    is('text-indent', FAR) ||
    is('transform', /scale\(\s*0\s*\)/) ||
    is('color', /^transparent$/) ||
    isClipped ||
    isOutside ||
    (colour !== undefined && colour === colourOf(style.get('background-color')))
  )
}

/** The same text for `#fff`, `#ffffff`, `white` and `rgb(255, 255, 255)`. */
function colourOf(value: string | undefined): string | undefined {
  if (!value) return undefined
  const short = /^#([\da-f])([\da-f])([\da-f])$/.exec(value)
  if (short)
    return `#${short
      .slice(1)
      .map((digit) => digit + digit)
      .join('')}`
  const numbers = /^rgba?\(\s*(\d{1,3})[\s,]+(\d{1,3})[\s,]+(\d{1,3})\s*\)$/.exec(value)?.slice(1)
  if (numbers) return `#${numbers.map((number) => Number(number).toString(16).padStart(2, '0')).join('')}`
  return value === 'white' ? '#ffffff' : value === 'black' ? '#000000' : value
}
