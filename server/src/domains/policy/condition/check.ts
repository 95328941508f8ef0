import type { PolicyPoint } from '../../../shared/decision.ts'
import { didYouMean } from '../did-you-mean.ts'
import { checkArguments, checkScales, checkWord, typeOfRank } from './check-arguments.ts'
import type { Environment } from './environment.ts'
import { FUNCTIONS, METHODS } from './functions.ts'
import { callOf, dottedName, type Expr, InvalidCondition, operatorSymbol, stringLiteral } from './syntax.ts'
import type { Type } from './value-types.ts'
import { ANY, ANY_LIST, BOOL, commonType, describeType, holdsRecords, INT, isComparable, keysOf, STRING } from './value-types.ts'
import { fieldsOf, GROUP_POINTS, ROOTS, VARIABLES } from './variables.ts'

interface Scope {
  readonly environment: Environment
  readonly points: readonly PolicyPoint[]
  readonly locals: ReadonlyMap<string, Type>
  readonly loops: number
}

/** Clients choose the length of lists, so only two loops can be nested. `map` and `filter` count as two. */
const MAX_LOOPS = 2

/** Checks before publication; the library checks only constants and names. Throws InvalidCondition. */
export function checkCondition(expr: Expr, environment: Environment, points: readonly PolicyPoint[]): void {
  const type = typeOf(expr, { environment, points, locals: new Map(), loops: 0 })
  if (type.kind !== 'bool' && type.kind !== 'any')
    throw new InvalidCondition(`a condition must be true or false, but this is ${describeType(type)}`, expr)
}

const incomplete = (expr: Expr): InvalidCondition => new InvalidCondition('the expression is incomplete', expr)

function typeOf(expr: Expr, scope: Scope): Type {
  const { exprKind } = expr
  switch (exprKind.case) {
    case 'constExpr':
      return typeOfConstant(expr, exprKind.value.constantKind)
    case 'identExpr':
      return typeOfName(expr, exprKind.value.name, scope)
    case 'selectExpr':
      return typeOfSelect(expr, exprKind.value, scope)
    case 'callExpr':
      return typeOfCall(expr, scope)
    case 'listExpr':
      return { kind: 'list', of: commonType(exprKind.value.elements.map((element) => typeOf(element, scope))) }
    case 'structExpr':
      return typeOfMap(expr, exprKind.value, scope)
    case 'comprehensionExpr':
      return typeOfLoop(expr, exprKind.value, scope)
    default:
      throw incomplete(expr)
  }
}

type Constant = (Expr['exprKind'] & { case: 'constExpr' })['value']['constantKind']
type Select = (Expr['exprKind'] & { case: 'selectExpr' })['value']
type Struct = (Expr['exprKind'] & { case: 'structExpr' })['value']
type Comprehension = (Expr['exprKind'] & { case: 'comprehensionExpr' })['value']

function typeOfConstant(expr: Expr, constant: Constant): Type {
  switch (constant.case) {
    case 'boolValue':
      return BOOL
    case 'stringValue':
      return STRING
    case 'doubleValue':
      return { kind: 'double' }
    case 'nullValue':
      return { kind: 'null' }
    case 'int64Value':
      if (BigInt.asIntN(64, constant.value) !== constant.value)
        throw new InvalidCondition('the number does not fit into 64 bits', expr)
      return INT
    default:
      throw new InvalidCondition('bytes and unsigned numbers are not supported', expr)
  }
}

function typeOfName(expr: Expr, name: string, scope: Scope): Type {
  const local = scope.locals.get(name)
  if (local) return local
  const variable = VARIABLES.get(name)
  if (variable) return variable.type
  if (ROOTS.has(name))
    throw new InvalidCondition(`${name} is not a value: use one of its fields ${fieldsOf(name).join(', ')}`, expr)
  throw new InvalidCondition(`unknown name ${name}${didYouMean(name, [...ROOTS])}`, expr)
}

