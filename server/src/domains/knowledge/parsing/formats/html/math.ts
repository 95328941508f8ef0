import { childElements, type DomElement, nameOf, textOf } from './dom.ts'

const MAX_DEPTH = 60
const RAISED: Readonly<Record<string, string>> = charactersOf('0123456789+-−=()ni', '⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁼⁽⁾ⁿⁱ')
const LOWERED: Readonly<Record<string, string>> = charactersOf('0123456789+-−=()', '₀₁₂₃₄₅₆₇₈₉₊₋₋₌₍₎')

function charactersOf(from: string, to: string): Record<string, string> {
  const changed = [...to]
  return Object.fromEntries([...from].map((character, index) => [character, changed[index] ?? character]))
}

/** `10⁶`, `xⁿ⁺¹`, else `e^x` or `e^(x/2)`. */
export const raised = (text: string): string => shifted(text, RAISED, '^')

/** `H₂O`, else `x_max` or `x_(i, j)`. */
export const lowered = (text: string): string => shifted(text, LOWERED, '_')

function shifted(text: string, characters: Readonly<Record<string, string>>, sign: string): string {
  if (text === '') return ''
  const changed = [...text].map((character) => characters[character])
  return changed.every((character) => character !== undefined) ? changed.join('') : `${sign}${grouped(text)}`
}

/** Brackets around several terms. */
const grouped = (text: string): string => (/^[\p{L}\p{M}\p{N}.,′∞*†]+$/u.test(text) || isBracketed(text) ? text : `(${text})`)

const isBracketed = (text: string): boolean => /^\([^()]*\)$/.test(text)

/** The formula of MathML in one line: `(a+b)/2`, `√(x²+1)`, `∑_(i=1)^n`. */
export function mathText(element: DomElement, depth = 0): string {
  if (depth > MAX_DEPTH) return textOf(element).trim()
  const children = childElements(element)
  const [first = '', second = '', third = ''] = children.slice(0, 3).map((child) => mathText(child, depth + 1))
  switch (nameOf(element)) {
    case 'MI':
    case 'MN':
    case 'MO':
    case 'MS':
    case 'MTEXT':
      return tokenText(element)
    case 'MFRAC':
      return `${grouped(first)}/${grouped(second)}`
    case 'MSUP':
      return `${grouped(first)}${raised(second)}`
    case 'MSUB':
      return `${grouped(first)}${lowered(second)}`
    case 'MSUBSUP':
      return `${grouped(first)}${lowered(second)}${raised(third)}`
    case 'MUNDER':
      return `${first}${lowered(second)}`
    case 'MOVER':
      return /^(?:\p{M}|\p{Sk}|[\u2192\u02d9.\u203e_])$/u.test(second) ? `${first}${second}` : `${first}${raised(second)}`
    case 'MUNDEROVER':
      return `${first}${lowered(second)}${raised(third)}`
    case 'MROOT':
      return `${raised(second)}√${grouped(first)}`
    case 'MSQRT':
      return `√${grouped(children.map((child) => mathText(child, depth + 1)).join(''))}`
    case 'SEMANTICS':
      return first
    case 'MPHANTOM':
    case 'ANNOTATION':
    case 'ANNOTATION-XML':
    case 'MPRESCRIPTS':
    case 'NONE':
      return ''
    case 'MSPACE':
      return ' '
    case 'MTABLE':
      return `[${children.map((row) => mathText(row, depth + 1)).join('; ')}]`
    case 'MTR':
    case 'MLABELEDTR':
      return children.map((cell) => mathText(cell, depth + 1)).join(', ')
    case 'MFENCED': {
      const inside = children
        .map((child) => mathText(child, depth + 1))
        .join(element.getAttribute('separators')?.charAt(0) ?? ',')
      return `${element.getAttribute('open') ?? '('}${inside}${element.getAttribute('close') ?? ')'}`
    }
    default:
      return children.length === 0 ? tokenText(element) : children.map((child) => mathText(child, depth + 1)).join('')
  }
}

/** U+2061 to U+2064 are operators that are not visible. */
const tokenText = (element: DomElement): string =>
  textOf(element)
    .replace(/[\u2061-\u2064]/g, '')
    .replace(/\s+/g, ' ')
    .trim()
