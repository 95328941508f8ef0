import { Document, isMap, isScalar, isSeq, visit } from 'yaml'
import { type ConditionForm, fromCel, toCel } from './condition-form.ts'

/** A rule as the form shows it. Empty texts: not set. */
export interface RuleFields extends ConditionForm {
  readonly id: string
  readonly description: string
  readonly at: readonly string[]
  readonly verdict: string
  readonly risk: string
  readonly classification: string
  readonly transforms: readonly string[]
  readonly directives: readonly string[]
  readonly hold_expires_in: string
}

export const NEW_RULE: RuleFields = {
  id: '',
  description: '',
  at: ['input'],
  match: 'all',
  clauses: [],
  verdict: 'deny',
  risk: '',
  classification: '',
  transforms: [],
  directives: [],
  hold_expires_in: '',
}

const FIELDS = [
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
]

/** The rule as an item of a list in YAML. */
export function toRuleYaml({ match, clauses, ...rule }: RuleFields): string {
  const hold = rule.verdict === 'require_approval' ? rule.hold_expires_in : ''
  const fields = { ...rule, when: toCel({ match, clauses }), hold_expires_in: hold } as const
  const set = FIELDS.map((name) => [name, fields[name as keyof typeof fields]] as const).filter(([, value]) => value.length > 0)
  return toItemYaml(Object.fromEntries(set))
}

/** An item of a list in YAML. Lists in it are written in one line. */
export function toItemYaml(item: Readonly<Record<string, unknown>>): string {
  const document = new Document([item])
  visit(document.contents, {
    Seq: (_key, list) => {
      list.flow = list !== document.contents
    },
  })
  return document.toString({ lineWidth: 0, flowCollectionPadding: false })
}

/** The form of a rule. Undefined if the form cannot show all of it. */
export function fromRule(node: unknown): RuleFields | undefined {
  if (!isMap(node)) return undefined
  const values: Record<string, unknown> = node.toJSON()
  if (Object.keys(values).some((name) => !FIELDS.includes(name)) || hasComment(node)) return undefined
  const condition = fromCel(String(values.when ?? ''))
  const text = (name: string) => (values[name] === undefined ? '' : String(values[name]))
  const list = (name: string) => (Array.isArray(values[name]) ? values[name].map(String) : [])
  if (!condition) return undefined
  return {
    ...condition,
    id: text('id'),
    description: text('description'),
    at: list('at'),
    verdict: text('verdict') || 'allow',
    risk: text('risk'),
    classification: text('classification'),
    transforms: list('transforms'),
    directives: list('directives'),
    hold_expires_in: text('hold_expires_in'),
  }
}

/** The form would delete comments inside of the rule. */
function hasComment(node: unknown): boolean {
  if (isScalar(node)) return Boolean(node.comment ?? node.commentBefore)
  if (isSeq(node)) return Boolean(node.comment) || node.items.some(hasComment)
  if (!isMap(node)) return false
  return Boolean(node.comment) || node.items.some(({ key, value }) => hasComment(key) || hasComment(value))
}
