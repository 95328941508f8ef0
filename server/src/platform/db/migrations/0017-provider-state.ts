import { execute } from './execute.ts'

export const up = execute([
  'alter table provider add column allow_private_addresses boolean not null default false',
  // Since when the provider fails and operators know of it; null: it works, as far as is known.
  'alter table provider add column failing_since timestamptz',
  // Among the providers of a model, those with a lower number get requests first.
  'alter table model add column fallback_order integer not null default 0',
])
