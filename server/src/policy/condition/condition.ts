import { isCelError, plan } from '@bufbuild/cel'
import type { PolicyPoint } from '../../domain/decision.ts'
import type { PolicyInput } from '../input.ts'
import type { Bindings } from './bindings.ts'
import { checkCondition } from './check.ts'
import { lookAtForms } from './content-form-calls.ts'
import { opposite, type Polarity } from './content-forms.ts'
import { directTest } from './direct-test.ts'
import type { Environment } from './environment.ts'
import { countLoops } from './loop-costs.ts'
import { type ConditionProblem, callOf, type Expr, offsetOf, parseCondition, Refusal } from './syntax.ts'

/** Why a condition broke, in a word that goes into records: never a part of what it looked at. */
type ConditionError = 'missing_value' | 'wrong_type' | 'out_of_range' | 'not_boolean' | 'too_complex' | 'failed'

/** What a condition says; it never throws. */
type Outcome = boolean | ConditionError

export type Condition = (input: PolicyInput, bindings: Bindings) => Outcome

/** Checks a condition for use at all of `points`, and compiles it once. */
export function compileCondition(
  source: string,
  points: readonly PolicyPoint[],
  environment: Environment,
): { ok: true; condition: Condition } | { ok: false; problem: ConditionProblem } {
  const parsed = parseCondition(source)
  if ('message' in parsed) return { ok: false, problem: parsed }
  if (!parsed.expr) return { ok: false, problem: { message: 'there is no condition', offset: 0 } }
  try {
    checkCondition(parsed.expr, environment, points)
    countLoops(parsed.expr)
    return { ok: true, condition: compile(parsed.expr, environment, 'restricts') }
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return { ok: false, problem: { message: error.message, offset: offsetOf(parsed, error.expr) } }
  }
}

/**
 * `&&`, `||` and `!` are worked out here, in CEL's own logic of three values (false wins over an error under `&&`, true under
 * `||`), so that each part beneath them can go the fast way or the library's.
 */
function compile(expr: Expr, environment: Environment, polarity: Polarity): Condition {
  const call = callOf(expr)
  const parts = (at = polarity): Condition[] => call?.args.map((arg) => compile(arg, environment, at)) ?? []
  if (call?.name === '_&&_') return decided(parts(), false)
  if (call?.name === '_||_') return decided(parts(), true)
  if (call?.name === '!_') {
    const [part] = parts(opposite(polarity))
    if (part) return negated(part)
  }
  return fromHere(expr, environment, polarity) ?? fromLibrary(expr, environment, polarity)
}

/** One part that says `winner` decides; else the first error; else all agree on the opposite. */
function decided(parts: readonly Condition[], winner: boolean): Condition {
  return (input, bindings) => {
    let outcome: Outcome = !winner
    for (const part of parts) {
      const said = part(input, bindings)
      if (said === winner) return winner
      if (typeof said === 'string' && typeof outcome !== 'string') outcome = said
    }
    return outcome
  }
}

const negated =
  (part: Condition): Condition =>
  (input, bindings) => {
    const said = part(input, bindings)
    return typeof said === 'string' ? said : !said
  }

function fromHere(expr: Expr, environment: Environment, polarity: Polarity): Condition | undefined {
  const test = directTest(expr, environment, polarity)
  if (!test) return undefined
  return (input) => {
    try {
      return test(input)
    } catch (error) {
      return nameOf(error)
    }
  }
}

function fromLibrary(expr: Expr, environment: Environment, polarity: Polarity): Condition {
  lookAtForms(expr, polarity)
  const evaluate = plan(environment.cel, expr)
  return (_, bindings) => {
    environment.work.begin(bindings.budget)
    const result = evaluate(bindings as unknown as Parameters<typeof evaluate>[0])
    if (typeof result === 'boolean') return result
    return isCelError(result) ? nameOf(result) : 'not_boolean'
  }
}

const NAMES: readonly [RegExp, ConditionError][] = [
  [/^(field not found|unresolved attribute|index .* out of bounds)/, 'missing_value'],
  [/^(found no matching overload|type mismatch|unsupported key)/, 'wrong_type'],
  [/overflow|divide by zero|modulus by zero|out of range|more than|neither a classification/, 'out_of_range'],
  [/too complex/, 'too_complex'],
]

function nameOf(error: unknown): ConditionError {
  const message = error instanceof Error ? error.message : ''
  return NAMES.find(([pattern]) => pattern.test(message))?.[1] ?? 'failed'
}
