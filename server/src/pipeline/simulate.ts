import { UNLIMITED } from '../domains/limits/lease.ts'
import type { CompiledPolicy } from '../domains/policy/compile.ts'
import type { Pause } from '../domains/policy/evaluation-limiter.ts'
import type { Completion } from '../shared/completion.ts'
import type { Decision, PolicyPoint } from '../shared/decision.ts'
import type { FindingCounts } from '../shared/finding.ts'
import { Skipped, type StageReturn, Stop } from '../shared/outcome.ts'
import type { Application } from '../shared/principal.ts'
import { type RouteDeps, withPriced } from './find-candidates.ts'
import { assertedUser, type GatewayRequest, withCollectedTexts } from './request.ts'
import { simulateText, type TextPoint } from './simulate-text.ts'
import { type Admitted, type Authorized, type Classified, type Inspected, NOT_INVOKED, noHits } from './stage-results.ts'
import { classify } from './stages/04-classify.ts'
import { type AuthorizeDeps, authorize } from './stages/05-authorize.ts'
import { type InspectDeps, inspect } from './stages/10-inspect.ts'

export interface SimulationInput {
  /** At `input` and `output` the stages of a chat decide, at another point its rules alone. */
  readonly point: PolicyPoint
  readonly policy: CompiledPolicy | undefined
  readonly application: Application
  readonly request: GatewayRequest
  readonly userVerified: boolean
  /** Assumed completion; undefined: only the input is decided on. */
  readonly response: string | undefined
  readonly toolCalls?: readonly SimulatedCall[] | undefined
}

export interface SimulatedCall {
  readonly name: string
  readonly arguments: Readonly<Record<string, unknown>>
}

export interface SimulationResult {
  readonly decision: Decision
  readonly transforms: readonly string[]
  readonly findings: Readonly<Partial<Record<PolicyPoint, FindingCounts>>>
  /** Failures, which deny: `detector:…`, `transform`. */
  readonly failed: readonly string[]
  readonly messages: GatewayRequest['messages']
  readonly response: string | undefined
}

/** Runs the stages that decide, as a dry run does: no provider is called, no record is written, no limit is charged. */
export async function simulate(
  simulated: SimulationInput,
  deps: AuthorizeDeps & InspectDeps & Pick<RouteDeps, 'providers' | 'clock'>,
  pause: Pause,
): Promise<SimulationResult> {
  const { application, point, policy, response, toolCalls = [] } = simulated
  const caller = { application, keyId: '' }
  const admitted = await withPriced({ endpoint: 'chat' }, caller, admittedOf({ ...simulated.request, dryRun: true }), deps)
  const identity = { user: assertedUser(simulated.request.user, simulated.userVerified), sessionId: simulated.request.sessionId }
  const context = { incoming: INCOMING, caller, admitted, identity }
  if (point !== 'input' && point !== 'output') return resultOfText(point, await simulateText(point, policy, context, deps))

  const content = settle(await classify(caller, admitted, deps))
  if (content.failed.length > 0 || !content.value) return denied(content)
  await pause()
  const drafted = { ...deps, policies: { current: () => policy } }
  const authorized = settle(await authorize(context, content.value, drafted))
  if (authorized.failed.length > 0 || !authorized.value || response === undefined) return resultOf(content, authorized)
  await pause()
  const none = noHits(authorized.value.decision)
  const outputs = {
    retrieved: none,
    recalled: none,
    invoked: { ...NOT_INVOKED, completion: completionOf(response, toolCalls, admitted) },
  }
  return resultOf(content, authorized, settle(await inspect(context, authorized.value, outputs, deps)))
}

const INCOMING = { endpoint: 'chat' as const, clientSignal: () => new AbortController().signal }

export const admittedOf = (request: GatewayRequest): Admitted => ({
  ...withCollectedTexts({ ...request, reviewItemId: undefined, waitSeconds: 0 }),
  auditId: '',
  bytes: 0,
  lease: UNLIMITED,
})

function completionOf(content: string, calls: readonly SimulatedCall[], { request }: Admitted): Completion {
  const toolCalls = calls.map(({ name, arguments: given }, index) => ({
    id: `call_${index}`,
    type: 'function',
    function: { name, arguments: JSON.stringify(given) },
  }))
  const message = { role: 'assistant', content, ...(toolCalls.length > 0 && { tool_calls: toolCalls }) }
  return {
    id: 'simulation',
    object: 'chat.completion',
    created: 0,
    model: request.model,
    choices: [{ index: 0, message, finish_reason: toolCalls.length > 0 ? 'tool_calls' : 'stop' }],
  }
}

const resultOfText = (
  point: TextPoint,
  { scanned, decision, value = [], transforms, failed }: GovernedText,
): SimulationResult => ({
  decision,
  transforms,
  findings: { [point]: scanned.counts },
  failed,
  messages: value,
  response: undefined,
})

type GovernedText = Awaited<ReturnType<typeof simulateText>>

export interface StageResult<T> {
  readonly value: T | undefined
  readonly failed: readonly string[]
}

/** The result of a stage whose verdict does not end the run. */
export function settle<T>(returned: StageReturn<T>): StageResult<T> {
  if (returned instanceof Skipped) return { value: returned.value, failed: [] }
  if (!(returned instanceof Stop)) return { value: returned, failed: [] }
  const { outcome, partial: value } = returned as Stop<T>
  const details = outcome.kind === 'refused' ? outcome.fields.details : undefined
  // A verdict does not end a dry run; only a failure does.
  return { value, failed: (details?.failed as readonly string[] | undefined) ?? [outcome.kind] }
}

const denied = ({ value, failed }: StageResult<Classified>): SimulationResult => ({
  decision: {
    verdict: 'deny',
    classification: value?.classification ?? 'restricted',
    risk: value?.risk ?? 'critical',
    transforms: [],
    directives: [],
    rules: [],
  },
  transforms: [],
  findings: value ? { input: value.counts } : {},
  failed,
  messages: [],
  response: undefined,
})

function resultOf(
  content: StageResult<Classified>,
  authorized: StageResult<Authorized>,
  inspected?: StageResult<Inspected>,
): SimulationResult {
  const decision = (inspected?.value ?? authorized.value)?.decision
  if (!decision) return denied({ ...content, failed: authorized.failed })
  const failed = [...authorized.failed, ...(inspected?.failed ?? [])]
  const { messages = [], systemTexts = [], transforms = [] } = failed.length > 0 ? {} : (authorized.value ?? {})
  const response = failed.length > 0 ? undefined : inspected?.value?.completion?.choices[0]?.message.content
  return {
    decision: failed.length > 0 ? { ...decision, verdict: 'deny' } : decision,
    transforms: [...new Set([...transforms, ...(inspected?.value?.transforms ?? [])])],
    findings: {
      ...(content.value && { input: content.value.counts }),
      ...(inspected?.value && { output: inspected.value.counts }),
    },
    failed,
    messages: [...systemTexts.map((text) => ({ role: 'system', content: text })), ...messages],
    response: typeof response === 'string' ? response : undefined,
  }
}
