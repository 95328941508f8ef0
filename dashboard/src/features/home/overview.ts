import type { ResponseOf } from '../../api/operations.ts'

export type Overview = ResponseOf<'get', '/admin/v1/overview'>
export type Usage = ResponseOf<'get', '/admin/v1/usage'>