function typeOfSelect(expr: Expr, { operand, field, testOnly }: Select, scope: Scope): Type {
  if (!operand) throw incomplete(expr)
  const group = dottedName(operand)
  if (group !== undefined && ROOTS.has(group) && !VARIABLES.has(group)) {
    const available = GROUP_POINTS.get(group)
    const missing = available && scope.points.find((point) => !available.includes(point))
    if (missing) throw new InvalidCondition(`${group} is not available at ${missing}, only at ${available.join(', ')}`, operand)
    const variable = VARIABLES.get(`${group}.${field}`)
    if (!variable)
      throw new InvalidCondition(`${group} has no field ${field}${didYouMean(field, fieldsOf(group), 'its fields')}`, expr)
    if (testOnly) throw new InvalidCondition(`${group}.${field} always exists: compare it with "", 0 or null`, expr)
    return variable.type
  }
  const type = typeOf(operand, scope)
  if (type.kind !== 'map' && type.kind !== 'any') throw new InvalidCondition(`${describeType(type)} has no field ${field}`, expr)
  const value = typeOfKey(expr, type, field)
  return testOnly ? BOOL : value
}

function typeOfKey(expr: Expr, type: Type, key: string): Type {
  if (type.kind !== 'map') return ANY
  const keys = keysOf(type)
  const noun = 'fields' in type ? 'key' : 'finding'
  if (keys && !keys.includes(key))
    throw new InvalidCondition(`unknown ${noun} ${key}${didYouMean(key, keys, `known ${noun}s`)}`, expr)
  return 'fields' in type ? (type.fields[key] ?? type.of) : type.of
}

function typeOfMap(expr: Expr, { messageName, entries }: Struct, scope: Scope): Type {
  if (messageName !== '') throw new InvalidCondition(`unknown type ${messageName}`, expr)
  const values = entries.map(({ keyKind, value }) => {
    const key = keyKind.case === 'mapKey' ? typeOf(keyKind.value, scope) : undefined
    if (!value || (key?.kind !== 'string' && key?.kind !== 'any'))
      throw new InvalidCondition('the keys of a map must be text', expr)
    return typeOf(value, scope)
  })
  return { kind: 'map', of: commonType(values) }
}

function typeOfLoop(expr: Expr, loop: Comprehension, scope: Scope): Type {
  const { iterRange, iterVar, accuInit, accuVar, loopCondition, loopStep, result } = loop
  if (!iterRange || !accuInit || !loopCondition || !loopStep || !result) throw incomplete(expr)
  if (ROOTS.has(iterVar))
    throw new InvalidCondition(`${iterVar} is already defined: choose another name for the loop variable`, expr)
  const range = typeOf(iterRange, scope)
  const item = range.kind === 'list' ? range.of : range.kind === 'map' ? STRING : range.kind === 'any' ? ANY : undefined
  if (!item) throw new InvalidCondition(`${describeType(range)} is not a list or a map`, iterRange)
  const accumulator = typeOf(accuInit, scope)
  const inside = enterLoops(scope, accumulator.kind === 'list' ? 2 : 1, expr)
  const locals = new Map([...scope.locals, [accuVar, accumulator.kind === 'list' ? ANY_LIST : accumulator], [iterVar, item]])
  typeOf(loopCondition, { ...inside, locals })
  typeOf(loopStep, { ...inside, locals })
  return typeOf(result, { ...scope, locals })
}

function enterLoops(scope: Scope, count: number, expr: Expr): Scope {
  const loops = scope.loops + count
  if (loops > MAX_LOOPS) {
    throw new InvalidCondition('too many nested loops: use at most two, and map and filter only outside of loops', expr)
  }
  return { ...scope, loops }
}

function typeOfCall(expr: Expr, scope: Scope): Type {
  const call = callOf(expr)
  if (!call) throw incomplete(expr)
  const { name, method, args } = call
  if (name === '_[_]') return typeOfIndex(expr, args, scope)
  if (name === '@in') return typeOfIn(expr, args, scope)
  const isComparison = name === '_==_' || name === '_!=_'
  const known = method ? METHODS : FUNCTIONS
  const overloads = known.get(name)
  // Before the arguments: those of a misspelt loop would have unknown names.
  if (!overloads && !isComparison && name !== '_?_:_')
    throw new InvalidCondition(
      `unknown function ${name}${didYouMean(name, [...known.keys(), ...LOOPS].filter(isWord), 'known functions')}`,
      expr,
    )
  const types = args.map((arg) => typeOf(arg, scope))
  if (isComparison) return typeOfEquality(expr, args, types)
  if (!overloads) return typeOfChoice(expr, args, types)
  const fitting = overloads.filter(({ args: kinds }) => fits(kinds, types))
  const [first] = fitting
  if (!first)
    throw new InvalidCondition(
      `${operatorSymbol(name)} does not take ${types.map(describeType).join(' and ') || 'nothing'}`,
      expr,
    )
  checkArguments({ expr, name, args, types }, scope.environment)
  if (name === 'rank') return typeOfRank(args[0], types[0])
  return fitting.every(({ result }) => result === first.result) ? typeOfKind(first.result) : ANY
}

