import type { AuditEndpoint, AuditRecord } from '../../domains/audit/record/record.ts'
import type { StoredPoint, StoredRequest, StoredValues } from '../../domains/policy/replay/stored-input.ts'
import { OTHER_VALUE, StoredInput } from '../../domains/policy/replay/stored-input.ts'
import type { PolicyPoint, Verdict } from '../../shared/decision.ts'
import { FINDING_GROUPS, FINDING_TYPES } from '../../shared/finding.ts'
import { DEFAULT_SETTINGS } from '../../shared/principal.ts'
import type { StageName } from '../endpoints.ts'

export interface ReplayContext {
  /** The text with this keyed hash, if a condition of the draft compares the variable `name` with that text. */
  readonly textOf: (name: string, hash: string) => string | undefined
  /** Settings of the record's Application at the time of the record; undefined: they have changed since. */
  readonly settings: Readonly<Record<string, unknown>> | undefined
}

type EffectiveVerdicts = StoredPoint['effectiveVerdicts']

const STAGE_OF = {
  input: 'authorize',
  message: 'authorize',
  retrieve: 'retrieve',
  recall: 'recall',
  output: 'inspect',
  remember: 'remember',
} as const satisfies Record<PolicyPoint, StageName>

const POINTS: Readonly<Partial<Record<AuditEndpoint, readonly PolicyPoint[]>>> = {
  chat: ['input', 'retrieve', 'recall', 'output', 'remember'],
  embeddings: ['input'],
  knowledge_search: ['input', 'retrieve', 'output'],
  memory_search: ['input', 'recall', 'output'],
  memory_capture: ['input', 'remember'],
  message: ['message'],
}

export const GOVERNED_ENDPOINTS = Object.keys(POINTS) as readonly AuditEndpoint[]

/** A denied hit is left out, and the decision on a memory does not change the completion (stages 6, 7 and 11). */
const HIT_VERDICTS: EffectiveVerdicts = { deny: 'allow' }
const CHAT_MEMORY_VERDICTS: EffectiveVerdicts = { deny: 'allow', require_approval: 'escalate' }

export function readStoredRequest(
  record: AuditRecord,
  context: ReplayContext,
): StoredRequest | 'refused_before_policies' | 'repeated_answer' {
  const { decision, review, status, endpoint } = record
  const authorize = outcomeAt(record, 'authorize')
  if (!decision || authorize === 'skipped' || authorize === 'failed') return 'refused_before_policies'
  if (review?.state === 'known' && status < 400) return 'repeated_answer'
  const values = valuesOf(record, context)
  const ended = endingPoint(record)
  const points = POINTS[endpoint] ?? []
  return {
    rules: decision.rules,
    points: points.map((point, index) => ({
      point,
      state: stateOf(record, point, ended !== undefined && index > points.indexOf(ended)),
      input: inputAt(record, point, values),
      endingVerdicts: endingVerdictsAt(record, point),
      effectiveVerdicts:
        point === 'retrieve' || point === 'recall'
          ? HIT_VERDICTS
          : point === 'remember' && endpoint === 'chat'
            ? CHAT_MEMORY_VERDICTS
            : {},
      ...(DISABLED_BY[point] !== undefined && endpoint !== 'memory_capture' && { disabledBy: DISABLED_BY[point] }),
    })),
  }
}

const DISABLED_BY: Readonly<Partial<Record<PolicyPoint, string>>> = {
  retrieve: 'knowledge:off',
  recall: 'memory:off',
  remember: 'memory:off',
}

const outcomeAt = ({ stages }: AuditRecord, stage: StageName) => stages.find(({ name }) => name === stage)?.outcome ?? 'skipped'

/** The point whose verdict ended the request; undefined if it passed all points, or ended for another reason. */
function endingPoint(record: AuditRecord): PolicyPoint | undefined {
  if (isWithheld(record)) return 'input'
  const stopped = POINTS[record.endpoint]?.find((point) => outcomeAt(record, STAGE_OF[point]) === 'stopped')
  return stopped && hasRuleAt(record, stopped, endingVerdictsAt(record, stopped)) ? stopped : undefined
}

const isSearch = ({ endpoint }: AuditRecord): boolean => endpoint === 'knowledge_search' || endpoint === 'memory_search'

const isWithheld = (record: AuditRecord): boolean =>
  isSearch(record) && !record.dry_run && hasRuleAt(record, 'input', ['deny', 'require_approval'])

const hasRuleAt = ({ decision }: AuditRecord, point: PolicyPoint, verdicts: readonly Verdict[]): boolean =>
  decision?.rules.some((rule) => rule.point === point && verdicts.includes(rule.verdict)) ?? false

function stateOf(record: AuditRecord, point: PolicyPoint, afterEnd: boolean): StoredPoint['state'] {
  if (point === 'input' || point === 'message') return 'evaluated'
  if (afterEnd) return 'unreached'
  const disablingDirective = DISABLED_BY[point]
  const skipped = outcomeAt(record, STAGE_OF[point]) === 'skipped'
  if (skipped)
    return disablingDirective !== undefined && record.decision?.directives.includes(disablingDirective) ? 'unreached' : 'unused'
  return nothingFound(record, point) ? 'unused' : 'evaluated'
}

