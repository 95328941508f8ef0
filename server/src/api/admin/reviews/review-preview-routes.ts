import { findApplication } from '../../../domains/identity/application-store.ts'
import { EVALUATION_LIMIT_ERRORS, type EvaluationLimiter } from '../../../domains/policy/evaluation-limiter.ts'
import type { ReviewItem } from '../../../domains/review/review-row.ts'
import { getReview, readReviewContent } from '../../../domains/review/review-store.ts'
import { GatehouseError } from '../../../errors.ts'
import type { PipelineDeps } from '../../../pipeline/pipeline.ts'
import { previewRelease } from '../../../pipeline/preview-release.ts'
import { notFound } from '../../../shared/request-errors.ts'
import { handle, type TypedApp } from '../../kit/route.ts'
import { type ChangeDeps, change } from '../kit/change.ts'
import { inWorkspace } from '../kit/operation.ts'
import { ReviewPreviewView } from './review-preview-shapes.ts'
import { type MessagePreview, messageView, releaseView } from './review-preview-view.ts'

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

interface PreviewDeps {
  readonly evaluationLimiter: EvaluationLimiter
  readonly heldMessages: {
    /** The texts as members would see them; undefined: the message cannot be stored, or the active policies deny it. */
    readonly preview: (workspaceId: string, itemId: string, now: Date) => Promise<MessagePreview>
  }
}

type Deps = PipelineDeps & ChangeDeps & PreviewDeps

export function reviewPreviewRoutes(app: TypedApp, deps: Deps): void {
  handle(app, docs, async (request) => {
    const { workspaceId, params } = request
    const item = await getReview(deps.db, workspaceId, params.id, deps.clock.now())
    if (!item) throw notFound('review item')
    const value = { object: 'review_preview' as const, review_item_id: item.id, ...(await preview(item, deps)) }
    return change(deps, request, async () => ({ value, action: 'review.read', id: item.id, fields: ['preview'] }))
  })
}

async function preview(item: ReviewItem, deps: Deps) {
  const { db, clock, reviewBox, evaluationLimiter, heldMessages } = deps
  const { id, workspaceId, kind, state, applicationId, endpoint } = item
  const isReleasable = kind === 'hold' && (state === 'pending' || state === 'approved')
  const content = isReleasable ? await readReviewContent(db, workspaceId, id, clock.now(), reviewBox) : undefined
  if (!content) throw notReleasable(item)
  if (endpoint === 'message') return messageView(await heldMessages.preview(workspaceId, id, clock.now()))
  const application = await findApplication(db, workspaceId, applicationId ?? '')
  if (!application) throw notFound('Application')
  return releaseView(await evaluationLimiter.run((pause) => previewRelease({ item, content, application }, deps, pause)))
}

const notReleasable = ({ kind, state }: ReviewItem): GatehouseError =>
  new GatehouseError('CONFLICT', {
    message: `Only a pending or approved hold can be previewed. This review item is a ${kind} in the state ${state}.`,
    details: { state, kind },
  })
