import { parse } from '@bufbuild/cel'

type Parsed = ReturnType<typeof parse>
/** A node of a parsed condition. */
export type Expr = NonNullable<Parsed['expr']>

/** Why a condition may not be published. `offset`: where in its text, in UTF-16 units. */
export interface ConditionProblem {
  readonly message: string
  readonly offset: number
}

/** Thrown while a condition is read; never leaves this folder. */
export class Refusal extends Error {
  readonly expr: Expr | undefined

  constructor(message: string, expr?: Expr) {
    super(message)
    this.expr = expr
  }
}

/** The parser's time grows with the cube of the nesting of a text that does not parse. */
const MAX_NESTING = 64
/** And with the square of a run of white space: 4,000 line breaks took a second. */
const MAX_BLANKS = 256
const TOO_MANY_BLANKS = new RegExp(`\\s{${MAX_BLANKS + 1}}`)

export function parseCondition(source: string): Parsed | ConditionProblem {
  const tooDeep = nestedBeyond(source, MAX_NESTING)
  if (tooDeep !== undefined) return { message: `brackets may be nested ${MAX_NESTING} deep`, offset: tooDeep }
  const tooBlank = TOO_MANY_BLANKS.exec(source)
  if (tooBlank) return { message: `may hold ${MAX_BLANKS} blank characters in a row, and holds more`, offset: tooBlank.index }
  try {
    return parse(source)
  } catch (error) {
    return { message: `not CEL: ${syntaxMessage(error)}`, offset: syntaxOffset(error) }
  }
}

function nestedBeyond(source: string, limit: number): number | undefined {
  let depth = 0
  for (let i = 0; i < source.length; i++) {
    if ('([{'.includes(source.charAt(i)) && ++depth > limit) return i
    if (')]}'.includes(source.charAt(i))) depth -= 1
  }
  return undefined
}

/** The library's message ends in a list of everything that it would have expected. */
const syntaxMessage = (error: unknown): string =>
  error instanceof Error
    ? error.message.replace(/^<input>:\d+:\d+: /, '').replace(/ but expecting .*/, ', which does not belong here')
    : 'unreadable'

const syntaxOffset = (error: unknown): number =>
  (error as { location?: { start?: { offset?: number } } }).location?.start?.offset ?? 0

/** Where an expression stands in the text; infix operators stand at their sign. */
export const offsetOf = (parsed: Parsed, expr: Expr | undefined): number => parsed.sourceInfo?.positions[String(expr?.id)] ?? 0

/** `content.text` as a name, when the expression is nothing but a name with fields. */
export function dottedName(expr: Expr): string | undefined {
  if (expr.exprKind.case === 'identExpr') return expr.exprKind.value.name
  if (expr.exprKind.case !== 'selectExpr' || expr.exprKind.value.testOnly || !expr.exprKind.value.operand) return undefined
  const parent = dottedName(expr.exprKind.value.operand)
  return parent === undefined ? undefined : `${parent}.${expr.exprKind.value.field}`
}

/** The text of a text literal. */
export const stringLiteral = (expr: Expr | undefined): string | undefined =>
  expr?.exprKind.case === 'constExpr' && expr.exprKind.value.constantKind.case === 'stringValue'
    ? expr.exprKind.value.constantKind.value
    : undefined

/** A call with its target, if any, as the first argument; undefined for everything that is no call. */
export function callOf(expr: Expr): { name: string; method: boolean; args: readonly Expr[] } | undefined {
  if (expr.exprKind.case !== 'callExpr') return undefined
  const { function: name, target, args } = expr.exprKind.value
  return { name, method: target !== undefined, args: target ? [target, ...args] : args }
}

/** The expressions of which an expression is made. */
export function partsOf({ exprKind }: Expr): readonly Expr[] {
  const parts = (): (Expr | undefined)[] => {
    switch (exprKind.case) {
      case 'selectExpr':
        return [exprKind.value.operand]
      case 'callExpr':
        return [exprKind.value.target, ...exprKind.value.args]
      case 'listExpr':
        return exprKind.value.elements
      case 'structExpr':
        return exprKind.value.entries.flatMap(({ keyKind, value }) => [
          keyKind.case === 'mapKey' ? keyKind.value : undefined,
          value,
        ])
      case 'comprehensionExpr': {
        const { iterRange, accuInit, loopCondition, loopStep, result } = exprKind.value
        return [iterRange, accuInit, loopCondition, loopStep, result]
      }
      default:
        return []
    }
  }
  return parts().filter((part) => part !== undefined)
}

/** `_>_` as people write it. */
export const operator = (name: string): string => name.replaceAll('_', '').replace('@', '')
