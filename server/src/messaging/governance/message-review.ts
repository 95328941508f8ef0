import type { WorkspaceKeys } from '../../audit/workspace-keys.ts'
import { newId } from '../../lib/id.ts'
import { bindRequest } from '../../review/request-hash.ts'
import type { NewReview } from '../../review/review-store.ts'
import type { Judgement } from './judge.ts'

/** What a person is asked to look at. `bound`: what an identical attempt is known by, beside its texts. */
export function newReview(
  { utterance, policy, decision, counts }: Judgement,
  auditId: string,
  { binding }: Pick<WorkspaceKeys, 'binding'>,
  bound: Readonly<Record<string, unknown>> = {},
): NewReview {
  const { sender, place, messageId, texts, now } = utterance
  return {
    id: newId('rev'),
    userId: sender.id,
    sessionId: place.id || null,
    endpoint: 'message',
    point: 'message',
    rules: decision.rules.filter((rule) => rule.verdict === decision.verdict),
    classification: decision.classification,
    riskLevel: decision.risk,
    findings: Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0)),
    ...bindRequest(binding, {
      applicationId: null,
      userId: sender.id,
      // Nobody merely claims to be a member: there is nothing to tell apart.
      isVerified: false,
      sessionId: place.id,
      request: { texts, ...bound },
    }),
    policy: policy.version,
    model: null,
    createdAt: now,
    auditId,
    lifetimeMs: decision.holdExpiresInMs,
    messageId: messageId || undefined,
    content: { messages: texts.map((content) => ({ role: 'user', content })) },
  }
}
