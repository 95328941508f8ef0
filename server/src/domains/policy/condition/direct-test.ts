import { isCelError, plan } from '@bufbuild/cel'
import type { FindingCounts } from '../../../shared/finding.ts'
import type { PolicyInput } from '../input.ts'
import { CONTENT_TEXT, getForms, matchesAnyForm, type Polarity, toPlainPart } from './content-forms.ts'
import type { Environment } from './environment.ts'
import { callOf, dottedName, type Expr, entryOf, stringLiteral } from './syntax.ts'
import { rankOf, scaleOf, VARIABLES } from './variables.ts'

type Read<T> = (input: PolicyInput) => T
type Test = Read<boolean>

/** A comparison with a literal, twenty times faster (bench/README.md). Undefined: the library must evaluate it. */
export function compileDirectTest(expr: Expr, environment: Environment, polarity: Polarity = 'restricts'): Test | undefined {
  const { exprKind } = expr
  if (exprKind.case === 'constExpr' && exprKind.value.constantKind.case === 'boolValue') {
    const { value } = exprKind.value.constantKind
    return () => value
  }
  const readBoolean = findVariable(expr, 'bool')
  if (readBoolean) return readBoolean as Test
  const call = callOf(expr)
  if (!call) return undefined
  const [a, b] = call.args
  if (!a || !b) return undefined
  const formTest = polarity === 'restricts' ? compileFormTest(call.name, a, b, environment) : undefined
  if (formTest) return formTest
  if (call.name in TEXT_TESTS && call.method) return compileTextTest(call.name as keyof typeof TEXT_TESTS, a, b)
  if (call.name === 'matches') return compilePatternTest(a, b, environment)
  if (call.name === '@in') return compileMembership(a, b)
  if (call.name in COMPARISONS) return compileComparison(call.name as keyof typeof COMPARISONS, [a, b], environment)
  return undefined
}

function compileFormTest(name: string, a: Expr, b: Expr, environment: Environment): Test | undefined {
  if (dottedName(a) !== CONTENT_TEXT)
    return name === '_==_' && dottedName(b) === CONTENT_TEXT ? compileFormTest(name, b, a, environment) : undefined
  if (name === '@in') return compileFormMembership(b)
  const part = stringLiteral(b)
  if (part === undefined) return undefined
  if (name === 'matches') {
    const pattern = environment.pattern(part)
    const isMatch = (text: string): boolean => pattern.test(text)
    return ({ content }) => {
      const { all, unwrapped } = getForms(content)
      return all.some(isMatch) || unwrapped.some(isMatch)
    }
  }
  const test = name === '_==_' ? COMPARISONS[name] : TEXT_TESTS[name as keyof typeof TEXT_TESTS]
  if (!test) return undefined
  const parts = { part, plainPart: toPlainPart(part) }
  return ({ content }) => matchesAnyForm(getForms(content), parts, test)
}

function compileFormMembership(list: Expr): Test | undefined {
  if (list.exprKind.case !== 'listExpr') return undefined
  const words = list.exprKind.value.elements.flatMap((element) => stringLiteral(element) ?? [])
  if (words.length < list.exprKind.value.elements.length) return undefined
  const writtenWords = new Set(words)
  const plainWords = new Set(words.flatMap((word) => toPlainPart(word) ?? []))
  return ({ content }) => {
    const forms = getForms(content)
    return forms.written.some((text) => writtenWords.has(text)) || forms.plain.some((text) => plainWords.has(text))
  }
}

const TEXT_TESTS = {
  contains: (text: string, part: string) => text.includes(part),
  startsWith: (text: string, part: string) => text.startsWith(part),
  endsWith: (text: string, part: string) => text.endsWith(part),
}

function compileTextTest(name: keyof typeof TEXT_TESTS, a: Expr, b: Expr): Test | undefined {
  const readText = findText(a)
  const readPart = findText(b)
  const test = TEXT_TESTS[name]
  // A client can choose the searched part: only the library's function counts the work.
  if (stringLiteral(b) === undefined && name === 'contains') return undefined
  return readText && readPart && ((input) => test(readText(input), readPart(input)))
}

