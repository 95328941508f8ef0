/** A rule of a policy document, as JSON. */
export interface MarkerRule {
  readonly id: string
  readonly at: readonly string[]
  readonly when: string
  readonly [field: string]: unknown
}

type Demands = Readonly<Record<string, unknown>>

/** A rule that matches if the text contains the rule's id and `condition` is true, so that a test chooses a rule by a word. */
export const marker = (point: string, id: string, demands: Demands, condition?: string): MarkerRule => ({
  id,
  at: [point],
  when: `content.text.contains("${id}")${condition === undefined ? '' : ` && (${condition})`}`,
  ...demands,
})

const markerIf = (id: string, condition: string, demands: Demands = { verdict: 'escalate' }): MarkerRule =>
  marker('input', id, demands, condition)

const VERDICTS = { deny: 'deny', escalate: 'escalate', hold: 'require_approval' }
const RISKS = ['low', 'medium', 'high', 'critical']
const CLASSIFICATIONS = ['public', 'internal', 'confidential', 'restricted']

const HIT_POINTS = [
  ['retrieve', 'quince'],
  ['recall', 'medlar'],
  ['remember', 'damson'],
] as const

/** True for one hit or memory only, and only if every variable of its group has a value. */
const HIT_FACTS = [
  'hit.classification == "internal" && hit.title == "Facts" && hit.collection.startsWith("collection ")',
  'hit.regulations.size() == 2 && "gdpr" in hit.regulations && hit.document.startsWith("doc_") && hit.updated_at <= now',
].join(' && ')
const MEMORY_FACTS = [
  'memory.classification == "internal" && memory.scope == "project" && memory.scope_id == "atlas" && memory.kind == "decision"',
  '"gdpr" in memory.regulations && memory.created_at <= now && memory.expires_at > now',
].join(' && ')

const verdicts = (point: string, prefix: string) =>
  Object.entries(VERDICTS).map(([name, verdict]) => marker(point, `${prefix}-${name}`, { verdict }))

/**
 * Rules with neutral words as ids: `juniper-…` matches prompts, `sorrel-…` completions, `quince-…` passages, `medlar-…` recalled
 * memories and `damson-…` captured memories.
 */
export const MARKER_RULES: readonly MarkerRule[] = [
  ...verdicts('input', 'juniper'),
  ...verdicts('output', 'sorrel'),
  ...RISKS.map((risk) => marker('input', `juniper-risk-${risk}`, { risk })),
  ...CLASSIFICATIONS.map((classification) => marker('input', `juniper-class-${classification}`, { classification })),
  ...['redact', 'mask', 'pseudonymize'].map((name) => marker('input', `juniper-${name}`, { transforms: [`${name}:pii`] })),
  marker('input', 'juniper-truncate', { transforms: ['truncate:40'] }),
  marker('output', 'sorrel-redact', { transforms: ['redact:pii'] }),
  marker('output', 'sorrel-truncate', { transforms: ['truncate:40'] }),
  marker('output', 'sorrel-memory-off', { directives: ['memory:off'] }),
  marker('output', 'sorrel-memory-audit', { directives: ['memory:audit_only'] }),
  marker('input', 'juniper-tokens', { directives: ['max_tokens:17'] }),
  marker('input', 'juniper-system', { directives: ['system:manners'] }),
  marker('input', 'juniper-demo', { directives: ['route:provider=demo'] }),
  marker('input', 'juniper-cent', { directives: ['route:max_cost=0.01'] }),
  marker('input', 'juniper-cheap', { directives: ['route:max_cost=0.000000001'] }),
  marker('input', 'juniper-nowhere', { directives: ['route:provider=absent'] }),
  marker('input', 'juniper-region', { directives: ['route:region=mars'] }),
  marker('input', 'juniper-brief', { verdict: 'require_approval', hold_expires_in: '30s' }),
  marker('output', 'sorrel-brief', { verdict: 'require_approval', hold_expires_in: '30s' }),
  marker('input', 'juniper-knowledge-off', { directives: ['knowledge:off'] }),
  marker('input', 'juniper-memory-off', { directives: ['memory:off'] }),
  marker('input', 'juniper-memory-audit', { directives: ['memory:audit_only'] }),
  ...HIT_POINTS.flatMap(([point, prefix]) => [
    ...verdicts(point, prefix),
    ...['redact', 'mask', 'pseudonymize'].map((name) => marker(point, `${prefix}-${name}`, { transforms: [`${name}:pii`] })),
    marker(point, `${prefix}-critical`, { risk: 'critical' }),
    marker(point, `${prefix}-orders`, { verdict: 'deny' }, 'content.findings.injection > 0'),
    marker(point, `${prefix}-broken`, { verdict: 'allow' }, 'user.attributes.absent == "x"'),
  ]),
  marker('retrieve', 'quince-facts', { verdict: 'escalate' }, HIT_FACTS),
  marker('recall', 'medlar-facts', { verdict: 'escalate' }, MEMORY_FACTS),
  marker('remember', 'damson-facts', { verdict: 'escalate' }, MEMORY_FACTS),
  marker('remember', 'damson-off', { directives: ['memory:off'] }),
  marker('remember', 'damson-audit', { directives: ['memory:audit_only'] }),
  markerIf('juniper-broken', 'user.attributes.absent == "x"', { verdict: 'allow', risk: 'low' }),
  markerIf('juniper-lenient', 'user.attributes.absent == "x"', { verdict: 'deny', on_error: 'skip' }),
  markerIf('juniper-verified', 'user.verified'),
  markerIf('juniper-pilot', 'user.id == "pilot-7" && user.role == "pilot" && user.department == "hangar"'),
  markerIf('juniper-wing', 'has(user.attributes.wing) && user.attributes.wing == "left"'),
  markerIf('juniper-alice', 'user.id == "alice" && user.role == "support_agent" && user.department == "support"'),
  markerIf('juniper-email', 'content.findings["pii.email"] > 0'),
  markerIf('juniper-chat', 'request.endpoint == "chat" && request.message_count == 3 && request.session_id == "afternoon"'),
]

const TEXTS = { manners: 'Answer kindly.' }

/** JSON is YAML. */
export const policyDocument = (rules: readonly MarkerRule[], name = 'demo'): string =>
  JSON.stringify({ name, texts: TEXTS, rules }, null, 1)
