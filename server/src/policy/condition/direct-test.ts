import { isCelError, plan } from '@bufbuild/cel'
import type { PolicyInput } from '../input.ts'
import { anyForm, CONTENT, formsOf, type Polarity, plainPart } from './content-forms.ts'
import type { Environment } from './environment.ts'
import { rankOf, scaleOf } from './rank.ts'
import { callOf, dottedName, type Expr, stringLiteral } from './syntax.ts'
import { VARIABLES } from './variables.ts'

type Read<T> = (input: PolicyInput) => T
type Test = Read<boolean>

/**
 * Most conditions compare one of our variables with a literal. Those need no CEL machinery: they are turned into a plain function
 * that cannot fail, twenty times faster (bench/policies.ts), and meant to give exactly what the library gives
 * (direct.test.ts compares the two on random expressions). Undefined: leave it to the library.
 */
export function directTest(expr: Expr, environment: Environment, polarity: Polarity = 'restricts'): Test | undefined {
  const { exprKind } = expr
  if (exprKind.case === 'constExpr' && exprKind.value.constantKind.case === 'boolValue') {
    const { value } = exprKind.value.constantKind
    return () => value
  }
  const variable = variableOf(expr, 'bool')
  if (variable) return variable as Test
  const call = callOf(expr)
  if (!call) return undefined
  const [a, b] = call.args
  if (!a || !b) return undefined
  const ofForms = polarity === 'restricts' ? formTest(call.name, a, b, environment) : undefined
  if (ofForms) return ofForms
  if (call.name in TEXT_TESTS && call.method) return textTest(call.name as keyof typeof TEXT_TESTS, a, b)
  if (call.name === 'matches') return patternTest(a, b, environment)
  if (call.name === '@in') return membership(a, b)
  if (call.name in COMPARISONS) return comparison(call.name as keyof typeof COMPARISONS, [a, b], environment)
  return undefined
}

/** Tests of `content.text` against a literal, in every form of the content. */
function formTest(name: string, a: Expr, b: Expr, environment: Environment): Test | undefined {
  if (dottedName(a) !== CONTENT)
    return name === '_==_' && dottedName(b) === CONTENT ? formTest(name, b, a, environment) : undefined
  if (name === '@in') return formMembership(b)
  const part = stringLiteral(b)
  if (part === undefined) return undefined
  if (name === 'matches') {
    const pattern = environment.pattern(part)
    return ({ content }) => formsOf(content).all.some((text) => pattern.test(text))
  }
  const test = name === '_==_' ? COMPARISONS[name] : TEXT_TESTS[name as keyof typeof TEXT_TESTS]
  if (!test) return undefined
  const parts = { part, plainPart: plainPart(part) }
  return ({ content }) => anyForm(formsOf(content), parts, test)
}

function formMembership(list: Expr): Test | undefined {
  if (list.exprKind.case !== 'listExpr') return undefined
  const words = list.exprKind.value.elements.flatMap((element) => stringLiteral(element) ?? [])
  if (words.length < list.exprKind.value.elements.length) return undefined
  const written = new Set(words)
  const plainWords = new Set(words.flatMap((word) => plainPart(word) ?? []))
  return ({ content }) => {
    const forms = formsOf(content)
    return forms.written.some((text) => written.has(text)) || forms.plain.some((text) => plainWords.has(text))
  }
}

const TEXT_TESTS = {
  contains: (text: string, part: string) => text.includes(part),
  startsWith: (text: string, part: string) => text.startsWith(part),
  endsWith: (text: string, part: string) => text.endsWith(part),
}

function textTest(name: keyof typeof TEXT_TESTS, a: Expr, b: Expr): Test | undefined {
  const text = textOf(a)
  const part = textOf(b)
  const test = TEXT_TESTS[name]
  // What is looked for comes from a caller, perhaps: the library's way counts the work.
  if (stringLiteral(b) === undefined && name === 'contains') return undefined
  return text && part && ((input) => test(text(input), part(input)))
}

/** `matches` can fail on a hostile text, and then must: the exception is the caller's to catch. */
function patternTest(a: Expr, b: Expr, environment: Environment): Test | undefined {
  const text = textOf(a)
  const source = stringLiteral(b)
  if (!text || source === undefined) return undefined
  const pattern = environment.pattern(source)
  return (input) => pattern.test(text(input))
}

