import { findApplication } from '../../../domains/identity/application-store.ts'
import { prepareRelease } from '../../../domains/messaging/messages/release-held.ts'
import { EVALUATION_LIMIT_ERRORS } from '../../../domains/policy/evaluation-limiter.ts'
import type { ReviewItem } from '../../../domains/review/review-row.ts'
import { getReview, readReviewContent } from '../../../domains/review/review-store.ts'
import { previewRelease } from '../../../pipeline/preview-release.ts'
import { conflict, requireFound } from '../../../shared/request-errors.ts'
import { handle, type TypedApp } from '../../kit/route.ts'
import type { AdminDeps } from '../admin-deps.ts'
import { change } from '../kit/change.ts'
import { inWorkspace } from '../kit/operation.ts'
import { messageView, ReviewPreviewView, releaseView } from './review-preview-shapes.ts'

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
