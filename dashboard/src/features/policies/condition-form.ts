import { CLASSIFICATIONS, FINDINGS, RISK_LEVELS } from './vocabulary.ts'

/** A comparison of a condition that the form can show. */
export interface Clause {
  readonly field: ClauseField
  readonly operator: Operator
  /** Texts, words, one number, or nothing. */
  readonly values: readonly string[]
}

export type Operator = 'is' | 'isNot' | 'atLeast' | 'contains' | 'found' | 'notFound' | 'above' | 'yes' | 'no'

interface FieldKind {
  readonly operators: readonly Operator[]
  /** Values to choose from. Absent: free text. */
  readonly words?: readonly string[]
}

const TEXT: FieldKind = { operators: ['is', 'isNot'] }
const COUNT: FieldKind = { operators: ['above'] }

export const CLAUSE_FIELDS = {
  'user.role': TEXT,
  'user.department': TEXT,
  'user.id': TEXT,
  'user.verified': { operators: ['yes', 'no'] },
  'application.name': TEXT,
  'request.model': TEXT,
  'request.tokens': COUNT,
  'content.classification': { operators: ['atLeast', 'is'], words: CLASSIFICATIONS },
  'content.risk_level': { operators: ['atLeast', 'is'], words: RISK_LEVELS },
  'content.findings': { operators: ['found', 'notFound'], words: FINDINGS },
  'content.text': { operators: ['contains'] },
  'size(content.text)': COUNT,
} as const satisfies Readonly<Record<string, FieldKind>>
export type ClauseField = keyof typeof CLAUSE_FIELDS

export const kindOf = (field: ClauseField): FieldKind => CLAUSE_FIELDS[field]
export const CLAUSE_FIELD_NAMES = Object.keys(CLAUSE_FIELDS) as readonly ClauseField[]

export interface ConditionForm {
  readonly match: 'all' | 'any'
  readonly clauses: readonly Clause[]
}

/** The condition in CEL. Without clauses it is always true. */
export function toCel({ match, clauses }: ConditionForm): string {
  if (clauses.length === 0) return 'true'
  return clauses.map(celOf).join(match === 'all' ? ' && ' : ' || ')
}

function celOf({ field, operator, values }: Clause): string {
  const [first = ''] = values
  const list = `[${values.map((value) => JSON.stringify(value)).join(', ')}]`
  switch (operator) {
    case 'is':
      return values.length > 1 ? `${field} in ${list}` : `${field} == ${JSON.stringify(first)}`
    case 'isNot':
      return values.length > 1 ? `!(${field} in ${list})` : `${field} != ${JSON.stringify(first)}`
    case 'atLeast':
      return `rank(${field}) >= rank(${JSON.stringify(first)})`
    case 'contains':
      return `${field}.contains(${JSON.stringify(first)})`
    case 'found':
      return `${findingOf(first)} > 0`
    case 'notFound':
      return `${findingOf(first)} == 0`
    case 'above':
      return `${field} > ${first || '0'}`
    case 'yes':
      return field
    default:
      return `!${field}`
  }
}

const findingOf = (finding: string): string =>
  finding.includes('.') ? `content.findings[${JSON.stringify(finding)}]` : `content.findings.${finding}`

/** The form of a condition. Undefined if the form cannot show all of it. */
export function fromCel(condition: string): ConditionForm | undefined {
  const text = condition.trim().replaceAll(/\s*\n\s*/g, ' ')
  if (text === 'true') return { match: 'all', clauses: [] }
  for (const [match, separator] of [
    ['all', ' && '],
    ['any', ' || '],
  ] as const) {
    const clauses = splitOutsideTexts(text, separator).map(clauseOf)
    const form = { match, clauses: clauses.filter((clause) => clause !== undefined) }
    if (form.clauses.length === clauses.length && toCel(form) === text) return form
  }
  return undefined
}

const STRING = '"(?:[^"\\\\]|\\\\.)*"'
const PATTERNS: readonly (readonly [RegExp, Operator])[] = [
  [new RegExp(`^(\\S+) == (${STRING})$`), 'is'],
  [new RegExp(`^(\\S+) != (${STRING})$`), 'isNot'],
  [/^(\S+) in (\[.*\])$/, 'is'],
  [/^!\((\S+) in (\[.*\])\)$/, 'isNot'],
  [new RegExp(`^rank\\((\\S+)\\) >= rank\\((${STRING})\\)$`), 'atLeast'],
  [new RegExp(`^(content\\.text)\\.contains\\((${STRING})\\)$`), 'contains'],
  [/^(content\.findings)(.+) > 0$/, 'found'],
  [/^(content\.findings)(.+) == 0$/, 'notFound'],
  [/^(\S+) > (\d+)$/, 'above'],
  [/^!([\w.]+)$/, 'no'],
  [/^([\w.]+)$/, 'yes'],
]

function clauseOf(text: string): Clause | undefined {
  for (const [pattern, operator] of PATTERNS) {
    const [matched, name = '', value = ''] = pattern.exec(text) ?? []
    const field = CLAUSE_FIELD_NAMES.find((one) => one === name)
    if (matched === undefined || !field || !kindOf(field).operators.includes(operator)) continue
    const values = valuesOf(value)
    if (values) return { field, operator, values }
  }
  return undefined
}

function valuesOf(literal: string): readonly string[] | undefined {
  if (literal === '') return []
  if (literal.startsWith('.')) return [literal.slice(1)]
  try {
    const value: unknown = JSON.parse(literal)
    const values = Array.isArray(value) ? value.flat() : [value]
    return values.map(String)
  } catch {
    return undefined
  }
}

function splitOutsideTexts(text: string, separator: string): readonly string[] {
  const parts: string[] = []
  let start = 0
  for (const match of text.matchAll(new RegExp(`${STRING}|${separator.replaceAll('|', '\\|')}`, 'g'))) {
    if (match[0] !== separator) continue
    parts.push(text.slice(start, match.index))
    start = match.index + separator.length
  }
  return [...parts, text.slice(start)]
}
