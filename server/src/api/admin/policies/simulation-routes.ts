import { Type } from 'typebox'
import { findApplication } from '../../../domains/identity/application-store.ts'
import type { CompiledPolicy } from '../../../domains/policy/compile.ts'
import { EVALUATION_LIMIT_ERRORS } from '../../../domains/policy/evaluation-limiter.ts'
import { GatehouseError } from '../../../errors.ts'
import type { GatewayRequest } from '../../../pipeline/request.ts'
import { type SimulationInput, type SimulationResult, simulate } from '../../../pipeline/simulate.ts'
import { oneOf } from '../../../platform/lib/fields.ts'
import { CLASSIFICATIONS, RISK_LEVELS } from '../../../shared/classification.ts'
import { POLICY_POINTS, VERDICTS } from '../../../shared/decision.ts'
import type { FindingCounts } from '../../../shared/finding.ts'
import { type Application, DEFAULT_LIMITS, DEFAULT_SETTINGS } from '../../../shared/principal.ts'
import { invalid, notFound } from '../../../shared/request-errors.ts'
import { Anything, nullable } from '../../../shared/schemas.ts'
import { ChatBody, parseChat } from '../../gateway/chat-request.ts'
import { handle, type TypedApp } from '../../kit/route.ts'
import type { AdminDeps } from '../admin-deps.ts'
import { inWorkspace } from '../kit/operation.ts'
import { findMarks, MarkView } from '../reviews/review-shapes.ts'
import { ChosenPolicyView, chosenPolicyView, loadChosenPolicy, RuleView, Source } from './policy-shapes.ts'

const SimulationBody = Type.Object({
  source: Type.Optional({ ...Source, description: 'A draft. Default: the active version.' }),
  policy_set_id: Type.Optional(Type.String({ description: 'A published version.' })),
  application_id: Type.Optional(
    Type.String({ description: 'The requesting Application. Default: one with default settings that allows tools.' }),
  ),
  request: { ...ChatBody, description: 'In the format of `POST /v1/chat/completions`.' },
  response: Type.Optional(Type.String({ description: 'Assumed completion: output policies are evaluated as well.' })),
  tool_calls: Type.Optional(
    Type.Array(Type.Object({ name: Type.String({ maxLength: 256 }), arguments: Type.Record(Type.String(), Type.Unknown()) }), {
      maxItems: 128,
      description: 'Calls of functions in the assumed completion, with decoded arguments.',
    }),
  ),
  point: Type.Optional({
    ...oneOf(POLICY_POINTS, 'PolicyPoint'),
    description:
      'Default: `input`, with a completion `output`. At another point the texts of the request are a message, a passage or a memory with the lowest labels, and only the rules of that point decide.',
  }),
  user_verified: Type.Optional(Type.Boolean({ description: 'Treat the user as verified by a user token.' })),
})

const strings = Type.Array(Type.String())
const counts = Type.Optional(Type.Record(Type.String(), Type.Integer()))
const SimulationView = Type.Object({
  object: Type.Literal('policy_simulation'),
  policy: nullable(ChosenPolicyView),
  point: oneOf(POLICY_POINTS, 'PolicyPoint'),
  verdict: oneOf(VERDICTS, 'Verdict'),
  risk_level: oneOf(RISK_LEVELS, 'RiskLevel'),
  classification: oneOf(CLASSIFICATIONS, 'Classification'),
  transforms: { ...strings, description: 'Transforms that change a text.' },
  directives: strings,
  rules: Type.Array(
    Type.Object({ ...RuleView.properties, description: Type.String(), transforms: strings, directives: strings }),
    {
      description: 'Matched rules.',
    },
  ),
  marks: Type.Array(MarkView, {
    description:
      'Places of the findings, in the messages of the request and in `response` as they were sent (`message: null`). For display: `findings` counts what the decision used.',
  }),
  findings: Type.Object({ input: counts, output: counts, retrieve: counts, recall: counts, remember: counts, message: counts }),
  failed: { ...strings, description: 'Detectors and transforms that failed, and therefore deny.' },
  messages: Type.Array(Anything, { description: 'The messages as sent to the provider.' }),
  response: nullable(Type.String({ description: 'As the client would receive it.' })),
})