function membership(a: Expr, b: Expr): Test | undefined {
  const text = textOf(a)
  if (!text || b.exprKind.case !== 'listExpr') return undefined
  const literals = b.exprKind.value.elements.map(stringLiteral)
  if (literals.includes(undefined)) return undefined
  const words = new Set(literals)
  return (input) => words.has(text(input))
}

const COMPARISONS = {
  '_==_': (a: string | number, b: string | number) => a === b,
  '_!=_': (a: string | number, b: string | number) => a !== b,
  '_<_': (a: string | number, b: string | number) => a < b,
  '_<=_': (a: string | number, b: string | number) => a <= b,
  '_>_': (a: string | number, b: string | number) => a > b,
  '_>=_': (a: string | number, b: string | number) => a >= b,
}

function comparison(name: keyof typeof COMPARISONS, sides: readonly [Expr, Expr], environment: Environment): Test | undefined {
  const compare = COMPARISONS[name]
  // Both of one kind: the checker has seen to it that nothing else is compared.
  for (const read of [textOf, numberOf, momentOf]) {
    const [left, right] = sides.map((side) => read(side, environment))
    if (left && right) return (input) => compare(left(input), right(input))
  }
  return undefined
}

const textOf = (expr: Expr): Read<string> | undefined => {
  const literal = stringLiteral(expr)
  return literal === undefined ? (variableOf(expr, 'string') as Read<string> | undefined) : () => literal
}

function numberOf(expr: Expr): Read<number> | undefined {
  const { exprKind } = expr
  if (exprKind.case === 'constExpr' && exprKind.value.constantKind.case === 'int64Value') {
    const number = Number(exprKind.value.constantKind.value)
    return Number.isSafeInteger(number) ? () => number : undefined
  }
  return (variableOf(expr, 'int') as Read<number> | undefined) ?? findingCount(expr) ?? rank(expr)
}

/** Nanoseconds of a millisecond. */
const NANOS = 1_000_000

/** Of `now` and of `timestamp("…")`, in milliseconds. What says more than milliseconds, or nothing, is the library's. */
function momentOf(expr: Expr, environment: Environment): Read<number> | undefined {
  if (dottedName(expr) === 'now') return ({ now }) => now.getTime()
  const call = callOf(expr)
  if (call?.name !== 'timestamp' || stringLiteral(call.args[0]) === undefined) return undefined
  const value = plan(environment.cel, expr)({})
  if (isCelError(value)) return undefined
  const { seconds, nanos } = (value as unknown as { message: { seconds: bigint; nanos: number } }).message
  if (nanos % NANOS !== 0) return undefined
  const moment = Number(seconds) * 1_000 + nanos / NANOS
  return () => moment
}

/** `content.findings.pii`, `content.findings["pii.email"]`: the checker has made sure that it exists. */
function findingCount(expr: Expr): Read<number> | undefined {
  const { exprKind } = expr
  const call = callOf(expr)
  const select = exprKind.case === 'selectExpr' && !exprKind.value.testOnly ? exprKind.value : undefined
  const map = select?.operand ?? (call?.name === '_[_]' ? call.args[0] : undefined)
  const key = select?.field ?? stringLiteral(call?.args[1])
  if (!map || key === undefined || dottedName(map) !== 'content.findings') return undefined
  return ({ content }) => content.findings[key as keyof typeof content.findings]
}

/** `rank` of a literal, or of a variable that only ever holds ranked words: any other text would be an error. */
function rank(expr: Expr): Read<number> | undefined {
  const call = callOf(expr)
  const [arg] = call?.args ?? []
  if (call?.name !== 'rank' || !arg) return undefined
  const literal = stringLiteral(arg)
  if (literal !== undefined) {
    const value = rankOf(literal)
    return () => value
  }
  const type = VARIABLES.get(dottedName(arg) ?? '')?.type
  const word = variableOf(arg, 'string') as Read<string> | undefined
  if (!word || type?.kind !== 'string' || !type.words?.values.every(scaleOf)) return undefined
  return (input) => rankOf(word(input))
}

function variableOf(expr: Expr, kind: 'bool' | 'string' | 'int'): Read<unknown> | undefined {
  const variable = VARIABLES.get(dottedName(expr) ?? '')
  return variable?.type.kind === kind ? variable.read : undefined
}
