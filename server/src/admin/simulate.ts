import type { Completion } from '../domain/completion.ts'
import type { Decision, PolicyPoint } from '../domain/decision.ts'
import type { FindingCounts } from '../domain/finding.ts'
import { estimateRequestTokens } from '../domain/message.ts'
import { type Application, NOBODY, type User } from '../domain/principal.ts'
import { UNLIMITED } from '../limits/limiter.ts'
import type { Admitted, Authorized, Content, Inspected } from '../pipeline/facts.ts'
import { NO_REPLY, nothingRecalled, nothingRetrieved } from '../pipeline/neutral.ts'
import { Passed, type Step, Stop } from '../pipeline/outcome.ts'
import type { Exchange, GatewayRequest } from '../pipeline/request.ts'
import { classify } from '../pipeline/stages/04-classify.ts'
import { type AuthorizeDeps, authorize } from '../pipeline/stages/05-authorize.ts'
import { type InspectDeps, inspect } from '../pipeline/stages/10-inspect.ts'
import type { CompiledPolicy } from '../policy/compile.ts'
import type { Pause } from './trials.ts'

/** A request that might come, and the policies that might be in force then; undefined: none. */
export interface Supposed {
  readonly policy: CompiledPolicy | undefined
  readonly application: Application
  readonly request: GatewayRequest
  /** Whether a user token vouches for the user. */
  readonly userVerified: boolean
  /** What a model might answer; undefined: only the input is looked at. */
  readonly response: string | undefined
}

/** What would become of it. */
export interface Foreseen {
  readonly decision: Decision
  /** Transforms that change something. */
  readonly transforms: readonly string[]
  readonly findings: Readonly<Partial<Record<PolicyPoint, FindingCounts>>>
  /** What could not be carried out, and therefore denies: `detector:…`, `transform`. */
  readonly failed: readonly string[]
  /** As the provider would get them. */
  readonly messages: GatewayRequest['messages']
  /** As the caller would get it. */
  readonly response: string | undefined
}

/**
 * Takes a request through the very stages that decide on a real one, as a dry run does, and nowhere else: no provider is
 * called, nothing is written, no limit is counted.
 */
export async function simulate(supposed: Supposed, deps: AuthorizeDeps & InspectDeps, pause: Pause): Promise<Foreseen> {
  const { application, policy, response } = supposed
  const caller = { application, keyId: '' }
  const admitted = admittedOf(supposed.request)
  const identity = { user: userOf(supposed), sessionId: supposed.request.sessionId }

  const content = settled(await classify(caller, admitted, deps))
  if (content.failed.length > 0 || !content.known) return denied(content)
  await pause()
  const drafted = { ...deps, policies: { current: async () => policy } }
  const leave = settled(await authorize(EXCHANGE, caller, admitted, identity, content.known, drafted))
  if (leave.failed.length > 0 || !leave.known || response === undefined) return foreseen(content, leave)
  await pause()
  const reply = { ...NO_REPLY, completion: completionOf(response, admitted) }
  const found = nothingRetrieved(leave.known)
  const made = { found, recalled: nothingRecalled(found.decision), reply }
  return foreseen(content, leave, settled(await inspect(EXCHANGE, caller, admitted, identity, leave.known, made, deps)))
}

const EXCHANGE: Exchange = {
  endpoint: 'chat',
  requestId: '',
  authorization: undefined,
  userToken: undefined,
  body: new Uint8Array(),
  callerGone: () => new AbortController().signal,
  parse: () => ({ ok: false, problem: { message: '' } }),
}

const admittedOf = (request: GatewayRequest): Admitted => ({
  request: { ...request, dryRun: true, reviewItemId: undefined, waitSeconds: 0 },
  auditId: '',
  tokens: estimateRequestTokens(request),
  bytes: 0,
  lease: UNLIMITED,
})

function userOf({ request: { user }, userVerified }: Supposed): User {
  if (!user) return NOBODY
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

/** What a stage found out, and what it stumbled over. */
interface Settled<T> {
  readonly known: T | undefined
  readonly failed: readonly string[]
}

function settled<T>(step: Step<T>): Settled<T> {
  if (step instanceof Passed) return { known: step.value, failed: [] }
  if (!(step instanceof Stop)) return { known: step, failed: [] }
  const { outcome, known } = step as Stop<T>
  const details = outcome.kind === 'refused' ? outcome.fields.details : undefined
  // Verdicts stop nothing in a dry run: what does is a failure.
  return { known, failed: (details?.failed as readonly string[] | undefined) ?? [outcome.kind] }
}

const denied = ({ known, failed }: Settled<Content>): Foreseen => ({
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

function foreseen(content: Settled<Content>, leave: Settled<Authorized>, answer?: Settled<Inspected>): Foreseen {
  const decision = (answer?.known ?? leave.known)?.decision
  if (!decision) return denied({ ...content, failed: leave.failed })
  const failed = [...leave.failed, ...(answer?.failed ?? [])]
  const { messages = [], systemTexts = [], transforms = [] } = failed.length > 0 ? {} : (leave.known ?? {})
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