/** Not an operator, such as `_+_`. */
const isWord = (name: string): boolean => /^[a-z]/i.test(name)

/** The parser replaces these with loops. */
const LOOPS = ['exists', 'all', 'exists_one', 'filter', 'map', 'has']

const fits = (kinds: readonly Type['kind'][], types: readonly Type[]): boolean =>
  kinds.length === types.length && kinds.every((kind, i) => kind === 'any' || types[i]?.kind === 'any' || types[i]?.kind === kind)

const typeOfKind = (kind: Type['kind']): Type => (kind === 'list' ? ANY_LIST : kind === 'map' ? { kind, of: ANY } : { kind })

function typeOfEquality(expr: Expr, args: readonly Expr[], types: readonly Type[]): Type {
  const [a = ANY, b = ANY] = types
  if (types.some(holdsRecords))
    throw new InvalidCondition('tool calls cannot be compared: compare their names and arguments', expr)
  if (!isComparable(a, b)) throw new InvalidCondition(`${describeType(a)} and ${describeType(b)} are never equal`, expr)
  checkScales(expr, a, b)
  checkWord(a, args[1], expr, b)
  checkWord(b, args[0], expr, a)
  return BOOL
}

function typeOfChoice(expr: Expr, args: readonly Expr[], [condition = ANY, a = ANY, b = ANY]: readonly Type[]): Type {
  if (condition.kind !== 'bool' && condition.kind !== 'any')
    throw new InvalidCondition(`${describeType(condition)} is neither true nor false`, args[0])
  const type = commonType([a, b])
  if (type.kind === 'any' && a.kind !== 'any' && b.kind !== 'any') {
    throw new InvalidCondition(`both results of ? : must have one type, not ${describeType(a)} and ${describeType(b)}`, expr)
  }
  return type
}

function typeOfIndex(expr: Expr, args: readonly Expr[], scope: Scope): Type {
  const [operand, index] = args
  if (!operand || !index) throw incomplete(expr)
  const type = typeOf(operand, scope)
  const key = typeOf(index, scope)
  const wanted = type.kind === 'list' ? 'int' : type.kind === 'map' ? 'string' : type.kind === 'any' ? key.kind : undefined
  if (!wanted) throw new InvalidCondition(`${describeType(type)} has no elements`, expr)
  if (key.kind !== wanted && key.kind !== 'any')
    throw new InvalidCondition(`the index of ${describeType(type)} cannot be ${describeType(key)}`, index)
  if (type.kind === 'list') return type.of
  const literal = stringLiteral(index)
  if (literal !== undefined) return typeOfKey(index, type, literal)
  return type.kind === 'map' ? type.of : ANY
}

function typeOfIn(expr: Expr, args: readonly Expr[], scope: Scope): Type {
  const [item, container] = args
  if (!item || !container) throw incomplete(expr)
  const type = typeOf(item, scope)
  const elements = container.exprKind.case === 'listExpr' ? container.exprKind.value.elements : undefined
  const range = typeOf(container, scope)
  if (!elements && range.kind !== 'map') enterLoops(scope, 1, expr)
  if (range.kind === 'list') {
    if (holdsRecords(range)) throw new InvalidCondition('use exists(…) to search tool calls', expr)
    if (!isComparable(type, range.of))
      throw new InvalidCondition(`${describeType(type)} is never in a list of ${describeType(range.of)}`, expr)
    for (const element of elements ?? []) checkWord(type, element, expr, STRING)
    if (!elements) checkWord(range.of, item, expr, type)
  } else if (range.kind === 'map') {
    if (!isComparable(type, STRING)) throw new InvalidCondition(`${describeType(type)} is never a key of a map`, expr)
    const key = stringLiteral(item)
    if (key !== undefined) typeOfKey(item, range, key)
  } else if (range.kind !== 'any') throw new InvalidCondition(`${describeType(range)} has no elements`, container)
  return BOOL
}
