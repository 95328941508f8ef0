import { type GovernDeps, governScanned, type Scanned, scanContent, type Transformed } from '../../../pipeline/govern.ts'
import type { Cache } from '../../../platform/lib/cache.ts'
import { elapsed } from '../../../platform/lib/clock.ts'
import { Unchangeable } from '../../../shared/content-reading.ts'
import { reportBrokenConditions } from '../../../shared/fault.ts'
import { DEFAULT_SETTINGS, type User } from '../../../shared/principal.ts'
import { estimateTokens } from '../../../shared/tokens.ts'
import { NOTHING_UNREAD, type Unread } from '../../../shared/unread.ts'
import type { WorkspaceKeys } from '../../audit/workspace-keys.ts'
import type { GroupDirectory } from '../../identity/group-directory.ts'
import type { ActivePolicies } from '../../policy/active-policies.ts'
import type { CompiledPolicy } from '../../policy/compile.ts'
import type { PolicyInput } from '../../policy/input.ts'

export interface TextDecisionDeps extends GovernDeps {
  readonly policies: Pick<ActivePolicies, 'current'>
  readonly workspaceKeys: Cache<WorkspaceKeys>
  readonly groups: Pick<GroupDirectory, 'withGroups'>
}

export type UnrecordedDecisionDeps = Omit<TextDecisionDeps, 'workspaceKeys'>

export interface TextDecision extends Pick<Transformed<readonly string[]>, 'decision' | 'transforms'> {
  readonly submission: TextSubmission
  readonly policy: CompiledPolicy
  readonly scanned: Scanned
  readonly fileTexts: readonly string[]
  readonly texts: readonly string[]
  readonly tokens: number
  readonly ms: { readonly classify: number; readonly authorize: number }
}

const START = { classification: DEFAULT_SETTINGS.default_classification, risk: 'low' } as const
const NO_APPLICATION = { id: '', name: '', settings: DEFAULT_SETTINGS }

const NO_FILES: FileContents = { texts: [], unread: NOTHING_UNREAD }

/** Transforms apply whatever the verdict is, because a reviewer may approve later. Undefined: no rules for messages (MSG-GOV-6). */
export async function decideOnText(submission: TextSubmission, deps: UnrecordedDecisionDeps): Promise<TextDecision | undefined> {
  const policy = await deps.policies.current(submission.workspaceId)
  if (!policy || policy.rules.message.length === 0) return undefined
  const startedAt = elapsed()
  const sender = await deps.groups.withGroups(submission.workspaceId, submission.sender)
  const files = (await submission.readFiles?.()) ?? NO_FILES
  const own = submission.texts.length
  const texts = [...submission.texts, ...files.texts]
  const scanned = await scanContent({ texts, unread: files.unread, start: START }, deps)
  const tokens = estimateTokens(texts)
  const scannedAt = elapsed()
  const governing = {
    policy,
    input: toPolicyInput({ ...submission, sender }, tokens),
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

export interface TextPlace {
  /** `conv_…`; empty: no conversation, for the fields of a user or group. */
  readonly id: string
  readonly groupId: string | null
}

export interface FileContents {
  readonly texts: readonly string[]
  readonly unread: Unread
}

export interface TextSubmission {
  readonly workspaceId: string
  readonly sender: User
  readonly place: TextPlace
  /** Id of the message that the texts belong to (`msg_…`), which may not be stored yet. Empty: they belong to no message. */
  readonly messageId: string
  readonly change: 'create' | 'update' | 'react' | 'profile'
  /** The text of the message, if there is one; then the texts that other users see with it, such as names of files. */
  readonly texts: readonly string[]
  /** Reads the files that are sent with the texts. It is called only if the Workspace has policies for messages. */
  readonly readFiles?: (() => Promise<FileContents>) | undefined
  /** `aud_…`: the request whose completion the text is. */
  readonly requestAuditId?: string | undefined
  readonly now: Date
}
