import type { ReleasePreview } from '../../../pipeline/preview-release.ts'
import { decidingRules } from '../../../shared/decision.ts'

/** A held message's texts as members would see them, or why it cannot be released. */
export type MessagePreview = { readonly texts: readonly string[] } | { readonly refused: 'policy_denies_now' | 'message_gone' }

const NOTHING = { transforms: [], directives: [], providers: [], searches: { knowledge: false, memory: false } }

export function messageView(preview: MessagePreview) {
  const remembered = { memories: [], left_out: 0, extracted: false, reason: 'message' as const }
  if ('texts' in preview) {
    const messages = preview.texts.map((content) => ({ role: 'user', content }))
    return { ...NOTHING, policy: null, refusal: null, released: { messages }, remembered }
  }
  const refusal = { code: 'CONFLICT', reason: preview.refused, rules: [], failed: [] }
  return { ...NOTHING, policy: null, refusal, released: null, remembered }
}

export function releaseView(preview: ReleasePreview) {
  const { refusal, decision, policy, request, completion, memories, transforms, providers, searches } = preview
  const { memories: drafts, leftOut, isExtracted, reason = null } = memories
  return {
    policy: policy?.version ?? null,
    refusal: refusal
      ? {
          code: refusal.code,
          reason: null,
          rules: refusal.code === 'POLICY_DENIED' && decision ? decidingRules(decision) : [],
          failed: (refusal.fields.details?.failed as readonly string[] | undefined) ?? [],
        }
      : null,
    released: refusal ? null : { ...request, ...(completion && { completion }) },
    transforms,
    directives: decision?.directives ?? [],
    providers,
    searches,
    remembered: {
      memories: drafts.map(({ content, summary, kind, scope, classification, mode }) => ({
        ...{ content, summary, kind, scope, classification, mode },
      })),
      left_out: leftOut,
      extracted: isExtracted,
      reason,
    },
  }
}
