import { RE2JS } from 're2js'
import { oppositePolarity, type Polarity } from './content-forms.ts'
import { Pattern } from './pattern.ts'
import { callOf, dottedName, type Expr, parseCondition, partsOf, stringLiteral } from './syntax.ts'

export interface Span {
  readonly start: number
  readonly end: number
}

/** Finds the parts of one text for which a condition is true. `budget.left`: UTF-16 units that may still be searched. */
export type FindMatches = (text: string, budget: { left: number }) => readonly Span[]

const TEXTS = ['content.text', 'content.plain']
const MAX_MATCHES = 20

/**
 * The places in a text that the text functions of a condition find, for display: calls with literals on the content that make a rule
 * match. A match by a plain form only, over several texts or by other values has no place.
 */
export function compileTextMatches(source: string): FindMatches {
  const parsed = parseCondition(source)
  const searches = 'message' in parsed || !parsed.expr ? [] : searchesIn(parsed.expr, 'restricts', new Map())
  return (text, budget) => searches.flatMap((search) => search(text, budget))
}

/** Values of loop variables: `["wire", "pay"].exists(word, content.text.contains(word))`. */
type LoopValues = ReadonlyMap<string, readonly string[]>

function searchesIn(expr: Expr, polarity: Polarity, values: LoopValues): readonly FindMatches[] {
  const call = callOf(expr)
  if (call?.name === '!_') return call.args.flatMap((arg) => searchesIn(arg, oppositePolarity(polarity), values))
  const [target, argument] = call?.args ?? []
  if (call?.method && target && TEXTS.includes(dottedName(target) ?? '')) {
    if (polarity === 'relaxes') return []
    return literalsOf(argument, values).flatMap((literal) => searchFor(call.name, literal) ?? [])
  }
  const { exprKind } = expr
  if (exprKind.case !== 'comprehensionExpr') return partsOf(expr).flatMap((part) => searchesIn(part, polarity, values))
  const { iterVar, iterRange } = exprKind.value
  const items = iterRange?.exprKind.case === 'listExpr' ? iterRange.exprKind.value.elements : []
  const inLoop = new Map(values).set(
    iterVar,
    items.flatMap((item) => stringLiteral(item) ?? []),
  )
  return partsOf(expr).flatMap((part) => searchesIn(part, polarity, inLoop))
}

function literalsOf(argument: Expr | undefined, values: LoopValues): readonly string[] {
  const literal = stringLiteral(argument)
  if (literal !== undefined) return [literal]
  return (argument && values.get(dottedName(argument) ?? '')) ?? []
}

function searchFor(method: string, literal: string): FindMatches | undefined {
  if (literal.trim() === '') return undefined
  if (method === 'matches') return searchPattern(literal)
  // A phrase can continue on the next line (content-forms.ts). White space at its ends is only required, because to match a run of it would take
  // quadratic time.
  const phrase = literal.trim().split(/\s+/).map(RegExp.escape).join('\\s+')
  const words = `${/^\s/.test(literal) ? '(?<=\\s)' : ''}${phrase}${/\s$/.test(literal) ? '(?=\\s)' : ''}`
  if (method === 'contains') return searchWords(new RegExp(words, 'g'))
  if (method === 'startsWith') return searchWords(new RegExp(`^\\s*${words}`, 'g'))
  if (method === 'endsWith') return searchWords(new RegExp(`${words}\\s*$`, 'g'))
  return undefined
}

const searchWords =
  (words: RegExp): FindMatches =>
  (text, budget) => {
    if (!spend(budget, text.length)) return []
    return [...text.matchAll(words)]
      .slice(0, MAX_MATCHES)
      .map(({ 0: match, index }) => ({ start: index, end: index + match.length }))
  }

function searchPattern(source: string): FindMatches {
  const pattern = new Pattern(source)
  const places = RE2JS.compile(source)
  return (text, budget) => {
    if (!spend(budget, text.length) || !test(pattern, text)) return []
    const matcher = places.matcher(text)
    const spans = []
    while (spans.length < MAX_MATCHES && matcher.find()) {
      const span = { start: matcher.start(), end: matcher.end() }
      if (span.end > span.start) spans.push(span)
    }
    return spans
  }
}

/** A text can be too complex for a pattern: the condition has failed with it. */
function test(pattern: Pattern, text: string): boolean {
  try {
    return pattern.test(text)
  } catch {
    return false
  }
}

function spend(budget: { left: number }, units: number): boolean {
  if (units > budget.left) return false
  budget.left -= units
  return true
}
