import { Type } from 'typebox'
import { findApplication } from '../../../domains/identity/application-store.ts'
import { type PreparedRelease, prepareRelease } from '../../../domains/messaging/messages/release-held.ts'
import { EVALUATION_LIMIT_ERRORS } from '../../../domains/policy/evaluation-limiter.ts'
import type { ReviewItem } from '../../../domains/review/review-row.ts'
import { getReview, readReviewContent } from '../../../domains/review/review-store.ts'
import { previewRelease, type ReleasePreview } from '../../../pipeline/preview-release.ts'
import { oneOf } from '../../../platform/lib/fields.ts'
import { viewOf } from '../../../platform/lib/view.ts'
import { CLASSIFICATIONS } from '../../../shared/classification.ts'
import { decidingRules } from '../../../shared/decision.ts'
import { MEMORY_KINDS, MEMORY_MODES, MEMORY_SCOPES } from '../../../shared/memory-words.ts'
import { conflict, requireFound } from '../../../shared/request-errors.ts'
import { Anything, nullable } from '../../../shared/schemas.ts'
import { handle, type TypedApp } from '../../kit/route.ts'
import type { AdminDeps } from '../admin-deps.ts'
import { change } from '../kit/change.ts'
import { inWorkspace } from '../kit/operation.ts'
import { PolicyVersionView } from '../policies/policy-shapes.ts'

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

const ReviewPreviewView = Type.Object({
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

const NOTHING = {
  transforms: [],
  directives: [],
  providers: [],
  searches: { knowledge: false, memory: false },
}

/** A held message as members would see it, or why it cannot be released. */
function messageView(release: PreparedRelease | undefined) {
  const remembered = { memories: [], left_out: 0, extracted: false, reason: 'message' as const }
  if (release?.text) {
    const messages = release.text.texts.map((content) => ({ role: 'user', content }))
    return { ...NOTHING, policy: null, refusal: null, released: { messages }, remembered }
  }
  const refusal = { code: 'CONFLICT', reason: release ? 'policy_denies_now' : 'message_gone', rules: [], failed: [] }
  return { ...NOTHING, policy: null, refusal, released: null, remembered }
}

function releaseView(preview: ReleasePreview) {
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

const docs = inWorkspace('GET /reviews/:id/preview', 'previewReview', 'Preview what the release of a hold would let go', {
  scope: 'reviews:content',
  description:
    'Runs the detectors, rules and transforms of a release with the active policies. No provider is called, nothing is stored, and the hold stays as it is. Reading the preview is recorded in the audit log.',
  answers: { 200: ReviewPreviewView },
  errors: {
    404: 'NOT_FOUND: the item, its Application, or the Workspace',
    409: 'CONFLICT: an escalation, or a hold that is denied, expired or released',
    ...EVALUATION_LIMIT_ERRORS,
  },
})

export function reviewPreviewRoutes(app: TypedApp, deps: AdminDeps): void {
  handle(app, docs, async (request) => {
    const { workspaceId, params } = request
    const item = requireFound(await getReview(deps.db, workspaceId, params.id, deps.clock.now()), 'review item')
    const value = { object: 'review_preview' as const, review_item_id: item.id, ...(await preview(item, deps)) }
    return change(deps, request, async () => ({ value, action: 'review.read', id: item.id, fields: ['preview'] }))
  })
}

async function preview(item: ReviewItem, deps: AdminDeps) {
  const { db, clock, reviewBox, evaluationLimiter } = deps
  const { id, workspaceId, kind, state, applicationId, endpoint } = item
  const isReleasable = kind === 'hold' && (state === 'pending' || state === 'approved')
  const content = isReleasable ? await readReviewContent(db, workspaceId, id, clock.now(), reviewBox) : undefined
  if (!content) throw notReleasable(item)
  if (endpoint === 'message') return messageView(await prepareRelease(deps, workspaceId, id, clock.now()))
  const application = requireFound(await findApplication(db, workspaceId, applicationId ?? ''), 'Application')
  return releaseView(await evaluationLimiter.run((pause) => previewRelease({ item, content, application }, deps, pause)))
}

function notReleasable({ kind, state }: ReviewItem) {
  const message = `Only a pending or approved hold can be previewed. This review item is a ${kind} in the state ${state}.`
  return conflict(message, { details: { state, kind } })
}
