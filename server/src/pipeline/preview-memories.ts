import type { MemoryDraft } from '../domains/memory/memory.ts'
import { combineDirectives } from '../domains/policy/directives.ts'
import { explicitCandidates } from './memory-candidates.ts'
import type { Authorized, Inspected, RequestContext } from './stage-results.ts'
import { type CapturePlan, decideOnCandidates, planCapture } from './stages/11-remember.ts'

export type PreviewMemoriesDeps = Parameters<typeof decideOnCandidates>[4]

export interface PreviewedMemories {
  readonly memories: readonly MemoryDraft[]
  /** Candidates that rules, detectors or limits leave out. */
  readonly leftOut: number
  /** The Application's model extracts memories at the release, so they are not known before. */
  readonly isExtracted: boolean
  readonly reason?: Extract<CapturePlan, { reason: string }>['reason'] | 'operator' | 'refused'
}

/** Stage 11 without the model that extracts memories. */
export async function previewMemories(
  context: RequestContext,
  authorized: Authorized,
  inspected: Inspected,
  deps: PreviewMemoriesDeps,
): Promise<PreviewedMemories> {
  const none = { memories: [], leftOut: 0, isExtracted: false }
  // Directives of output rules count here as well.
  const steered = { ...authorized, directives: combineDirectives(inspected.decision.directives) }
  const plan = planCapture(context, steered)
  if ('reason' in plan) return { ...none, reason: plan.reason }
  if (context.caller.memoryDisabled) return { ...none, reason: 'operator' }
  if (plan.capture === 'extract') return { ...none, isExtracted: true }
  const { default_classification: classification } = context.caller.application.settings
  const candidates = explicitCandidates(steered, plan.scope, classification)
  const { drafts } = await decideOnCandidates(candidates, context, steered, inspected, deps)
  return { memories: drafts, leftOut: candidates.length - drafts.length, isExtracted: false }
}
