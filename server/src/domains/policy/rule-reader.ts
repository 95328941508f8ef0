import { isMap, isScalar, type Node } from 'yaml'
import { parseDuration } from '../../platform/lib/clock.ts'
import { CLASSIFICATIONS, RISK_LEVELS } from '../../shared/classification.ts'
import { POLICY_POINTS, type PolicyPoint, VERDICTS } from '../../shared/decision.ts'
import { compileCondition } from './condition/condition.ts'
import type { Environment } from './condition/environment.ts'
import { DIRECTIVE_FORMS, parseDirective } from './directives.ts'
import type { NodeReader } from './node-reader.ts'
import { POLICY_LIMITS, type Rule } from './policy.ts'
import { parseTransform, TRANSFORM_FORMS } from './transforms.ts'

export const NAME = /^[A-Za-z0-9][\w.:-]{0,99}$/

export const RULE_FIELDS = [
  'id',
  'description',
  'at',
  'when',
  'verdict',
  'risk',
  'classification',
  'transforms',
  'directives',
  'hold_expires_in',
  'approvals',
  'on_error',
] as const

/** A rule without any of these fields has no effect. */
const EFFECTS = ['verdict', 'risk', 'classification', 'transforms', 'directives'] as const

type ReadCondition = Pick<Rule, 'when' | 'condition' | 'growth'>

/** Placeholder for a condition with errors. Its rule is never returned. */
const INVALID_CONDITION: ReadCondition = {
  when: '',
  condition: () => 'failed',
  growth: { readsFindings: false, staysTrue: false, needsWhole: undefined },
}

type Fields = ReadonlyMap<string, Node>

export class RuleReader {
  readonly #reader: NodeReader
  readonly #environment: Environment
  readonly #texts: ReadonlyMap<string, string>

  constructor(reader: NodeReader, environment: Environment, texts: ReadonlyMap<string, string>) {
    this.#reader = reader
    this.#environment = environment
    this.#texts = texts
  }

  read(node: Node, path: string): Rule | undefined {
    const errorCount = this.#reader.errors.length
    const fields = this.#reader.readFields(node, path, RULE_FIELDS)
    if (!isMap(node)) return undefined
    for (const name of ['id', 'at', 'when']) {
      if (!node.has(name)) this.#reader.addError(node, `${path}.${name}`, 'is missing')
    }
    const rule = this.#readRule(fields, path)
    this.#checkHold(rule, fields, path)
    if (!EFFECTS.some((name) => node.has(name))) {
      this.#reader.addError(node, path, `has no effect: add one of ${EFFECTS.join(', ')}`)
    }
    return this.#reader.errors.length === errorCount ? rule : undefined
  }

