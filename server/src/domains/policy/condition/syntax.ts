import { parse } from '@bufbuild/cel'

type Parsed = ReturnType<typeof parse>
export type Expr = NonNullable<Parsed['expr']>

/** Reason why a condition is refused. `offset`: place in its source, in UTF-16 units. */
export interface ConditionProblem {
  readonly message: string
  readonly offset: number
}

export class InvalidCondition extends Error {
  readonly expr: Expr | undefined

  constructor(message: string, expr?: Expr) {
    super(message)
    this.expr = expr
  }
}

/** For a source with a syntax error, the parser takes time cubic in the nesting. */
const MAX_NESTING = 64
/** The parser takes time quadratic in consecutive white space: a second for 4,000 line breaks. */
const MAX_BLANKS = 256
const TOO_MANY_BLANKS = new RegExp(`\\s{${MAX_BLANKS + 1}}`)

export function parseCondition(source: string): Parsed | ConditionProblem {
  const tooDeep = findNestingBeyond(source, MAX_NESTING)
  if (tooDeep !== undefined) return { message: `brackets must be nested at most ${MAX_NESTING} deep`, offset: tooDeep }
  const blanks = TOO_MANY_BLANKS.exec(source)
  if (blanks) return { message: `must have at most ${MAX_BLANKS} blank characters in a row`, offset: blanks.index }
  try {
    return parse(source)
  } catch (error) {
    return { message: `not CEL: ${syntaxMessage(error)}`, offset: syntaxOffset(error) }
  }
}

function findNestingBeyond(source: string, limit: number): number | undefined {
  let depth = 0
  for (let i = 0; i < source.length; i++) {
    if ('([{'.includes(source.charAt(i)) && ++depth > limit) return i
    if (')]}'.includes(source.charAt(i))) depth -= 1
  }
  return undefined
}

const syntaxMessage = (error: unknown): string =>
  error instanceof Error
    ? error.message.replace(/^<input>:\d+:\d+: /, '').replace(/ but expecting .*/, ', which is not allowed here')
    : 'it cannot be parsed'

const syntaxOffset = (error: unknown): number =>
  (error as { location?: { start?: { offset?: number } } }).location?.start?.offset ?? 0

/** Place of an expression in the source. The place of an infix operator is its sign. */
export const offsetOf = (parsed: Parsed, expr: Expr | undefined): number => parsed.sourceInfo?.positions[String(expr?.id)] ?? 0

export function dottedName(expr: Expr): string | undefined {
  if (expr.exprKind.case === 'identExpr') return expr.exprKind.value.name
  if (expr.exprKind.case !== 'selectExpr' || expr.exprKind.value.testOnly || !expr.exprKind.value.operand) return undefined
  const parent = dottedName(expr.exprKind.value.operand)
  return parent === undefined ? undefined : `${parent}.${expr.exprKind.value.field}`
}

export const stringLiteral = (expr: Expr | undefined): string | undefined =>
  expr?.exprKind.case === 'constExpr' && expr.exprKind.value.constantKind.case === 'stringValue'
    ? expr.exprKind.value.constantKind.value
    : undefined

/** A call with its target, if any, as the first argument; undefined: another expression. */
export function callOf(expr: Expr): { name: string; method: boolean; args: readonly Expr[] } | undefined {
  if (expr.exprKind.case !== 'callExpr') return undefined
  const { function: name, target, args } = expr.exprKind.value
  return { name, method: target !== undefined, args: target ? [target, ...args] : args }
}

export function entryOf(expr: Expr): { readonly map: string | undefined; readonly key: string } | undefined {
  const { exprKind } = expr
  const call = callOf(expr)
  const select = exprKind.case === 'selectExpr' && !exprKind.value.testOnly ? exprKind.value : undefined
  const map = select?.operand ?? (call?.name === '_[_]' ? call.args[0] : undefined)
  const key = select?.field ?? stringLiteral(call?.args[1])
  return map && key !== undefined ? { map: dottedName(map), key } : undefined
}

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

export const operatorSymbol = (name: string): string => name.replaceAll('_', '').replace('@', '')
