import type { Completion } from '../domain/completion.ts'
import type { Decision, PolicyPoint } from '../domain/decision.ts'
import type { FindingCounts } from '../domain/finding.ts'
import { Skipped, type StageReturn, Stop } from '../domain/outcome.ts'
import { ANONYMOUS_USER, type Application, type User } from '../domain/principal.ts'
import { estimateRequestTokens } from '../domain/tokens.ts'
import { UNLIMITED } from '../limits/lease.ts'
import type { CompiledPolicy } from '../policy/compile.ts'
import type { Pause } from '../policy/evaluation-limiter.ts'
import type { GatewayRequest } from './request.ts'
import { type Admitted, type Authorized, type Classified, type Inspected, NOT_INVOKED, noHits } from './stage-results.ts'
import { classify } from './stages/04-classify.ts'
import { type AuthorizeDeps, authorize } from './stages/05-authorize.ts'
import { type InspectDeps, inspect } from './stages/10-inspect.ts'

/** An assumed request and assumed policies. */
export interface Supposed {
  readonly policy: CompiledPolicy | undefined
  readonly application: Application
  readonly request: GatewayRequest
  /** Whether a user token vouches for the user. */
  readonly userVerified: boolean
  /** Assumed completion; undefined: only the input is decided on. */
  readonly response: string | undefined
}

/** The decision on an assumed request. */
export interface Foreseen {
  readonly decision: Decision
  /** Transforms that change something. */
  readonly transforms: readonly string[]
  readonly findings: Readonly<Partial<Record<PolicyPoint, FindingCounts>>>
  /** Failures, which deny: `detector:…`, `transform`. */
  readonly failed: readonly string[]
  /** As the provider would get them. */
  readonly messages: GatewayRequest['messages']
  /** As the client would receive it. */
  readonly response: string | undefined
}

/**
 * Runs the stages that decide on a real request, as a dry run does, and no other: no provider is called, no record is written, no limit is
 * charged.
 */
export async function simulate(supposed: Supposed, deps: AuthorizeDeps & InspectDeps, pause: Pause): Promise<Foreseen> {
  const { application, policy, response } = supposed
  const caller = { application, keyId: '' }
  const admitted = admittedOf(supposed.request)
  const identity = { user: userOf(supposed), sessionId: supposed.request.sessionId }

  const context = { incoming: INCOMING, caller, admitted, identity }

  const content = settled(await classify(caller, admitted, deps))
  if (content.failed.length > 0 || !content.known) return denied(content)
  await pause()
  const drafted = { ...deps, policies: { current: async () => policy } }
  const authorized = settled(await authorize(context, content.known, drafted))
  if (authorized.failed.length > 0 || !authorized.known || response === undefined) return foreseen(content, authorized)
  await pause()
  const none = noHits(authorized.known.decision)
  const outputs = { retrieved: none, recalled: none, invoked: { ...NOT_INVOKED, completion: completionOf(response, admitted) } }
  return foreseen(content, authorized, settled(await inspect(context, authorized.known, outputs, deps)))
}

const INCOMING = { endpoint: 'chat' as const, callerGone: () => new AbortController().signal }

const admittedOf = (request: GatewayRequest): Admitted => ({
  request: { ...request, dryRun: true, reviewItemId: undefined, waitSeconds: 0 },
  auditId: '',
  tokens: estimateRequestTokens(request),
  bytes: 0,
  lease: UNLIMITED,
})

function userOf({ request: { user }, userVerified }: Supposed): User {
  if (!user) return ANONYMOUS_USER
  const { id, role, department, attributes } = user
  return { id, role: role ?? '', department: department ?? '', attributes: attributes ?? {}, verified: userVerified }
}

const completionOf = (content: string, { request }: Admitted): Completion => ({
  id: 'simulation',
  object: 'chat.completion',
  created: 0,
  model: request.model,
  choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
})

/** The result of a stage, and its failures. */
interface Settled<T> {
  readonly known: T | undefined
  readonly failed: readonly string[]
}

function settled<T>(step: StageReturn<T>): Settled<T> {
  if (step instanceof Skipped) return { known: step.value, failed: [] }
  if (!(step instanceof Stop)) return { known: step, failed: [] }
  const { outcome, partial: known } = step as Stop<T>
  const details = outcome.kind === 'refused' ? outcome.fields.details : undefined
  // A verdict does not end a dry run; only a failure does.
  return { known, failed: (details?.failed as readonly string[] | undefined) ?? [outcome.kind] }
}

const denied = ({ known, failed }: Settled<Classified>): Foreseen => ({
  decision: {
    verdict: 'deny',
    classification: known?.classification ?? 'restricted',
    risk: known?.risk ?? 'critical',
    transforms: [],
    directives: [],
    rules: [],
  },
  transforms: [],
  findings: known ? { input: known.counts } : {},
  failed,
  messages: [],
  response: undefined,
})

function foreseen(content: Settled<Classified>, authorized: Settled<Authorized>, answer?: Settled<Inspected>): Foreseen {
  const decision = (answer?.known ?? authorized.known)?.decision
  if (!decision) return denied({ ...content, failed: authorized.failed })
  const failed = [...authorized.failed, ...(answer?.failed ?? [])]
  const { messages = [], systemTexts = [], transforms = [] } = failed.length > 0 ? {} : (authorized.known ?? {})
  const said = failed.length > 0 ? undefined : answer?.known?.completion?.choices[0]?.message.content
  return {
    decision: failed.length > 0 ? { ...decision, verdict: 'deny' } : decision,
    transforms: [...new Set([...transforms, ...(answer?.known?.transforms ?? [])])],
    findings: {
      ...(content.known && { input: content.known.counts }),
      ...(answer?.known && { output: answer.known.counts }),
    },
    failed,
    messages: [...systemTexts.map((text) => ({ role: 'system', content: text })), ...messages],
    response: typeof said === 'string' ? said : undefined,
  }
}
