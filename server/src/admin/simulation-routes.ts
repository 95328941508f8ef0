import { Type } from 'typebox'
import { findApplication } from '../applications/application-store.ts'
import { oneOf } from '../applications/shapes.ts'
import { CLASSIFICATIONS, RISK_LEVELS } from '../domain/classification.ts'
import { VERDICTS } from '../domain/decision.ts'
import type { FindingCounts } from '../domain/finding.ts'
import { type Application, DEFAULT_LIMITS, DEFAULT_SETTINGS } from '../domain/principal.ts'
import { GatehouseError } from '../errors.ts'
import { ChatBody, parseChat } from '../gateway/chat-request.ts'
import type { GatewayRequest } from '../pipeline/request.ts'
import type { AdminApp, AdminDeps } from './admin-deps.ts'
import { chosenPolicy } from './chosen-policy.ts'
import { inWorkspace } from './operation.ts'
import { ChosenPolicyView, chosenPolicyView, Source } from './policy-shapes.ts'
import { invalid, notFound } from './refusals.ts'
import { RuleView } from './review-shapes.ts'
import { Anything, nullable } from './shapes.ts'
import { type Foreseen, simulate } from './simulate.ts'
import { TRIAL_ERRORS } from './trials.ts'

const SimulationBody = Type.Object({
  source: Type.Optional({ ...Source, description: 'A draft. Default: the version in force.' }),
  policy_set_id: Type.Optional(Type.String({ description: 'A published version.' })),
  application_id: Type.Optional(Type.String({ description: 'Whose request it is. Default: one with no settings of its own.' })),
  request: { ...ChatBody, description: 'As `POST /v1/chat/completions` takes it.' },
  response: Type.Optional(Type.String({ description: 'What a model might answer: output policies are asked too.' })),
  point: Type.Optional(oneOf(['input', 'output'])),
  user_verified: Type.Optional(Type.Boolean({ description: 'As if a user token vouched for the user.' })),
})

const strings = Type.Array(Type.String())
const Counts = Type.Record(Type.String(), Type.Integer())
const SimulationView = Type.Object({
  object: Type.Literal('policy_simulation'),
  policy: nullable(ChosenPolicyView),
  point: oneOf(['input', 'output']),
  verdict: oneOf(VERDICTS),
  risk_level: oneOf(RISK_LEVELS),
  classification: oneOf(CLASSIFICATIONS),
  transforms: { ...strings, description: 'Those that change something.' },
  directives: strings,
  rules: Type.Array(RuleView),
  findings: Type.Object({ input: Type.Optional(Counts), output: Type.Optional(Counts) }),
  failed: { ...strings, description: 'What could not be carried out, and therefore denies.' },
  messages: Type.Array(Anything, { description: 'As the provider would get them.' }),
  response: nullable(Type.String({ description: 'As the caller would get it.' })),
})

const docs = inWorkspace('simulatePolicies', 'What policies would make of a request, without running it', {
  scope: 'policies:read',
  description: 'Runs the detectors, rules and transforms of a real exchange. No provider is called, and nothing is stored.',
  query: {},
  body: SimulationBody,
  answers: { 200: SimulationView },
  errors: { 404: 'NOT_FOUND: the policy set, the Application, or the Workspace', ...TRIAL_ERRORS },
})

export function simulationRoutes(app: AdminApp, deps: AdminDeps): void {
  const { db, policies, trials } = deps

  app.post('/policy-sets/simulate', { schema: docs }, async ({ workspaceId, body }) => {
    const { application_id, response, user_verified = false } = body
    const { point = response === undefined ? 'input' : 'output' } = body
    if (point === 'output' && response === undefined)
      throw invalid({ param: 'response', message: 'is required at the point output' })
    const application =
      application_id === undefined ? anybody(workspaceId) : await findApplication(db, workspaceId, application_id)
    if (!application) throw notFound('Application')
    const policy = (await chosenPolicy(db, workspaceId, body)) ?? (await policies.current(workspaceId))
    const request = requestOf(body.request, application, deps)
    const supposed = { policy, application, request, userVerified: user_verified }
    const answered = point === 'output' ? response : undefined
    const result = await trials.run((pause) => simulate({ ...supposed, response: answered }, deps, pause))
    return {
      object: 'policy_simulation',
      policy: policy ? chosenPolicyView(policy.version) : null,
      point,
      ...simulationView(result),
    }
  })
}

const anybody = (workspaceId: string): Application => ({
  id: '',
  workspaceId,
  name: '',
  settings: DEFAULT_SETTINGS,
  limits: DEFAULT_LIMITS,
  models: null,
  providers: null,
  defaultModel: null,
  ceiling: 'restricted',
})

/** As the gateway reads it for that Application; what is wrong is told by its place in this body. */
function requestOf(body: unknown, application: Application, { chatLimits }: AdminDeps): GatewayRequest {
  const parsed = parseChat(body, application, chatLimits)
  if (parsed.ok) return parsed.request
  const { param, message } = parsed.problem
  throw new GatehouseError('VALIDATION_ERROR', { param: param ? `request.${param}` : 'request', message: `request: ${message}` })
}

const simulationView = ({ decision, transforms, findings, failed, messages, response }: Foreseen) => ({
  verdict: decision.verdict,
  risk_level: decision.risk,
  classification: decision.classification,
  transforms,
  directives: decision.directives,
  rules: decision.rules,
  findings: Object.fromEntries(Object.entries(findings).map(([point, counts]) => [point, present(counts)])),
  failed,
  messages,
  response: response ?? null,
})

const present = (counts: FindingCounts) => Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0))
