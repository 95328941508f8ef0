import type { ItemOf } from '../../api/operations.ts'

export type Operator = ItemOf<'/admin/v1/operators'>