const docs = inWorkspace('POST /policy-sets/simulate', 'simulatePolicies', 'Simulate the policy decision on a request', {
  scope: 'policies:read',
  description: 'Runs the detectors, rules and transforms of a real request. No provider is called, and nothing is stored.',
  body: SimulationBody,
  answers: { 200: SimulationView },
  errors: { 404: 'NOT_FOUND: the policy set, the Application, or the Workspace', ...EVALUATION_LIMIT_ERRORS },
})

export function simulationRoutes(app: TypedApp, deps: AdminDeps): void {
  const { db, policies, evaluationLimiter } = deps

  handle(app, docs, async ({ workspaceId, body }) => {
    const { application_id, tool_calls, user_verified = false } = body
    // A completion that only calls tools has no text.
    const { response = tool_calls && '' } = body
    const { point = response === undefined ? 'input' : 'output' } = body
    if (point === 'output' && response === undefined)
      throw invalid({ param: 'response', message: 'is required when point is output' })
    const application =
      application_id === undefined ? defaultApplication(workspaceId) : await findApplication(db, workspaceId, application_id)
    if (!application) throw notFound('Application')
    const policy = (await loadChosenPolicy(db, workspaceId, body)) ?? (await policies.current(workspaceId))
    const request = requestOf(body.request, application, deps)
    const completion = point === 'output' ? response : undefined
    const simulated = {
      point,
      policy,
      application,
      request,
      userVerified: user_verified,
      response: completion,
      toolCalls: tool_calls,
    }
    const { result, marks } = await evaluationLimiter.run(async (pause) => ({
      result: await simulate(simulated, deps, pause),
      marks: marksOf(simulated, deps),
    }))
    const shown = policy ? chosenPolicyView(policy.version) : null
    return { object: 'policy_simulation', policy: shown, point, ...simulationView(result, policy), marks }
  })
}

/** The places of findings, also of a text that the decision changes or denies. */
function marksOf({ request: { messages }, response }: SimulationInput, { scanTexts }: AdminDeps) {
  const message = { role: 'assistant', content: response ?? '' }
  const completion = { choices: [{ index: 0, message, finish_reason: 'stop' }] }
  return findMarks({ messages, parameters: {}, completion }, (texts) => scanTexts(texts).findings)
}

const defaultApplication = (workspaceId: string): Application => ({
  id: '',
  workspaceId,
  name: '',
  settings: { ...DEFAULT_SETTINGS, extensions: ['tools'] },
  limits: DEFAULT_LIMITS,
  models: null,
  providers: null,
  defaultModel: null,
  ceiling: 'restricted',
})

/** Parses the chat as the gateway does for the Application. Problems name the path in this body. */
function requestOf(body: unknown, application: Application, { chatLimits }: AdminDeps): GatewayRequest {
  const parsed = parseChat(body, application, chatLimits)
  if (parsed.ok) return parsed.request
  const { param, message } = parsed.problem
  throw new GatehouseError('VALIDATION_ERROR', { param: param ? `request.${param}` : 'request', message: `request: ${message}` })
}

const simulationView = (
  { decision, transforms, findings, failed, messages, response }: SimulationResult,
  policy: CompiledPolicy | undefined,
) => ({
  verdict: decision.verdict,
  risk_level: decision.risk,
  classification: decision.classification,
  transforms,
  directives: decision.directives,
  rules: decision.rules.map((matched) => {
    const rule = policy?.rules[matched.point].find(({ id }) => id === matched.id)
    const { description = '', transforms = [], directives = [] } = rule ?? {}
    return { ...matched, description, transforms: [...transforms], directives: [...directives] }
  }),
  findings: Object.fromEntries(Object.entries(findings).map(([point, counts]) => [point, present(counts)])),
  failed,
  messages,
  response: response ?? null,
})

const present = (counts: FindingCounts) => Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0))
