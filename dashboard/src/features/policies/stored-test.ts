import type { ItemOf, ResponseOf } from '../../api/operations.ts'

export type TestRun = ResponseOf<'post', '/admin/v1/policy-sets/test'>
export type StoredTest = ItemOf<'/admin/v1/policy-tests'>
