import type { PolicyPoint } from '../../domain/decision.ts'
import { checkArguments, checkScales, checkWord, rankType } from './check-arguments.ts'
import type { Environment } from './environment.ts'
import { FUNCTIONS, METHODS } from './functions.ts'
import { callOf, dottedName, type Expr, operator, Refusal, stringLiteral } from './syntax.ts'
import { ANY, ANY_LIST, BOOL, comparable, INT, joined, named, STRING, type Type } from './value-types.ts'
import { fieldsOf, GROUP_POINTS, ROOTS, VARIABLES } from './variables.ts'

/** What the checker knows on its way through a condition. */
interface Scope {
  readonly environment: Environment
  readonly points: readonly PolicyPoint[]
  /** Loop variables around this place. */
  readonly locals: ReadonlyMap<string, Type>
  /** How many lists are being gone through at once around this place. */
  readonly loops: number
}

/**
 * Lists come from callers (`user.attributes`), so what a condition may do with them is bounded: two may be gone through one inside
 * the other. `map` and `filter` count as two, because the library builds their answer in quadratic time.
 */
const MAX_LOOPS = 2

/**
 * Makes sure, before a set is published, that a condition names only what exists at all of its points, compares what can be
 * compared and gives a boolean. The library has no checker for more than constants and names. Throws Refusal.
 */
export function checkCondition(expr: Expr, environment: Environment, points: readonly PolicyPoint[]): void {
  const type = typeOf(expr, { environment, points, locals: new Map(), loops: 0 })
  if (type.kind !== 'bool' && type.kind !== 'any')
    throw new Refusal(`this is ${named(type)}, and a condition must be true or false`, expr)
}

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
      return { kind: 'list', of: joined(exprKind.value.elements.map((element) => typeOf(element, scope))) }
    case 'structExpr':
      return typeOfMap(expr, exprKind.value, scope)
    case 'comprehensionExpr':
      return typeOfLoop(expr, exprKind.value, scope)
    default:
      throw new Refusal('this is no expression', expr)
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
      if (BigInt.asIntN(64, constant.value) !== constant.value) throw new Refusal('this number is beyond 64 bits', expr)
      return INT
    default:
      throw new Refusal('bytes and unsigned numbers have no use here: no variable holds any', expr)
  }
}

function typeOfName(expr: Expr, name: string, scope: Scope): Type {
  const local = scope.locals.get(name)
  if (local) return local
  const variable = VARIABLES.get(name)
  if (variable) return variable.type
  if (ROOTS.has(name))
    throw new Refusal(`${name} is no value of its own, only its fields are: ${fieldsOf(name).join(', ')}`, expr)
  throw new Refusal(`there is no ${name}; known are ${[...ROOTS].join(', ')}`, expr)
}

function typeOfSelect(expr: Expr, { operand, field, testOnly }: Select, scope: Scope): Type {
  if (!operand) throw new Refusal('this is no expression', expr)
  const group = dottedName(operand)
  if (group !== undefined && ROOTS.has(group) && !VARIABLES.has(group)) {
    const known = GROUP_POINTS.get(group)
    const missing = known && scope.points.find((point) => !known.includes(point))
    if (missing) throw new Refusal(`${group} is not known at ${missing}, only at ${known.join(', ')}`, operand)
    const variable = VARIABLES.get(`${group}.${field}`)
    if (!variable) throw new Refusal(`${group} has no field ${field}; it has ${fieldsOf(group).join(', ')}`, expr)
    if (testOnly) throw new Refusal(`${group}.${field} is always there: compare it with "", 0 or null instead of has()`, expr)
    return variable.type
  }
  const type = typeOf(operand, scope)
  if (type.kind !== 'map' && type.kind !== 'any') throw new Refusal(`${named(type)} has no field ${field}`, expr)
  const value = typeOfKey(expr, type, field)
  return testOnly ? BOOL : value
}

/** The type of a value in a map, under a key known beforehand. */
function typeOfKey(expr: Expr, type: Type, key: string): Type {
  if (type.kind !== 'map') return ANY
  if (type.keys && !type.keys.has(key)) throw new Refusal(`there is no ${key}; known are ${[...type.keys].join(', ')}`, expr)
  return type.of
}

function typeOfMap(expr: Expr, { messageName, entries }: Struct, scope: Scope): Type {
  if (messageName !== '') throw new Refusal(`there is no type ${messageName}`, expr)
  const values = entries.map(({ keyKind, value }) => {
    const key = keyKind.case === 'mapKey' ? typeOf(keyKind.value, scope) : undefined
    if (!value || (key?.kind !== 'string' && key?.kind !== 'any')) throw new Refusal('the keys of a map must be text', expr)
    return typeOf(value, scope)
  })
  return { kind: 'map', of: joined(values) }
}

