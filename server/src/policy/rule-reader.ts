import { isMap, isScalar, type Node } from 'yaml'
import { CLASSIFICATIONS, RISK_LEVELS } from '../domain/classification.ts'
import { POLICY_POINTS, type PolicyPoint, VERDICTS } from '../domain/decision.ts'
import { parseDuration } from '../lib/clock.ts'
import { compileCondition } from './condition/condition.ts'
import type { Environment } from './condition/environment.ts'
import { DIRECTIVE_FORMS, parseDirective } from './directives.ts'
import type { Reader } from './node-reader.ts'
import { POLICY_LIMITS, type Rule } from './policy.ts'
import { parseTransform, TRANSFORM_FORMS } from './transforms.ts'

/** Names of rules and texts. */
export const NAME = /^[A-Za-z0-9][\w.:-]{0,99}$/

/** What a rule may consist of. */
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
  'on_error',
] as const

/** A rule without any of these would do nothing. */
const DEMANDS = ['verdict', 'risk', 'classification', 'transforms', 'directives'] as const

/** Stands in for a condition with errors, in a rule that nobody will get to see. */
const UNREADABLE: Pick<Rule, 'when' | 'condition'> = { when: '', condition: () => 'failed' }

type Fields = ReadonlyMap<string, Node>

/** Reads one rule after the other; what is wrong with them gathers in the Reader. */
export class RuleReader {
  readonly #reader: Reader
  readonly #environment: Environment
  readonly #texts: ReadonlyMap<string, string>

  constructor(reader: Reader, environment: Environment, texts: ReadonlyMap<string, string>) {
    this.#reader = reader
    this.#environment = environment
    this.#texts = texts
  }

  /** Undefined when the rule cannot be used; the Reader then has at least one error more. */
  read(node: Node, path: string): Rule | undefined {
    const before = this.#reader.errors.length
    const fields = this.#reader.fields(node, path, RULE_FIELDS)
    if (!isMap(node)) return undefined
    for (const name of ['id', 'at', 'when']) {
      if (!node.has(name)) this.#reader.refuse(node, `${path}.${name}`, 'is missing')
    }
    const rule = this.#rule(fields, path)
    this.#checkHold(rule, fields.get('hold_expires_in'), path)
    if (!DEMANDS.some((name) => node.has(name))) {
      this.#reader.refuse(node, path, `demands nothing: give it one of ${DEMANDS.join(', ')}`)
    }
    return this.#reader.errors.length === before ? rule : undefined
  }

  #rule(fields: Fields, path: string): Rule {
    const at = this.#points(fields.get('at'), `${path}.at`)
    const risk = this.#word(fields, path, 'risk', RISK_LEVELS)
    const classification = this.#word(fields, path, 'classification', CLASSIFICATIONS)
    const holdExpiresInMs = this.#holdTime(fields.get('hold_expires_in'), `${path}.hold_expires_in`)
    return {
      id: this.#id(fields.get('id'), `${path}.id`),
      description: this.#description(fields.get('description'), `${path}.description`),
      at,
      ...this.#when(fields.get('when'), `${path}.when`, at),
      verdict: this.#word(fields, path, 'verdict', VERDICTS) ?? 'allow',
      ...(risk && { risk }),
      ...(classification && { classification }),
      transforms: this.#each(fields, path, 'transforms', (text) =>
        parseTransform(text) ? undefined : `unknown transform; known are ${TRANSFORM_FORMS}`,
      ),
      directives: this.#each(fields, path, 'directives', (text) => this.#directiveProblem(text)),
      ...(holdExpiresInMs !== undefined && { holdExpiresInMs }),
      onError: this.#word(fields, path, 'on_error', ['deny', 'skip']) ?? 'deny',
    }
  }

  #checkHold(rule: Rule, hold: Node | undefined, path: string): void {
    if (hold && rule.verdict !== 'require_approval') {
      this.#reader.refuse(hold, `${path}.hold_expires_in`, 'needs verdict: require_approval')
    }
  }

  #word<W extends string>(fields: Fields, path: string, name: string, words: readonly W[]): W | undefined {
    const node = fields.get(name)
    return node && this.#reader.word(node, `${path}.${name}`, words)
  }

  #id(node: Node | undefined, path: string): string {
    const id = node && this.#reader.text(node, path, POLICY_LIMITS.nameLength)
    if (id !== undefined && !NAME.test(id))
      this.#reader.refuse(node, path, 'an id is made of letters, digits, ".", "_", ":" and "-"')
    return id ?? ''
  }

  #description(node: Node | undefined, path: string): string {
    return (node && this.#reader.text(node, path, POLICY_LIMITS.descriptionLength)) ?? ''
  }

  #points(node: Node | undefined, path: string): readonly PolicyPoint[] {
    const points = this.#reader
      .items(node, path, POLICY_POINTS.length)
      .flatMap((item, index) => this.#reader.word(item, `${path}[${index}]`, POLICY_POINTS) ?? [])
    if (node && points.length === 0) this.#reader.refuse(node, path, `must name at least one of ${POLICY_POINTS.join(', ')}`)
    return [...new Set(points)]
  }

  /** YAML's own `true` and `false` are taken for CEL's. */
  #when(node: Node | undefined, path: string, points: readonly PolicyPoint[]): Pick<Rule, 'when' | 'condition'> {
    const literal = isScalar(node) && typeof node.value === 'boolean' ? String(node.value) : undefined
    const when = literal ?? (node && this.#reader.text(node, path, POLICY_LIMITS.conditionLength))
    if (when === undefined) return UNREADABLE
    const compiled = compileCondition(when, points, this.#environment)
    if (compiled.ok) return { when, condition: compiled.condition }
    this.#reader.refuse(node, path, compiled.problem.message, compiled.problem.offset)
    return UNREADABLE
  }

  #each(fields: Fields, path: string, name: string, problemOf: (text: string) => string | undefined): readonly string[] {
    return this.#reader.items(fields.get(name), `${path}.${name}`, POLICY_LIMITS.listLength).flatMap((item, index) => {
      const field = `${path}.${name}[${index}]`
      const text = this.#reader.text(item, field, 200)
      const problem = text === undefined ? undefined : problemOf(text)
      if (problem !== undefined) this.#reader.refuse(item, field, problem)
      return text ?? []
    })
  }

  #directiveProblem(text: string): string | undefined {
    const directive = parseDirective(text)
    if (!directive) return `unknown directive; known are ${DIRECTIVE_FORMS}`
    if (directive.kind === 'system' && !this.#texts.has(directive.text)) return `there is no text ${directive.text} under texts:`
    return undefined
  }

  #holdTime(node: Node | undefined, path: string): number | undefined {
    if (!node) return undefined
    const ms = isScalar(node) && typeof node.value === 'string' ? parseDuration(node.value) : undefined
    if (ms === undefined) return this.#reader.refuse(node, path, 'must be a duration: 30s, 10m, 4h, 2d')
    const { min, max } = POLICY_LIMITS.holdMs
    if (ms < min || ms > max) return this.#reader.refuse(node, path, 'must be from 1s to 30d')
    return ms
  }
}
