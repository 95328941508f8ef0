import { newId } from '../../../platform/lib/id.ts'
import type { WorkspaceKeys } from '../../audit/workspace-keys.ts'
import { requestHash } from '../../review/request-hash.ts'
import type { NewReview } from '../../review/review-store.ts'
import type { TextDecision } from './text-decision.ts'

/** The name of a message in a review item that has the text of a file. */
export const FILE = 'file'

/** The review item of texts. `bound`: values that, together with the texts, identify an identical submission (GW-REV-11). */
export function newMessageReview(
  { submission, policy, decision, scanned, fileTexts }: TextDecision,
  auditId: string,
  { binding }: Pick<WorkspaceKeys, 'binding'>,
  bound: Readonly<Record<string, unknown>> = {},
): NewReview {
  const { sender, place, messageId, texts, now } = submission
  return {
    id: newId('rev'),
    userId: sender.id,
    sessionId: place.id || null,
    endpoint: 'message',
    point: 'message',
    rules: decision.rules.filter((rule) => rule.verdict === decision.verdict),
    classification: decision.classification,
    riskLevel: decision.risk,
    findings: Object.fromEntries(Object.entries(scanned.counts).filter(([, count]) => count > 0)),
    requestHash: requestHash(binding, {
      applicationId: null,
      userId: sender.id,
      // All members are verified, so the hash does not depend on it.
      isVerified: false,
      sessionId: place.id,
      request: { texts, ...bound },
    }),
    policy: policy.version,
    model: null,
    createdAt: now,
    auditId,
    lifetimeMs: decision.holdExpiresInMs,
    requiredApprovals: decision.approvals,
    messageId: messageId || undefined,
    content: {
      messages: [
        ...texts.map((content) => ({ role: 'user' as const, content })),
        ...fileTexts.map((text) => ({ role: 'user' as const, name: FILE, content: text.toWellFormed() })),
      ],
    },
  }
}
