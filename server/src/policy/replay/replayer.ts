import type { Classification, RiskLevel } from '../../domain/classification.ts'
import { type DecidingRule, type Decision, type PolicyPoint, stricterVerdict, type Verdict } from '../../domain/decision.ts'
import type { CompiledPolicy } from '../compile.ts'
import { mergeDecisions } from '../evaluate.ts'
import type { Rule } from '../policy.ts'
import { type Reading, readingOf } from './hashed-names.ts'
import type { StoredInput } from './stored-input.ts'
import type { StoredPoint, StoredRequest } from './stored-request.ts'

/** What policies demanded of an exchange, or would. Obligations as demanded, whether or not there was anything to change. */
export interface ReplayedDecision {
  readonly verdict: Verdict
  /** What rules raise it to at least. */
  readonly classification: Classification
  readonly risk: RiskLevel
  readonly transforms: readonly string[]
  readonly directives: readonly string[]
  readonly rules: readonly DecidingRule[]
}

/** A rule of which a record does not tell whether it would have matched. */
export interface UndecidedRule {
  readonly rule: string
  readonly point: PolicyPoint
  /** The name that it reads and the record does not hold; undefined: the point as a whole is not stored. */
  readonly missing: string | undefined
  /** Another rule had ended the exchange before this point. */
  readonly unreached: boolean
}

export interface ReplayResult {
  readonly before: ReplayedDecision
  /** Without the unknown rules. */
  readonly after: ReplayedDecision
  readonly unknown: readonly UndecidedRule[]
  /** `unknown`: it depends on rules that cannot be replayed. */
  readonly kind: 'unchanged' | 'changed' | 'unknown'
}

type Outcome = boolean | string | undefined

/**
 * Decides again on what records tell, under a draft. A rule whose condition stood in the policy that decided then has the outcome
 * that the record has, even where it read a text; only conditions that are new are asked, of what is stored.
 */
export class Replayer {
  readonly #draft: CompiledPolicy
  readonly #readings = new Map<Rule, Reading>()

  constructor(draft: CompiledPolicy) {
    this.#draft = draft
    for (const rule of rulesOf(draft)) this.#readings.set(rule, readingOf(rule.when))
  }

  /** Texts that hashed names are compared with. */
  get compared(): Reading['compared'] {
    return [...this.#readings.values()].flatMap(({ compared }) => compared)
  }

  /** `decided`: the policy that was in force then; undefined: none. */
  replay(exchange: StoredRequest, decided: CompiledPolicy | undefined): ReplayResult {
    const before = walk(exchange, decided, (rule, { point }) => recorded(exchange, rule, point))
    const now = walk(exchange, this.#draft, (rule, at, unknown) => {
      const known = carriedOver(exchange, decided, rule, at.point)
      return known === undefined ? this.#ask(rule, at, unknown) : known
    })
    // Fields that hold already differ, whatever the unknown rules say; what they may add is known, too.
    const kind = differs(before.demand, now.demand, now.possible) ? 'changed' : now.unknown.length > 0 ? 'unknown' : 'unchanged'
    return { before: before.demand, after: now.demand, unknown: now.unknown, kind }
  }

  /** Undefined: the record does not tell. */
  #ask(rule: Rule, { point, input }: StoredPoint, unknown: UndecidedRule[]): Outcome {
    if (!input) {
      unknown.push({ rule: rule.id, point, missing: undefined, unreached: false })
      return undefined
    }
    input.begin(this.#readings.get(rule)?.freely ?? new Set())
    const outcome = outcomeOf(rule, input)
    if (typeof outcome === 'boolean' || input.missing === undefined) return outcome
    unknown.push({ rule: rule.id, point, missing: input.missing, unreached: false })
    return undefined
  }
}

function outcomeOf(rule: Rule, { input, bindings }: StoredInput): boolean | string {
  try {
    return rule.condition(input, bindings)
  } catch {
    return 'failed'
  }
}

const rulesOf = ({ rules }: CompiledPolicy): Set<Rule> => new Set(Object.values(rules).flat())

function recorded({ rules }: StoredRequest, { id }: Rule, point: PolicyPoint): Outcome {
  const found = rules.find((rule) => rule.id === id && rule.point === point)
  return found ? (found.error ?? true) : false
}

/** What the record says of a condition that stood in the policy then, under whatever name. */
function carriedOver(exchange: StoredRequest, decided: CompiledPolicy | undefined, rule: Rule, point: PolicyPoint): Outcome {
  const same = decided?.rules[point].find(
    ({ when, onError }) => when === rule.when && (onError === 'deny' || rule.onError === 'skip'),
  )
  return same && recorded(exchange, same, point)
}

