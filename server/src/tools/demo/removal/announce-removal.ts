import { rm } from 'node:fs/promises'
import { BUDGETS_TOPIC } from '../../../domains/budgets/budget-store.ts'
import { APPLICATIONS_TOPIC, KEYS_TOPIC } from '../../../domains/identity/authenticator.ts'
import { WORKSPACES_TOPIC } from '../../../domains/identity/user-token.ts'
import { EVENTS_TOPIC } from '../../../domains/messaging/events/event.ts'
import { ACCESS_TOKENS_TOPIC } from '../../../domains/messaging/people/member.ts'
import { ADMIN_TOKENS_TOPIC } from '../../../domains/operators/admin-authenticator.ts'
import { POLICIES_TOPIC } from '../../../domains/policy/active-policies.ts'
import { PROVIDERS_TOPIC } from '../../../domains/providers/provider-store.ts'
import { REVIEWS_TOPIC } from '../../../domains/review/review.ts'
import type { Signal } from '../../../platform/db/signal.ts'
import { OPERATORS_TOPIC } from '../../../shared/operator.ts'
import { demoFilePath } from '../demo-file.ts'
import type { Removal } from './remove-demo.ts'

const TOPICS = [
  KEYS_TOPIC,
  APPLICATIONS_TOPIC,
  ACCESS_TOKENS_TOPIC,
  WORKSPACES_TOPIC,
  POLICIES_TOPIC,
  PROVIDERS_TOPIC,
  BUDGETS_TOPIC,
  REVIEWS_TOPIC,
  EVENTS_TOPIC,
  ADMIN_TOKENS_TOPIC,
  OPERATORS_TOPIC,
]

/** After the commit: no node answers from what it remembers of the Workspace, and demo.json is deleted unless its owner stays. */
export async function announceRemoval(
  { workspaceId, isOwnerKept }: Extract<Removal, { ok: true }>,
  { signal, dataDir }: { readonly signal: Signal; readonly dataDir: string },
): Promise<void> {
  for (const topic of TOPICS) await signal.publish(topic, workspaceId)
  if (!isOwnerKept) await rm(demoFilePath(dataDir), { force: true })
}
