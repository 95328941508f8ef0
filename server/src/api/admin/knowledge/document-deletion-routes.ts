import { type Static, Type } from 'typebox'
import { findCollection } from '../../../domains/knowledge/collection-store.ts'
import {
  countSelected,
  type DeletedDocument,
  type DocumentSelection,
  deleteSelected,
} from '../../../domains/knowledge/delete-documents.ts'
import { DELETION_PERCENT, needsConfirmation } from '../../../domains/knowledge/deletion-guard.ts'
import { isStorable } from '../../../platform/lib/fields.ts'
import { conflict, invalid, requireFound } from '../../../shared/request-errors.ts'
import { handle, type TypedApp } from '../../kit/route.ts'
import type { AdminDeps } from '../admin-deps.ts'
import { change } from '../kit/change.ts'
import { inWorkspace } from '../kit/operation.ts'

/** Most documents that a request deletes. */
const MOST = 1_000
/** Documents of a transaction, which keeps other writers of the collection waiting. */
const BATCH = 50

const Selection = Type.Object(
  {
    keys: Type.Optional(Type.Array(Type.String({ minLength: 1, maxLength: 2_000 }), { minItems: 1, maxItems: MOST })),
    source: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 2_000,
        description: 'Deletes the documents whose `source` begins with this text, for example `https://files.example.com/hr/`.',
      }),
    ),
    force: Type.Optional(
      Type.Boolean({ description: `\`true\` also deletes more than ${DELETION_PERCENT} % of the documents of the collection.` }),
    ),
  },
  { title: 'DocumentDeletionRequest' },
)

const DeletionView = Type.Object({
  object: Type.Literal('document_deletion'),
  data: Type.Array(Type.Object({ key: Type.String(), document_id: Type.String() }, { title: 'DeletedDocument' })),
  has_more: Type.Boolean({ description: 'More documents are selected: repeat the request.' }),
})

const docs = inWorkspace('POST /collections/:id/documents/delete', 'deleteDocuments', 'Delete documents by key or by source', {
  scope: 'knowledge:write',
  description: `Deletes up to ${MOST} documents with their attachments, in transactions of ${BATCH}. Keys without a document are ignored, so the request can be repeated. More than ${DELETION_PERCENT} % of the documents of the collection are deleted only with \`force\`, because a list that is empty by mistake would select them all.`,
  body: Selection,
  answers: { 200: DeletionView },
  errors: {
    404: 'NOT_FOUND: the collection, or the Workspace',
    409: `CONFLICT: more than ${DELETION_PERCENT} % of the documents are selected, without \`force\``,
  },
})

export function documentDeletionRoutes(app: TypedApp, deps: AdminDeps): void {
  handle(app, docs, async (request) => {
    const { workspaceId, params, body } = request
    requireFound(await findCollection(deps.db, workspaceId, params.id), 'collection')
    const selection = selectionOf(body)
    const { selected, all } = await countSelected(deps.db, workspaceId, params.id, selection)
    if (body.force !== true && needsConfirmation(selected, all))
      throw conflict(
        `${selected} of ${all} documents would be deleted, which is more than ${DELETION_PERCENT} %, so no document was deleted. Check the selection, or send \`force\`.`,
      )
    const deleted: DeletedDocument[] = []
    for (let isLast = false; !isLast && deleted.length < MOST; ) {
      const batch = await deleteBatch(deps, request, params.id, selection)
      deleted.push(...batch)
      isLast = batch.length < BATCH
    }
    return {
      object: 'document_deletion' as const,
      data: deleted.map(({ key, documentId }) => ({ key, document_id: documentId })),
      has_more: selected > deleted.length,
    }
  })
}

const deleteBatch = (
  deps: AdminDeps,
  request: Parameters<typeof change>[1],
  collectionId: string,
  selection: DocumentSelection,
): Promise<readonly DeletedDocument[]> =>
  change(deps, request, async (tx) => {
    const value = requireFound(await deleteSelected(tx, request.workspaceId, collectionId, selection, BATCH), 'collection')
    const [first, ...others] = value.map(({ documentId: id }) => ({ action: 'document.delete' as const, id }))
    return first ? { value, ...first, caused: others } : { value }
  })

function selectionOf({ keys, source }: Static<typeof Selection>): DocumentSelection {
  if ((keys === undefined) === (source === undefined))
    throw invalid({ param: 'keys', message: 'must be given, or source, and not both' })
  // No document has a key or a source that cannot be stored.
  if (source !== undefined) {
    if (!isStorable(source)) throw invalid({ param: 'source', message: 'must not contain U+0000 or unpaired surrogates' })
    return { source }
  }
  return { keys: keys?.filter(isStorable) ?? [] }
}
