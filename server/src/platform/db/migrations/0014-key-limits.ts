import { execute } from './execute.ts'

/** Limits, models, tags and metadata of API keys. limits: those that were set. models: null allows all models of the Application. */
export const up = execute([
  `alter table api_key
    add column limits jsonb not null default '{}',
    add column models jsonb,
    add column tags jsonb not null default '[]',
    add column metadata jsonb not null default '{}'`,
])
