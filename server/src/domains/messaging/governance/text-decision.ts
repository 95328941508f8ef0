import { type GovernDeps, governScanned, type Scanned, scanContent, type Transformed } from '../../../pipeline/govern.ts'
import type { Cache } from '../../../platform/lib/cache.ts'
import { elapsed } from '../../../platform/lib/clock.ts'
import { Unchangeable } from '../../../shared/content-reading.ts'
import { reportBrokenConditions } from '../../../shared/fault.ts'
import { DEFAULT_SETTINGS } from '../../../shared/principal.ts'
import { estimateTokens } from '../../../shared/tokens.ts'
import { NOTHING_UNREAD } from '../../../shared/unread.ts'
import type { WorkspaceKeys } from '../../audit/workspace-keys.ts'
import type { ActivePolicies } from '../../policy/active-policies.ts'
import type { CompiledPolicy } from '../../policy/compile.ts'
import type { PolicyInput } from '../../policy/input.ts'
import type { FileContents, TextSubmission } from './text-submission.ts'

export interface TextDecisionDeps extends GovernDeps {
  readonly policies: Pick<ActivePolicies, 'current'>
  /** A Workspace's keys, by its id. */
  readonly workspaceKeys: Cache<WorkspaceKeys>
}

/** Dependencies of a decision without an audit record. */
export type UnrecordedDecisionDeps = Omit<TextDecisionDeps, 'workspaceKeys'>

/** The decision of the policies at the point `message` on submitted texts. */
export interface TextDecision extends Pick<Transformed<readonly string[]>, 'decision' | 'transforms'> {
  readonly submission: TextSubmission
  readonly policy: CompiledPolicy
  readonly scanned: Scanned
  /** Texts of attached files, for reviewers. */
  readonly fileTexts: readonly string[]
  /** The texts after the transforms. */
  readonly texts: readonly string[]
  readonly tokens: number
  readonly ms: { readonly classify: number; readonly authorize: number }
}

const START = { classification: DEFAULT_SETTINGS.default_classification, risk: 'low' } as const
/** Conditions can refer to an Application, but a message has none. */
const NO_APPLICATION = { id: '', name: '', settings: DEFAULT_SETTINGS }

const NO_FILES: FileContents = { texts: [], unread: NOTHING_UNREAD }

/**
 * Governs texts at the point `message`, and the texts of attached files. A transform that would change a file denies, because its sender
 * has uploaded it as it is. Undefined: the Workspace has no rules there, so messages are not governed (MSG-GOV-6).
 * Transforms are applied whatever the verdict is, because a reviewer may approve the texts later.
 */
export async function decideOnText(submission: TextSubmission, deps: UnrecordedDecisionDeps): Promise<TextDecision | undefined> {
  const policy = await deps.policies.current(submission.workspaceId)
  if (!policy || policy.rules.message.length === 0) return undefined
  const startedAt = elapsed()
  const files = (await submission.readFiles?.()) ?? NO_FILES
  const own = submission.texts.length
  const texts = [...submission.texts, ...files.texts]
  const scanned = await scanContent({ texts, unread: files.unread, start: START }, deps)
  const tokens = estimateTokens(texts)
  const scannedAt = elapsed()
  const governing = {
    policy,
    input: toPolicyInput(submission, tokens),
    isAllowed: () => true,
    prose: own,
    replace: (transformed: readonly string[]) => {
      if (files.texts.some((text, index) => transformed[own + index] !== text)) throw new Unchangeable('an attached file')
      return transformed.slice(0, own)
    },
  }
  const { decision, value = submission.texts, transforms } = governScanned(scanned, 'message', governing, deps)
  reportBrokenConditions(decision.rules, deps.reportFault)
  const ms = { classify: scannedAt - startedAt, authorize: elapsed() - scannedAt }
  return { submission, policy, scanned, fileTexts: files.texts, decision, texts: value, transforms, tokens, ms }
}

function toPolicyInput({ sender, place, now }: TextSubmission, tokens: number): Omit<PolicyInput, 'content'> {
  const request = { endpoint: 'message', model: '', sessionId: place.id, stream: false, dryRun: false } as const
  return {
    user: sender,
    application: NO_APPLICATION,
    request: { ...request, messageCount: 1, tokens, maxTokens: 0 },
    message: { conversationId: place.id, sender: sender.id, group: place.groupId ?? '' },
    now,
  }
}