function compilePatternTest(a: Expr, b: Expr, environment: Environment): Test | undefined {
  const readText = findText(a)
  const source = stringLiteral(b)
  if (!readText || source === undefined) return undefined
  const pattern = environment.pattern(source)
  return (input) => pattern.test(readText(input))
}

function compileMembership(a: Expr, b: Expr): Test | undefined {
  const readText = findText(a)
  if (!readText || b.exprKind.case !== 'listExpr') return undefined
  const literals = b.exprKind.value.elements.map(stringLiteral)
  if (literals.includes(undefined)) return undefined
  const words = new Set(literals)
  return (input) => words.has(readText(input))
}

const COMPARISONS = {
  '_==_': (a: string | number, b: string | number) => a === b,
  '_!=_': (a: string | number, b: string | number) => a !== b,
  '_<_': (a: string | number, b: string | number) => a < b,
  '_<=_': (a: string | number, b: string | number) => a <= b,
  '_>_': (a: string | number, b: string | number) => a > b,
  '_>=_': (a: string | number, b: string | number) => a >= b,
}

function compileComparison(name: keyof typeof COMPARISONS, sides: readonly [Expr, Expr], environment: Environment) {
  const compare = COMPARISONS[name]
  // Both sides have one type (check.ts).
  for (const find of [findText, findNumber, findTime]) {
    const [readLeft, readRight] = sides.map((side) => find(side, environment))
    if (readLeft && readRight) return (input: PolicyInput) => compare(readLeft(input), readRight(input))
  }
  return undefined
}

const findText = (expr: Expr): Read<string> | undefined => {
  const literal = stringLiteral(expr)
  return literal === undefined ? (findVariable(expr, 'string') as Read<string> | undefined) : () => literal
}

function findNumber(expr: Expr): Read<number> | undefined {
  const { exprKind } = expr
  if (exprKind.case === 'constExpr' && exprKind.value.constantKind.case === 'int64Value') {
    const number = Number(exprKind.value.constantKind.value)
    return Number.isSafeInteger(number) ? () => number : undefined
  }
  return (findVariable(expr, 'int') as Read<number> | undefined) ?? findFindingCount(expr) ?? findRank(expr)
}

const NANOS_PER_MS = 1_000_000

/** `now` and `timestamp("…")` in milliseconds; undefined: an invalid time, or one with a fraction of a millisecond. */
function findTime(expr: Expr, environment: Environment): Read<number> | undefined {
  if (dottedName(expr) === 'now') return ({ now }) => now.getTime()
  const call = callOf(expr)
  if (call?.name !== 'timestamp' || stringLiteral(call.args[0]) === undefined) return undefined
  const value = plan(environment.cel, expr)({})
  if (isCelError(value)) return undefined
  const { seconds, nanos } = (value as unknown as { message: { seconds: bigint; nanos: number } }).message
  if (nanos % NANOS_PER_MS !== 0) return undefined
  const time = Number(seconds) * 1_000 + nanos / NANOS_PER_MS
  return () => time
}

/** `content.findings.pii`, `content.findings["pii.email"]`. The key exists (check.ts). */
function findFindingCount(expr: Expr): Read<number> | undefined {
  const entry = entryOf(expr)
  if (entry?.map !== 'content.findings') return undefined
  const key = entry.key as keyof FindingCounts
  return ({ content }) => content.findings[key]
}

function findRank(expr: Expr): Read<number> | undefined {
  const call = callOf(expr)
  const [arg] = call?.args ?? []
  if (call?.name !== 'rank' || !arg) return undefined
  const literal = stringLiteral(arg)
  if (literal !== undefined) {
    const value = rankOf(literal)
    return () => value
  }
  const type = VARIABLES.get(dottedName(arg) ?? '')?.type
  const readWord = findVariable(arg, 'string') as Read<string> | undefined
  if (!readWord || type?.kind !== 'string' || !type.words?.values.every(scaleOf)) return undefined
  return (input) => rankOf(readWord(input))
}

function findVariable(expr: Expr, kind: 'bool' | 'string' | 'int'): Read<unknown> | undefined {
  const variable = VARIABLES.get(dottedName(expr) ?? '')
  return variable?.type.kind === kind ? variable.read : undefined
}
