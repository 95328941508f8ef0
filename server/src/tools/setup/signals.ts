import { BUDGETS_TOPIC } from '../../domains/budgets/budget-store.ts'
import { APPLICATIONS_TOPIC, KEYS_TOPIC } from '../../domains/identity/authenticator.ts'
import { WORKSPACES_TOPIC } from '../../domains/identity/user-token.ts'
import { ACCESS_TOKENS_TOPIC } from '../../domains/messaging/people/member.ts'
import { ADMIN_TOKENS_TOPIC } from '../../domains/operators/admin-authenticator.ts'
import { POLICIES_TOPIC } from '../../domains/policy/active-policies.ts'
import { PROVIDERS_TOPIC } from '../../domains/providers/provider-store.ts'
import type { Signal } from '../../platform/db/signal.ts'
import { OPERATORS_TOPIC } from '../../shared/operator.ts'
import type { Change } from './change.ts'

/** The signal topic for changes of each kind of object. undefined: nodes do not cache these objects. */
const TOPICS: Readonly<Record<Change['object'], string | undefined>> = {
  workspace: WORKSPACES_TOPIC,
  application: APPLICATIONS_TOPIC,
  key: KEYS_TOPIC,
  admin_token: ADMIN_TOKENS_TOPIC,
  access_token: ACCESS_TOKENS_TOPIC,
  provider: PROVIDERS_TOPIC,
  policy_set: POLICIES_TOPIC,
  user: undefined,
  collection: undefined,
  budget: BUDGETS_TOPIC,
  document: undefined,
  memory: undefined,
  group: undefined,
  operator: OPERATORS_TOPIC,
  operator_invitation: undefined,
}

/** Signals committed changes to the running nodes. `key`: id of the Workspace, empty for changes of the server. */
export async function publishChanges(signal: Signal, key: string, changes: readonly Change[]): Promise<void> {
  const topics = new Set(changes.filter(({ done }) => done !== 'unchanged').map(({ object }) => TOPICS[object]))
  for (const topic of topics) if (topic !== undefined) await signal.publish(topic, key)
}
