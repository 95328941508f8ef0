import type { ItemOf, ResponseOf } from '../../api/operations.ts'

export type ApiKey = ItemOf<'/admin/v1/applications/{id}/keys'>

/** A new key with its secret. */
export type CreatedKey = ResponseOf<'post', '/admin/v1/applications/{id}/keys'> & { readonly isRotated: boolean }