  #readRule(fields: Fields, path: string): Rule {
    const at = this.#readPoints(fields.get('at'), `${path}.at`)
    const risk = this.#readWord(fields, path, 'risk', RISK_LEVELS)
    const classification = this.#readWord(fields, path, 'classification', CLASSIFICATIONS)
    const holdExpiresInMs = this.#readHoldExpiry(fields.get('hold_expires_in'), `${path}.hold_expires_in`)
    const approvals = this.#readApprovals(fields.get('approvals'), `${path}.approvals`)
    return {
      id: this.#readId(fields.get('id'), `${path}.id`),
      description: this.#readDescription(fields.get('description'), `${path}.description`),
      at,
      ...this.#readCondition(fields.get('when'), `${path}.when`, at),
      verdict: this.#readWord(fields, path, 'verdict', VERDICTS) ?? 'allow',
      ...(risk && { risk }),
      ...(classification && { classification }),
      transforms: this.#readObligations(fields, path, 'transforms', (text) =>
        parseTransform(text) ? undefined : `unknown transform; known transforms: ${TRANSFORM_FORMS}`,
      ),
      directives: this.#readObligations(fields, path, 'directives', (text) => this.#directiveProblem(text)),
      ...(holdExpiresInMs !== undefined && { holdExpiresInMs }),
      ...(approvals !== undefined && { approvals }),
      onError: this.#readWord(fields, path, 'on_error', ['deny', 'skip']) ?? 'deny',
    }
  }

  #checkHold(rule: Rule, fields: Fields, path: string): void {
    if (rule.verdict === 'require_approval') return
    for (const name of ['hold_expires_in', 'approvals']) {
      const node = fields.get(name)
      if (node) this.#reader.addError(node, `${path}.${name}`, 'requires verdict: require_approval')
    }
  }

  #readWord<W extends string>(fields: Fields, path: string, name: string, words: readonly W[]): W | undefined {
    const node = fields.get(name)
    return node && this.#reader.readWord(node, `${path}.${name}`, words)
  }

  #readId(node: Node | undefined, path: string): string {
    const id = node && this.#reader.readText(node, path, POLICY_LIMITS.nameLength)
    if (id !== undefined && !NAME.test(id))
      this.#reader.addError(node, path, 'an id must consist of letters, digits, ".", "_", ":" and "-"')
    return id ?? ''
  }

  #readDescription(node: Node | undefined, path: string): string {
    return (node && this.#reader.readText(node, path, POLICY_LIMITS.descriptionLength)) ?? ''
  }

  #readPoints(node: Node | undefined, path: string): readonly PolicyPoint[] {
    const points = this.#reader
      .readItems(node, path, POLICY_POINTS.length)
      .flatMap((item, index) => this.#reader.readWord(item, `${path}[${index}]`, POLICY_POINTS) ?? [])
    if (node && points.length === 0) this.#reader.addError(node, path, `must name at least one of ${POLICY_POINTS.join(', ')}`)
    return [...new Set(points)]
  }

  /** A YAML boolean is read as the CEL literal. */
  #readCondition(node: Node | undefined, path: string, points: readonly PolicyPoint[]): ReadCondition {
    const literal = isScalar(node) && typeof node.value === 'boolean' ? String(node.value) : undefined
    const when = literal ?? (node && this.#reader.readText(node, path, POLICY_LIMITS.conditionLength))
    if (when === undefined) return INVALID_CONDITION
    const compiled = compileCondition(when, points, this.#environment)
    if (compiled.ok) return { when, condition: compiled.condition, growth: compiled.growth }
    this.#reader.addError(node, path, compiled.problem.message, compiled.problem.offset)
    return INVALID_CONDITION
  }

  #readObligations(
    fields: Fields,
    path: string,
    name: string,
    problemOf: (text: string) => string | undefined,
  ): readonly string[] {
    return this.#reader.readItems(fields.get(name), `${path}.${name}`, POLICY_LIMITS.listLength).flatMap((item, index) => {
      const field = `${path}.${name}[${index}]`
      const text = this.#reader.readText(item, field, 200)
      const problem = text === undefined ? undefined : problemOf(text)
      if (problem !== undefined) this.#reader.addError(item, field, problem)
      return text ?? []
    })
  }

  #directiveProblem(text: string): string | undefined {
    const directive = parseDirective(text)
    if (!directive) return `unknown directive; known directives: ${DIRECTIVE_FORMS}`
    if (directive.kind === 'system' && !this.#texts.has(directive.text))
      return `unknown text ${directive.text}: add it under texts:`
    return undefined
  }

  #readHoldExpiry(node: Node | undefined, path: string): number | undefined {
    if (!node) return undefined
    const ms = isScalar(node) && typeof node.value === 'string' ? parseDuration(node.value) : undefined
    if (ms === undefined) return this.#reader.addError(node, path, 'must be a duration such as 30s, 10m, 4h or 2d')
    const { min, max } = POLICY_LIMITS.holdMs
    if (ms < min || ms > max) return this.#reader.addError(node, path, 'must be from 1s to 30d')
    return ms
  }

  #readApprovals(node: Node | undefined, path: string): number | undefined {
    if (!node) return undefined
    const value = isScalar(node) ? node.value : undefined
    const { min, max } = POLICY_LIMITS.approvals
    if (typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max) return value
    return this.#reader.addError(node, path, `must be a whole number from ${min} to ${max}`)
  }
}
