import type { AnswerOf } from '../../api/operations.ts'

export type Overview = AnswerOf<'get', '/admin/v1/overview'>