/** Whether no hit and no memory was found: the record names hits that a rule left out. */
function nothingFound({ endpoint, decision, knowledge, memory, remembered }: AuditRecord, point: PolicyPoint): boolean {
  if (endpoint !== 'chat' || decision?.rules.some((rule) => rule.point === point)) return false
  if (point === 'retrieve') return knowledge.length === 0
  if (point === 'recall') return memory.length === 0
  return point === 'remember' && remembered.length === 0
}

/** As the stages do: a verdict does not end a dry run, and a released request is not held again. */
function endingVerdictsAt(record: AuditRecord, point: PolicyPoint): readonly Verdict[] {
  const { endpoint, dry_run: dryRun } = record
  if (dryRun || endpoint === 'message') return []
  if (endpoint === 'memory_capture') return ['deny']
  const held: readonly Verdict[] = wasReleased(record) ? [] : ['require_approval']
  if (point === 'retrieve' || point === 'recall') return endpoint === 'chat' ? held : []
  return ['deny', ...held]
}

function wasReleased(record: AuditRecord): boolean {
  const { endpoint, review } = record
  if (endpoint !== 'chat') return false
  if (review !== null && review.state !== 'pending') return true
  return hasRuleAt(record, 'input', ['require_approval']) && outcomeAt(record, 'authorize') === 'ok'
}

const HASH = /^[0-9a-f]{64}$/

function valuesOf({ user, features, application_id, dry_run, endpoint }: AuditRecord, { textOf, settings }: ReplayContext) {
  const clear = (name: string, value: unknown) =>
    typeof value === 'string' && HASH.test(value) ? (textOf(name, value) ?? OTHER_VALUE) : value
  const userId = (name: string) => (user.id === null ? '' : clear(name, user.id))
  const isMessage = endpoint === 'message'
  return {
    'user.id': userId('user.id'),
    'user.role': user.role,
    'user.department': user.department,
    'user.verified': user.verified,
    'application.id': application_id ?? '',
    'application.name': features['application.name'] ?? '',
    'application.settings': isMessage ? DEFAULT_SETTINGS : settings,
    'request.endpoint': endpoint,
    'request.model': isMessage ? '' : clear('request.model', features['request.model']),
    'request.session_id': isMessage
      ? features['message.conversation_id']
      : clear('request.session_id', features['request.session']),
    'request.stream': isMessage ? false : features['request.stream'],
    'request.dry_run': dry_run,
    'request.message_count': isMessage ? 1 : features['request.message_count'],
    'request.tokens': features['request.tokens'],
    'request.max_tokens': isMessage ? 0 : features['request.max_tokens'],
    'request.priced': isMessage ? true : features['request.priced'],
    'request.tools': endpoint === 'chat' ? undefined : [],
    ...(isMessage && {
      'message.conversation_id': features['message.conversation_id'],
      'message.sender': userId('message.sender'),
      'message.group': features['message.group'],
    }),
    'response.model': clear('response.model', features['response.model'] ?? ''),
    'response.provider': features['response.provider'] ?? '',
    'response.finish_reason': features['response.finish_reason'] ?? '',
    'response.tokens': features['response.tokens'] ?? 0,
  }
}

/** The values at one point; undefined where each hit or memory was decided on by itself. */
function inputAt(record: AuditRecord, point: PolicyPoint, values: StoredValues): StoredInput | undefined {
  if (point === 'retrieve' || point === 'recall' || point === 'remember') return undefined
  const { features, findings } = record
  const [prefix, stage] = point === 'output' ? ['output.', 'inspect'] : ['', 'classify']
  return new StoredInput({
    ...values,
    'content.classification': features[`${prefix}content.classification`],
    'content.risk_level': features[`${prefix}content.risk_level`],
    ...unreadValues(record, `${prefix}content`),
    // Records of a chat do not name tools, because names and arguments are content.
    'content.tool_calls': record.endpoint === 'chat' ? undefined : [],
    'content.findings': { ...NO_FINDINGS, ...findings[stage] },
    now: timeOf(record, STAGE_OF[point]),
  })
}

const unreadValues = ({ endpoint, features }: AuditRecord, prefix: string): StoredValues =>
  endpoint === 'message'
    ? { 'content.unread': 0, 'content.unread_bytes': 0, 'content.unread_kinds': [] }
    : {
        'content.unread': features[`${prefix}.unread`],
        'content.unread_bytes': features[`${prefix}.unread_bytes`],
        'content.unread_kinds': features[`${prefix}.unread_kinds`],
      }

const NO_FINDINGS = Object.fromEntries([...FINDING_TYPES, ...FINDING_GROUPS].map((name) => [name, 0]))

/** When the stage began, to about a millisecond. */
function timeOf({ created_at, duration_ms, stages }: AuditRecord, stage: StageName): Date {
  const index = stages.findIndex(({ name }) => name === stage)
  const before = stages.slice(0, Math.max(index, 0)).reduce((sum, { ms }) => sum + ms, 0)
  return new Date(Date.parse(created_at) - duration_ms + before)
}
