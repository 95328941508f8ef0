import { execute } from './execute.ts'

/** counted_as: the first key of a rotation, under which limits and budgets count the keys that replace it; null: the key itself. */
export const up = execute(['alter table api_key add column counted_as uuid'])
