import type { ItemOf } from '../../api/operations.ts'

export type Memory = ItemOf<'/admin/v1/memories'>
