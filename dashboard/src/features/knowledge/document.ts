import type { ItemOf } from '../../api/operations.ts'

export type Document = ItemOf<'/admin/v1/documents'>

/** Path prefixes that a change of a document refreshes. */
export const DOCUMENT_REFRESH = ['/admin/v1/documents']
