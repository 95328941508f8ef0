import { isCelError, plan } from '@bufbuild/cel'
import { didYouMean } from '../did-you-mean.ts'
import type { Environment } from './environment.ts'
import { dottedName, type Expr, InvalidCondition, operatorSymbol, stringLiteral } from './syntax.ts'
import { zoneFormat } from './time-zone.ts'
import { INT, type Type, type Words } from './value-types.ts'
import { scaleOf } from './variables.ts'
import { createBudget } from './work-budget.ts'

export function checkArguments(
  { expr, name, args, types }: { expr: Expr; name: string; args: readonly Expr[]; types: readonly Type[] },
  environment: Environment,
): void {
  const [first, second] = types
  if (/^_[<>]=?_$/.test(name)) {
    if (first?.kind === 'string' && (first.words ?? (second?.kind === 'string' && second.words))) {
      throw new InvalidCondition('this compares words alphabetically: write rank(…) on both sides', expr)
    }
    checkScales(expr, first, second)
  }
  if (name === '_+_' && !isAccumulator(args[0])) checkSum(expr, first, second)
  if (name === 'matches') checkPattern(args[1], environment)
  if (name.startsWith('get') && args.length === 2) checkZone(args[1])
  if (name === 'rank' && types[0]?.kind === 'string') checkRank(args[0], types[0])
  if (args.length > 0 && args.every((arg) => arg.exprKind.case === 'constExpr')) checkConstant(expr, name, environment)
}

/** The parser's variable in which `map` and `filter` collect their results. */
const isAccumulator = (arg: Expr | undefined): boolean => arg !== undefined && dottedName(arg) === '@result'

/** Lists cannot be joined, because that would circumvent the limits of loops. */
function checkSum(expr: Expr, a: Type | undefined, b: Type | undefined): void {
  if (a?.kind === 'list' || b?.kind === 'list')
    throw new InvalidCondition('lists cannot be joined: test one list after the other', expr)
  if (a?.kind === 'any' && b?.kind === 'any')
    throw new InvalidCondition('the types of both sides are unknown: use string(…), int(…) or double(…)', expr)
}

function checkPattern(arg: Expr | undefined, environment: Environment): void {
  const source = stringLiteral(arg)
  if (source === undefined) throw new InvalidCondition('a regular expression must be a text literal', arg)
  try {
    environment.pattern(source)
  } catch (error) {
    throw new InvalidCondition(error instanceof Error ? error.message : 'the regular expression is not valid', arg)
  }
}

function checkZone(arg: Expr | undefined): void {
  const zone = stringLiteral(arg)
  if (zone === undefined) throw new InvalidCondition('a time zone must be a text literal such as "Europe/Berlin"', arg)
  try {
    zoneFormat(zone)
  } catch {
    throw new InvalidCondition(`unknown time zone ${zone}`, arg)
  }
}

function checkRank(arg: Expr | undefined, type: Type): void {
  const word = stringLiteral(arg)
  if (word !== undefined && !scaleOf(word))
    throw new InvalidCondition(`${word} is neither a classification nor a risk level`, arg)
  const words = type.kind === 'string' ? type.words : undefined
  if (words && !words.values.some(scaleOf)) throw new InvalidCondition(`a ${words.name} has no rank`, arg)
}

/** The type of a rank, with its scale, so that `rank("high")` cannot be compared with a classification. */
export function typeOfRank(arg: Expr | undefined, type: Type | undefined): Type {
  const word = stringLiteral(arg) ?? (type?.kind === 'string' ? type.words?.values[0] : undefined)
  const scale = word === undefined ? undefined : scaleOf(word)
  return scale === undefined ? INT : { kind: 'int', scale }
}

export function checkScales(expr: Expr, a: Type | undefined, b: Type | undefined): void {
  if (a?.kind !== 'int' || b?.kind !== 'int' || a.scale === undefined || b.scale === undefined || a.scale === b.scale) return
  throw new InvalidCondition(`a ${a.scale} and a ${b.scale} cannot be compared`, expr)
}

/** Evaluates a call with constant arguments, such as `duration("4 h")`, so that its error is reported before publication. */
function checkConstant(expr: Expr, name: string, { cel, work }: Environment): void {
  work.begin(createBudget())
  const result = plan(cel, expr)({})
  if (isCelError(result)) throw new InvalidCondition(`${operatorSymbol(name)} fails: ${result.message}`, expr)
}

export function checkWord(type: Type, other: Expr | undefined, expr: Expr, otherType: Type): void {
  const words = type.kind === 'string' ? type.words : undefined
  if (!words) return
  const text = stringLiteral(other)
  if (text !== undefined && !words.values.includes(text)) throw unknownWord(text, words, other)
  const otherWords = otherType.kind === 'string' ? otherType.words : undefined
  if (otherWords && otherWords !== words)
    throw new InvalidCondition(`a ${words.name} and a ${otherWords.name} are never equal`, expr)
}

const unknownWord = (text: string, words: Words, expr: Expr | undefined): InvalidCondition =>
  new InvalidCondition(`unknown ${words.name} ${text}${didYouMean(text, words.values, 'must be one of')}`, expr)
