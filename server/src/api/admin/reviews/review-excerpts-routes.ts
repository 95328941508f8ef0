import { Type } from 'typebox'
import { excerptOf } from '../../../domains/review/excerpt.ts'
import { readReviewContent } from '../../../domains/review/review-store.ts'
import { handle, type TypedApp } from '../../kit/route.ts'
import type { AdminDeps } from '../admin-deps.ts'
import { change } from '../kit/change.ts'
import { inWorkspace } from '../kit/operation.ts'

/** At most 50 ids of 30 characters. */
const IDS = '^rev_[0-9a-z]{26}(,rev_[0-9a-z]{26}){0,49}$'

const ExcerptView = Type.Object(
  { id: Type.String(), text: Type.String({ description: 'At most 161 characters, on one line.' }) },
  { title: 'ReviewExcerpt' },
)

const docs = inWorkspace('GET /reviews/excerpts', 'listReviewExcerpts', 'Read the first lines of held texts, to scan a queue', {
  scope: 'reviews:content',
  description:
    'The completion that is held, or the last message of the user. Items without text, and those whose content was erased, are left out. One record of the audit log, `review_queue.read`, names all items that were read.',
  query: {
    ids: Type.Optional(
      Type.String({
        pattern: IDS,
        description: 'Up to 50 ids of review items, separated by commas. Without it the list is empty.',
      }),
    ),
  },
  answers: { 200: Type.Object({ object: Type.Literal('list'), data: Type.Array(ExcerptView) }) },
})

export function reviewExcerptsRoutes(app: TypedApp, deps: AdminDeps): void {
  const { db, clock, reviewBox } = deps

  handle(app, docs, async (request) => {
    const { workspaceId, query } = request
    const data = []
    for (const id of new Set(query.ids?.split(','))) {
      const content = await readReviewContent(db, workspaceId, id, clock.now(), reviewBox)
      const text = content && excerptOf(content)
      if (text !== undefined) data.push({ id, text })
    }
    const value = { object: 'list' as const, data }
    if (data.length === 0) return value
    const fields = data.map(({ id }) => id)
    return change(deps, request, async () => ({ value, action: 'review_queue.read', id: workspaceId, fields }))
  })
}
