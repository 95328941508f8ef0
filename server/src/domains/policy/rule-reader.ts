import { isMap, isScalar, type Node } from 'yaml'
import { parseDuration } from '../../platform/lib/clock.ts'
import { CLASSIFICATIONS, RISK_LEVELS } from '../../shared/classification.ts'
import { POLICY_POINTS, type PolicyPoint, VERDICTS } from '../../shared/decision.ts'
import { compileCondition } from './condition/condition.ts'
import type { Environment } from './condition/environment.ts'
import { didYouMean } from './did-you-mean.ts'
import { DIRECTIVE_FORMS, parseDirective } from './directives.ts'
import type { NodeReader } from './node-reader.ts'
import { POLICY_LIMITS, type Rule } from './policy.ts'
import { parseTransform, SPAN_TRANSFORM_NAMES, TRANSFORM_FORMS } from './transforms.ts'

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

type ReadCondition = Pick<Rule, 'when' | 'condition' | 'growth' | 'reads'>

/** Placeholder for a condition with errors. Its rule is never returned. */
const INVALID_CONDITION: ReadCondition = {
  when: '',
  condition: () => 'failed',
  growth: { reads: [], staysTrue: false, needsWhole: undefined },
  reads: [],
}

interface RuleContext {
  readonly reader: NodeReader
  readonly environment: Environment
  readonly texts: ReadonlyMap<string, string>
}

type Read<T> = (reader: NodeReader, node: Node, path: string) => T | undefined

export function readRule(node: Node, path: string, { reader, environment, texts }: RuleContext): Rule | undefined {
  const errorCount = reader.errors.length
  const fields = reader.readFields(node, path, RULE_FIELDS)
  if (!isMap(node)) return undefined
  for (const name of ['id', 'at', 'when']) if (!node.has(name)) reader.addError(node, `${path}.${name}`, 'is missing')

  const read = <T>(name: (typeof RULE_FIELDS)[number], value: Read<T>): T | undefined => {
    const field = fields.get(name)
    return field && value(reader, field, `${path}.${name}`)
  }
  const word = <W extends string>(name: (typeof RULE_FIELDS)[number], words: readonly W[]) =>
    read(name, (_, field, place) => reader.readWord(field, place, words))
  const at = read('at', readPoints) ?? []
  const risk = word('risk', RISK_LEVELS)
  const classification = word('classification', CLASSIFICATIONS)
  const readDirectives = readObligations((text) => directiveProblem(text, texts))
  const holdExpiresInMs = read('hold_expires_in', readHoldExpiry)
  const approvals = read('approvals', readApprovals)
  const rule: Rule = {
    id: read('id', readId) ?? '',
    description: read('description', (_, field, place) => reader.readText(field, place, POLICY_LIMITS.descriptionLength)) ?? '',
    at,
    ...(read('when', readCondition(at, environment)) ?? INVALID_CONDITION),
    verdict: word('verdict', VERDICTS) ?? 'allow',
    ...(risk && { risk }),
    ...(classification && { classification }),
    transforms: read('transforms', readObligations(transformProblem)) ?? [],
    directives: read('directives', readDirectives) ?? [],
    ...(holdExpiresInMs !== undefined && { holdExpiresInMs }),
    ...(approvals !== undefined && { approvals }),
    onError: word('on_error', ['deny', 'skip']) ?? 'deny',
  }
  if (rule.verdict !== 'require_approval') for (const name of ['hold_expires_in', 'approvals'] as const) read(name, refuseHold)
  if (!EFFECTS.some((name) => node.has(name))) reader.addError(node, path, `has no effect: add one of ${EFFECTS.join(', ')}`)
  if (NAME.test(rule.id)) nameRule(reader, errorCount, rule.id)
  return reader.errors.length === errorCount ? rule : undefined
}

/** Adds the id of a rule to its errors, which are the last ones. */
function nameRule({ errors }: NodeReader, from: number, rule: string): void {
  errors.push(...errors.splice(from).map((error) => ({ ...error, rule })))
}

const refuseHold: Read<never> = (reader, node, path) => reader.addError(node, path, 'requires verdict: require_approval')

const readId: Read<string> = (reader, node, path) => {
  const id = reader.readText(node, path, POLICY_LIMITS.nameLength)
  if (id !== undefined && !NAME.test(id))
    reader.addError(node, path, 'an id must consist of letters, digits, ".", "_", ":" and "-"')
  return id
}

const readPoints: Read<readonly PolicyPoint[]> = (reader, node, path) => {
  const points = reader
    .readItems(node, path, POLICY_POINTS.length)
    .flatMap((item, index) => reader.readWord(item, `${path}[${index}]`, POLICY_POINTS) ?? [])
  if (points.length === 0) reader.addError(node, path, `must name at least one of ${POLICY_POINTS.join(', ')}`)
  return [...new Set(points)]
}

/** A YAML boolean is read as the CEL literal. */
const readCondition =
  (points: readonly PolicyPoint[], environment: Environment): Read<ReadCondition> =>
  (reader, node, path) => {
    const literal = isScalar(node) && typeof node.value === 'boolean' ? String(node.value) : undefined
    const when = literal ?? reader.readText(node, path, POLICY_LIMITS.conditionLength)
    if (when === undefined) return undefined
    const compiled = compileCondition(when, points, environment)
    if (!compiled.ok) return reader.addError(node, path, compiled.problem.message, compiled.problem.offset)
    const { condition, growth, reads } = compiled
    return { when, condition, growth, reads }
  }

const readObligations =
  (problemOf: (text: string) => string | undefined): Read<readonly string[]> =>
  (reader, node, path) =>
    reader.readItems(node, path, POLICY_LIMITS.listLength).flatMap((item, index) => {
      const text = reader.readText(item, `${path}[${index}]`, 200)
      const problem = text === undefined ? undefined : problemOf(text)
      if (problem !== undefined) reader.addError(item, `${path}[${index}]`, problem)
      return text ?? []
    })

const transformProblem = (text: string): string | undefined =>
  parseTransform(text)
    ? undefined
    : `unknown transform${didYouMean(text, SPAN_TRANSFORM_NAMES, '') || `; known transforms: ${TRANSFORM_FORMS}`}`

function directiveProblem(text: string, texts: ReadonlyMap<string, string>): string | undefined {
  const directive = parseDirective(text)
  if (!directive) return `unknown directive; known directives: ${DIRECTIVE_FORMS}`
  const unknown = directive.system?.find((name) => !texts.has(name))
  return unknown === undefined ? undefined : `unknown text ${unknown}: add it under texts:`
}

const readHoldExpiry: Read<number> = (reader, node, path) => {
  const ms = isScalar(node) && typeof node.value === 'string' ? parseDuration(node.value) : undefined
  if (ms === undefined) return reader.addError(node, path, 'must be a duration such as 30s, 10m, 4h or 2d')
  const { min, max } = POLICY_LIMITS.holdMs
  return ms < min || ms > max ? reader.addError(node, path, 'must be from 1s to 30d') : ms
}

const readApprovals: Read<number> = (reader, node, path) => {
  const value = isScalar(node) ? node.value : undefined
  const { min, max } = POLICY_LIMITS.approvals
  if (typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max) return value
  return reader.addError(node, path, `must be a whole number from ${min} to ${max}`)
}
