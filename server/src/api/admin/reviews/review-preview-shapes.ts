import { Type } from 'typebox'
import { MEMORY_MODES } from '../../../domains/memory/memory.ts'
import type { PreparedRelease } from '../../../domains/messaging/messages/release-held.ts'
import type { ReleasePreview } from '../../../pipeline/preview-release.ts'
import { oneOf } from '../../../platform/lib/fields.ts'
import { viewOf } from '../../../platform/lib/view.ts'
import { CLASSIFICATIONS } from '../../../shared/classification.ts'
import { decidingRules } from '../../../shared/decision.ts'
import { MEMORY_KINDS, MEMORY_SCOPES } from '../../../shared/memory-words.ts'
import { Anything, nullable } from '../../../shared/schemas.ts'
import { PolicyVersionView } from '../../kit/decision-shapes.ts'

const strings = (description: string) => Type.Array(Type.String(), { description })

const RefusalView = Type.Object({
  code: Type.String({ description: 'The error that the client would get.' }),
  reason: nullable(Type.String({ description: 'Messages: `policy_denies_now` or `message_gone`.' })),
  rules: strings('The rules that deny.'),
  failed: strings('Detectors and transforms that failed, and therefore deny.'),
})

const PlannedMemory = Type.Object({
  content: Type.String(),
  summary: nullable(Type.String()),
  kind: oneOf(MEMORY_KINDS, 'MemoryKind'),
  scope: oneOf(MEMORY_SCOPES, 'MemoryScope'),
  classification: oneOf(CLASSIFICATIONS, 'Classification'),
  mode: oneOf(MEMORY_MODES, 'MemoryMode'),
})

const RememberedView = Type.Object({
  memories: Type.Array(PlannedMemory, {
    description: 'Memories that the user asks for. Output rules can still turn them off when a held request is released.',
  }),
  left_out: Type.Integer({ description: 'Memories that the user asks for and that are not stored.' }),
  extracted: Type.Boolean({
    description: 'A model of the Application extracts memories at the release. They are not known before.',
  }),
  reason: nullable({
    ...oneOf(['disabled', 'policy', 'no_owner', 'operator', 'refused', 'message']),
    description:
      'Why nothing is remembered: by the settings of the Application, by a directive, without user and session, for an operator in the playground, because the release is refused, or for a message between users.',
  }),
})

export const ReviewPreviewView = Type.Object({
  object: Type.Literal('review_preview'),
  review_item_id: Type.String(),
  policy: nullable({ ...PolicyVersionView, description: 'The active version. null: none, or a message between users.' }),
  refusal: nullable({ ...RefusalView, description: 'The release would be refused now.' }),
  released: nullable(
    Type.Object(
      { messages: Type.Optional(Type.Array(Anything)), parameters: Type.Optional(Anything), completion: Type.Optional(Anything) },
      {
        description:
          'A held request as the provider would get it (`messages`, `parameters`), a held completion as the client would receive it (`completion`), or a message as members would see it (`messages`).',
      },
    ),
  ),
  transforms: strings('Transforms that change a text.'),
  directives: strings('Directives of the policies.'),
  providers: strings('Providers that may serve a held request.'),
  searches: Type.Object(
    { knowledge: Type.Boolean(), memory: Type.Boolean() },
    { description: 'Whether passages and memories are searched at the release and added to the request.' },
  ),
  remembered: RememberedView,
})

const NOTHING = { transforms: [], directives: [], providers: [], searches: { knowledge: false, memory: false } }

/** A held message as members would see it, or why it cannot be released. */
export function messageView(release: PreparedRelease | undefined) {
  const remembered = { memories: [], left_out: 0, extracted: false, reason: 'message' as const }
  if (release?.text) {
    const messages = release.text.texts.map((content) => ({ role: 'user', content }))
    return { ...NOTHING, policy: null, refusal: null, released: { messages }, remembered }
  }
  const refusal = { code: 'CONFLICT', reason: release ? 'policy_denies_now' : 'message_gone', rules: [], failed: [] }
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
      memories: drafts.map((draft) => viewOf(PlannedMemory, draft)),
      left_out: leftOut,
      extracted: isExtracted,
      reason,
    },
  }
}