function typeOfLoop(expr: Expr, loop: Comprehension, scope: Scope): Type {
  const { iterRange, iterVar, accuInit, accuVar, loopCondition, loopStep, result } = loop
  if (!iterRange || !accuInit || !loopCondition || !loopStep || !result) throw new Refusal('this is no expression', expr)
  if (ROOTS.has(iterVar)) throw new Refusal(`${iterVar} already has a meaning: name the loop variable otherwise`, expr)
  const range = typeOf(iterRange, scope)
  const item = range.kind === 'list' ? range.of : range.kind === 'map' ? STRING : range.kind === 'any' ? ANY : undefined
  if (!item) throw new Refusal(`${named(range)} is no list to go through`, iterRange)
  const sum = typeOf(accuInit, scope)
  const inside = deeper(scope, sum.kind === 'list' ? 2 : 1, expr)
  const locals = new Map([...scope.locals, [accuVar, sum.kind === 'list' ? ANY_LIST : sum], [iterVar, item]])
  typeOf(loopCondition, { ...inside, locals })
  typeOf(loopStep, { ...inside, locals })
  return typeOf(result, { ...scope, locals })
}

function deeper(scope: Scope, by: number, expr: Expr): Scope {
  const loops = scope.loops + by
  if (loops > MAX_LOOPS) {
    throw new Refusal('too many lists inside one another: two at most, map and filter only on the outside', expr)
  }
  return { ...scope, loops }
}

function typeOfCall(expr: Expr, scope: Scope): Type {
  const call = callOf(expr)
  if (!call) throw new Refusal('this is no expression', expr)
  const { name, method, args } = call
  if (name === '_[_]') return typeOfIndex(expr, args, scope)
  if (name === '@in') return typeOfIn(expr, args, scope)
  const types = args.map((arg) => typeOf(arg, scope))
  if (name === '_==_' || name === '_!=_') return typeOfEquality(expr, args, types)
  if (name === '_?_:_') return typeOfChoice(expr, args, types)
  const overloads = (method ? METHODS : FUNCTIONS).get(name)
  if (!overloads) throw new Refusal(`there is no function ${name}`, expr)
  const fitting = overloads.filter(({ args: kinds }) => fits(kinds, types))
  const [first] = fitting
  if (!first) throw new Refusal(`${operator(name)} does not take ${types.map(named).join(' and ') || 'nothing'}`, expr)
  checkArguments({ expr, name, args, types }, scope.environment)
  if (name === 'rank') return rankType(args[0], types[0])
  return fitting.every(({ result }) => result === first.result) ? plain(first.result) : ANY
}

const fits = (kinds: readonly Type['kind'][], types: readonly Type[]): boolean =>
  kinds.length === types.length && kinds.every((kind, i) => kind === 'any' || types[i]?.kind === 'any' || types[i]?.kind === kind)

const plain = (kind: Type['kind']): Type => (kind === 'list' ? ANY_LIST : kind === 'map' ? { kind, of: ANY } : { kind })

function typeOfEquality(expr: Expr, args: readonly Expr[], types: readonly Type[]): Type {
  const [a = ANY, b = ANY] = types
  if (!comparable(a, b)) throw new Refusal(`${named(a)} and ${named(b)} are never equal`, expr)
  checkScales(expr, a, b)
  checkWord(a, args[1], expr, b)
  checkWord(b, args[0], expr, a)
  return BOOL
}

function typeOfChoice(expr: Expr, args: readonly Expr[], [condition = ANY, a = ANY, b = ANY]: readonly Type[]): Type {
  if (condition.kind !== 'bool' && condition.kind !== 'any')
    throw new Refusal(`${named(condition)} is neither true nor false`, args[0])
  const type = joined([a, b])
  if (type.kind === 'any' && a.kind !== 'any' && b.kind !== 'any') {
    throw new Refusal(`both sides of ? : must be of one kind, not ${named(a)} and ${named(b)}`, expr)
  }
  return type
}

function typeOfIndex(expr: Expr, args: readonly Expr[], scope: Scope): Type {
  const [operand, index] = args
  if (!operand || !index) throw new Refusal('this is no expression', expr)
  const type = typeOf(operand, scope)
  const key = typeOf(index, scope)
  const wanted = type.kind === 'list' ? 'int' : type.kind === 'map' ? 'string' : type.kind === 'any' ? key.kind : undefined
  if (!wanted) throw new Refusal(`${named(type)} has nothing inside`, expr)
  if (key.kind !== wanted && key.kind !== 'any') throw new Refusal(`${named(type)} is not asked by ${named(key)}`, index)
  if (type.kind === 'list') return type.of
  const literal = stringLiteral(index)
  if (literal !== undefined) return typeOfKey(index, type, literal)
  return type.kind === 'map' ? type.of : ANY
}

function typeOfIn(expr: Expr, args: readonly Expr[], scope: Scope): Type {
  const [item, container] = args
  if (!item || !container) throw new Refusal('this is no expression', expr)
  const type = typeOf(item, scope)
  const elements = container.exprKind.case === 'listExpr' ? container.exprKind.value.elements : undefined
  const range = typeOf(container, scope)
  if (!elements && range.kind !== 'map') deeper(scope, 1, expr)
  if (range.kind === 'list') {
    if (!comparable(type, range.of)) throw new Refusal(`${named(type)} is never in a list of ${named(range.of)}`, expr)
    for (const element of elements ?? []) checkWord(type, element, expr, STRING)
  } else if (range.kind === 'map') {
    if (!comparable(type, STRING)) throw new Refusal(`${named(type)} is never a key of a map`, expr)
    const key = stringLiteral(item)
    if (key !== undefined) typeOfKey(item, range, key)
  } else if (range.kind !== 'any') throw new Refusal(`${named(range)} has nothing inside`, container)
  return BOOL
}
