import { execute } from './execute.ts'

/** Providers that an owner allows to have private addresses. */
export const up = execute(['alter table provider add column allow_private_addresses boolean not null default false'])
