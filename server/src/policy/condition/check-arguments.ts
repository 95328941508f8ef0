import { isCelError, plan } from '@bufbuild/cel'
import type { Environment } from './environment.ts'
import { scaleOf } from './rank.ts'
import { dottedName, type Expr, operator, Refusal, stringLiteral } from './syntax.ts'
import { zoneFormat } from './time-zone.ts'
import { INT, type Type, type Words } from './value-types.ts'
import { fullBudget } from './work-budget.ts'

/** A call of a known function; the types are those of the arguments, a method's target first. */
interface Call {
  readonly expr: Expr
  readonly name: string
  readonly args: readonly Expr[]
  readonly types: readonly Type[]
}

/** What the kinds of the arguments do not show. */
export function checkArguments({ expr, name, args, types }: Call, environment: Environment): void {
  const [first, second] = types
  if (/^_[<>]=?_$/.test(name)) {
    if (first?.kind === 'string' && (first.words ?? (second?.kind === 'string' && second.words))) {
      throw new Refusal('words compare by the alphabet here: write rank(…) on both sides', expr)
    }
    checkScales(expr, first, second)
  }
  if (name === '_+_' && !isMacro(args[0])) checkSum(expr, first, second)
  if (name === 'matches') checkPattern(args[1], environment)
  if (name.startsWith('get') && args.length === 2) checkZone(args[1])
  if (name === 'rank' && types[0]?.kind === 'string') checkRank(args[0], types[0])
  if (args.length > 0 && args.every((arg) => arg.exprKind.case === 'constExpr')) checkConstant(expr, name, environment)
}

/** `map` and `filter` gather what they find in a variable of the parser's. */
const isMacro = (arg: Expr | undefined): boolean => arg !== undefined && dottedName(arg) === '@result'

/** Joined lists would get around the bounds on loops. */
function checkSum(expr: Expr, a: Type | undefined, b: Type | undefined): void {
  if (a?.kind === 'list' || b?.kind === 'list') throw new Refusal('lists are not joined: go through one after the other', expr)
  if (a?.kind === 'any' && b?.kind === 'any') throw new Refusal('say what is added: string(…), int(…) or double(…)', expr)
}

function checkPattern(arg: Expr | undefined, environment: Environment): void {
  const source = stringLiteral(arg)
  if (source === undefined) throw new Refusal('a regular expression must be written out, so that it can be checked', arg)
  try {
    environment.pattern(source)
  } catch (error) {
    throw new Refusal(error instanceof Error ? error.message : 'not a regular expression', arg)
  }
}

function checkZone(arg: Expr | undefined): void {
  const zone = stringLiteral(arg)
  if (zone === undefined) throw new Refusal('a time zone must be written out, as "Europe/Berlin"', arg)
  try {
    zoneFormat(zone)
  } catch {
    throw new Refusal(`there is no time zone ${zone}`, arg)
  }
}

function checkRank(arg: Expr | undefined, type: Type): void {
  const word = stringLiteral(arg)
  if (word !== undefined && !scaleOf(word)) throw new Refusal(`${word} is neither a classification nor a risk level`, arg)
  const known = type.kind === 'string' ? type.words : undefined
  if (known && !known.values.some(scaleOf)) throw new Refusal(`the ${known.name} has no rank`, arg)
}

/** Ranks know their scale, so that `rank("high")` is not compared with a classification. */
export function rankType(arg: Expr | undefined, type: Type | undefined): Type {
  const word = stringLiteral(arg) ?? (type?.kind === 'string' ? type.words?.values[0] : undefined)
  const scale = word === undefined ? undefined : scaleOf(word)
  return scale === undefined ? INT : { kind: 'int', scale }
}

export function checkScales(expr: Expr, a: Type | undefined, b: Type | undefined): void {
  if (a?.kind !== 'int' || b?.kind !== 'int' || a.scale === undefined || b.scale === undefined || a.scale === b.scale) return
  throw new Refusal(`a ${a.scale} and a ${b.scale} do not compare`, expr)
}

/** `duration("4 h")` fails whenever it is reached: say so now. */
function checkConstant(expr: Expr, name: string, { cel, work }: Environment): void {
  work.begin(fullBudget())
  const result = plan(cel, expr)({})
  if (isCelError(result)) throw new Refusal(`${operator(name)} fails on this: ${result.message}`, expr)
}

/** A word compared with a text must be one that exists. */
export function checkWord(type: Type, other: Expr | undefined, expr: Expr, otherType: Type): void {
  const words = type.kind === 'string' ? type.words : undefined
  if (!words) return
  const text = stringLiteral(other)
  if (text !== undefined && !words.values.includes(text)) throw unknownWord(text, words, other)
  const otherWords = otherType.kind === 'string' ? otherType.words : undefined
  if (otherWords && otherWords !== words) throw new Refusal(`a ${words.name} and a ${otherWords.name} are never equal`, expr)
}

const unknownWord = (text: string, words: Words, expr: Expr | undefined): Refusal =>
  new Refusal(`there is no ${words.name} ${text}; known are ${words.values.join(', ')}`, expr)
