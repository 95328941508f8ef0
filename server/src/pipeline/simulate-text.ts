import type { CompiledPolicy } from '../domains/policy/compile.ts'
import type { PolicyInput } from '../domains/policy/input.ts'
import type { Clock } from '../platform/lib/clock.ts'
import type { PolicyPoint } from '../shared/decision.ts'
import { joinsWithin, replaceTexts } from '../shared/message.ts'
import { type GovernDeps, type Governed, govern } from './govern.ts'
import type { GatewayRequest } from './request.ts'
import { policyInputOf, type RequestContext } from './stage-results.ts'

/** A point that decides on single texts: messages of users, passages and memories. */
export type TextPoint = Exclude<PolicyPoint, 'input' | 'output'>

export interface TextDeps extends GovernDeps {
  readonly clock: Clock
}

/** Decides on the texts of a request as if they were a message, a passage or a memory with the least labels. */
export async function simulateText(
  point: TextPoint,
  policy: CompiledPolicy | undefined,
  context: RequestContext,
  deps: TextDeps,
): Promise<Governed<GatewayRequest['messages']>> {
  const { caller, admitted } = context
  const { request, collected } = admitted
  const start = { classification: caller.application.settings.default_classification, risk: 'low' } as const
  const input = { ...policyInputOf(context, deps.clock.now()), ...subjectAt(point, context, deps.clock.now()) }
  return govern(
    { texts: collected.texts, joins: joinsWithin(collected.spoken), start },
    point,
    { policy, input, isAllowed: () => true, replace: (texts) => replaceTexts(request.messages, texts) },
    deps,
  )
}

/** The values that the rules of a point read besides the text. */
function subjectAt(point: TextPoint, context: RequestContext, now: Date): Partial<Omit<PolicyInput, 'content'>> {
  const labels = { classification: 'public', regulations: [] } as const
  const sender = context.identity.user.id
  switch (point) {
    case 'message': {
      const { request } = policyInputOf(context, now)
      return { request: { ...request, endpoint: 'message' }, message: { conversationId: '', sender, group: '' } }
    }
    case 'retrieve':
      return { hit: { ...labels, title: '', collection: '', document: '', updatedAt: now } }
    default:
      return { memory: { ...labels, scope: 'user', scopeId: sender, kind: 'fact', createdAt: now, expiresAt: null } }
  }
}
