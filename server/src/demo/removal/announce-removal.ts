import { rm } from 'node:fs/promises'
import { BUDGETS_TOPIC } from '../../budgets/budget-store.ts'
import type { Signal } from '../../db/signal.ts'
import { OPERATORS_TOPIC } from '../../domain/operator.ts'
import { APPLICATIONS_TOPIC, KEYS_TOPIC } from '../../identity/authenticator.ts'
import { WORKSPACES_TOPIC } from '../../identity/user-token.ts'
import { ACCESS_TOKENS_TOPIC } from '../../messaging/api/member.ts'
import { EVENTS_TOPIC } from '../../messaging/events/event.ts'
import { ADMIN_TOKENS_TOPIC } from '../../operators/admin-authenticator.ts'
import { POLICIES_TOPIC } from '../../policy/active-policies.ts'
import { PROVIDERS_TOPIC } from '../../providers/provider-store.ts'
import { REVIEWS_TOPIC } from '../../review/review.ts'
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
