import type { ItemOf } from '../../api/operations.ts'

export type Provider = ItemOf<'/admin/v1/providers'>
export type Model = ItemOf<'/admin/v1/models'>
