import { isCelError, plan } from '@bufbuild/cel'
import type { PolicyPoint } from '../../../shared/decision.ts'
import type { PolicyInput } from '../input.ts'
import type { Bindings } from './bindings.ts'
import { checkCondition } from './check.ts'
import { redirectToForms } from './content-form-calls.ts'
import { oppositePolarity, type Polarity } from './content-forms.ts'
import { compileDirectTest } from './direct-test.ts'
import type { Environment } from './environment.ts'
import { type Growth, growthOf, readNames } from './growth.ts'
import { addLoopCosts } from './loop-costs.ts'
import { type ConditionProblem, callOf, type Expr, InvalidCondition, offsetOf, parseCondition } from './syntax.ts'

/** Reason why a condition failed, for audit records. It never contains a value that the condition read. */
type ConditionError = 'missing_value' | 'wrong_type' | 'out_of_range' | 'not_boolean' | 'too_complex' | 'failed'

type Outcome = boolean | ConditionError

/** Never throws. */
export type Condition = (input: PolicyInput, bindings: Bindings) => Outcome

export function compileCondition(
  source: string,
  points: readonly PolicyPoint[],
  environment: Environment,
): { ok: true; condition: Condition; growth: Growth; reads: readonly string[] } | { ok: false; problem: ConditionProblem } {
  const parsed = parseCondition(source)
  if ('message' in parsed) return { ok: false, problem: parsed }
  if (!parsed.expr) return { ok: false, problem: { message: 'the condition is empty', offset: 0 } }
  try {
    checkCondition(parsed.expr, environment, points)
    const growth = growthOf(parsed.expr)
    const reads = [...new Set(readNames(parsed.expr))]
    addLoopCosts(parsed.expr)
    return { ok: true, condition: compile(parsed.expr, environment, 'restricts'), growth, reads }
  } catch (error) {
    if (!(error instanceof InvalidCondition)) throw error
    return { ok: false, problem: { message: error.message, offset: offsetOf(parsed, error.expr) } }
  }
}

/** Logic is evaluated here, as in CEL (under `&&` false wins over an error), so that each operand can become a direct test. */
function compile(expr: Expr, environment: Environment, polarity: Polarity): Condition {
  const call = callOf(expr)
  const compileOperands = (operandPolarity = polarity): Condition[] =>
    call?.args.map((arg) => compile(arg, environment, operandPolarity)) ?? []
  if (call?.name === '_&&_') return combine(compileOperands(), false)
  if (call?.name === '_||_') return combine(compileOperands(), true)
  if (call?.name === '!_') {
    const [operand] = compileOperands(oppositePolarity(polarity))
    if (operand) return negate(operand)
  }
  return compileDirect(expr, environment, polarity) ?? compileWithLibrary(expr, environment, polarity)
}

/** An operand with the outcome `winner` decides. Without one, the first error is the outcome. */
function combine(operands: readonly Condition[], winner: boolean): Condition {
  return (input, bindings) => {
    let combined: Outcome = !winner
    for (const operand of operands) {
      const outcome = operand(input, bindings)
      if (outcome === winner) return winner
      if (typeof outcome === 'string' && typeof combined !== 'string') combined = outcome
    }
    return combined
  }
}

const negate =
  (operand: Condition): Condition =>
  (input, bindings) => {
    const outcome = operand(input, bindings)
    return typeof outcome === 'string' ? outcome : !outcome
  }

function compileDirect(expr: Expr, environment: Environment, polarity: Polarity): Condition | undefined {
  const test = compileDirectTest(expr, environment, polarity)
  if (!test) return undefined
  return (input) => {
    try {
      return test(input)
    } catch (error) {
      return toConditionError(error)
    }
  }
}

function compileWithLibrary(expr: Expr, environment: Environment, polarity: Polarity): Condition {
  redirectToForms(expr, polarity)
  const evaluate = plan(environment.cel, expr)
  return (_, bindings) => {
    environment.work.begin(bindings.budget)
    const result = evaluate(bindings as unknown as Parameters<typeof evaluate>[0])
    if (typeof result === 'boolean') return result
    return isCelError(result) ? toConditionError(result) : 'not_boolean'
  }
}

/** By the messages of the library and of this folder. */
const ERRORS: readonly [RegExp, ConditionError][] = [
  [/^(field not found|unresolved attribute|index .* out of bounds)/, 'missing_value'],
  [/^(found no matching overload|type mismatch|unsupported key)/, 'wrong_type'],
  [/overflow|divide by zero|modulus by zero|out of range|more than|neither a classification/, 'out_of_range'],
  [/too complex/, 'too_complex'],
]

function toConditionError(error: unknown): ConditionError {
  const message = error instanceof Error ? error.message : ''
  return ERRORS.find(([pattern]) => pattern.test(message))?.[1] ?? 'failed'
}