type Ask = (rule: Rule, at: StoredPoint, unknown: UndecidedRule[]) => Outcome

interface Walked {
  readonly demand: ReplayedDecision
  /** With every unknown rule. */
  readonly possible: ReplayedDecision
  readonly unknown: readonly UndecidedRule[]
}

const NOTHING: Decision = { verdict: 'allow', classification: 'public', risk: 'low', transforms: [], directives: [], rules: [] }

/** From point to point, as the pipeline goes, until one ends it. */
function walk({ points, rules }: StoredRequest, policy: CompiledPolicy | undefined, ask: Ask): Walked {
  const unknown: UndecidedRule[] = []
  let demand = NOTHING
  let possible = NOTHING
  for (const at of points) {
    const own = policy?.rules[at.point] ?? []
    if (at.state === 'unused' || (at.disabledBy !== undefined && demand.directives.includes(at.disabledBy))) continue
    if (at.state === 'unreached') {
      for (const rule of own) {
        unknown.push({ rule: rule.id, point: at.point, missing: undefined, unreached: true })
        possible = mergeDecisions(possible, matched(rule, at))
      }
      continue
    }
    let here = faultsAt(rules, at, policy)
    let perhaps = here
    for (const rule of own) {
      const outcome = ask(rule, at, unknown)
      if (outcome === undefined) perhaps = mergeDecisions(perhaps, matched(rule, at))
      const said = outcome === true ? matched(rule, at) : broken(rule, at, outcome)
      if (said) [here, perhaps] = [mergeDecisions(here, said), mergeDecisions(perhaps, said)]
    }
    demand = mergeDecisions(demand, here)
    possible = mergeDecisions(possible, perhaps)
    if (at.endingVerdicts.includes(here.verdict)) break
  }
  return { demand, possible, unknown }
}

function matched(
  { id, verdict, risk, classification, transforms, directives }: Rule,
  { point, effectiveVerdicts }: StoredPoint,
): Decision {
  return {
    verdict: effectiveVerdicts[verdict] ?? verdict,
    classification: classification ?? NOTHING.classification,
    risk: risk ?? NOTHING.risk,
    transforms,
    directives,
    rules: [{ id, point, verdict }],
  }
}

function broken({ id, onError }: Rule, { point, effectiveVerdicts }: StoredPoint, outcome: Outcome): Decision | undefined {
  if (typeof outcome !== 'string' || onError === 'skip') return undefined
  return { ...NOTHING, verdict: effectiveVerdicts.deny ?? 'deny', rules: [{ id, point, verdict: 'deny', error: outcome }] }
}

/** Detectors and transforms that broke down then: no rule's doing. */
function faultsAt(
  rules: readonly DecidingRule[],
  { point, effectiveVerdicts }: StoredPoint,
  policy: CompiledPolicy | undefined,
): Decision {
  const own = new Set(policy?.rules[point].map(({ id }) => id))
  const faults = rules.filter((rule) => rule.point === point && rule.error === 'failed' && isFault(rule.id) && !own.has(rule.id))
  if (faults.length === 0) return NOTHING
  return { ...NOTHING, verdict: effectiveVerdicts.deny ?? 'deny', rules: faults }
}

const isFault = (id: string): boolean => id === 'transform' || id.startsWith('detector:')

/** Whether two demands differ for certain, where everything between `after` and `possible` may be. */
function differs(before: ReplayedDecision, after: ReplayedDecision, possible: ReplayedDecision): boolean {
  const certain = <T>(read: (demand: ReplayedDecision) => readonly T[]): boolean => {
    const [had, has, may] = [new Set(read(before)), new Set(read(after)), new Set(read(possible))]
    return [...has].some((one) => !had.has(one)) || [...had].some((one) => !may.has(one))
  }
  const beyond =
    stricterVerdict(after.verdict, before.verdict) !== before.verdict ||
    stricterVerdict(possible.verdict, before.verdict) !== possible.verdict
  return (
    beyond ||
    certain(({ transforms }) => transforms) ||
    certain(({ directives }) => directives) ||
    certain(({ rules }) => rules.map(({ id, point, verdict, error = '' }) => `${point} ${id} ${verdict} ${error}`)) ||
    raisedOtherwise(before, after, possible)
  )
}

const raisedOtherwise = (before: ReplayedDecision, after: ReplayedDecision, possible: ReplayedDecision): boolean =>
  after.classification === possible.classification &&
  after.risk === possible.risk &&
  (before.classification !== after.classification || before.risk !== after.risk)
