import type { Problem } from '../../lib/schema.ts'

export type Fields = Readonly<Record<string, unknown>>

/** Thrown by the decoders of one request and turned into its problem. */
export class Untranslatable extends Error {
  readonly problem: Problem

  constructor(param: string, message: string) {
    super(message)
    this.problem = { param, message }
  }
}

export const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null && !Array.isArray(value)

export function fieldsAt(value: unknown, path: string): Fields {
  if (isFields(value)) return value
  throw new Untranslatable(path, 'must be object')
}

export function textAt(value: unknown, path: string): string {
  if (typeof value === 'string') return value
  throw new Untranslatable(path, 'must be string')
}

export function itemsAt(value: unknown, path: string): readonly unknown[] {
  if (Array.isArray(value)) return value
  throw new Untranslatable(path, 'must be array')
}

/**
 * Refuses every field that is neither translated (`known`) nor null, so that nothing is lost without the client's knowledge.
 * `cache_control` is accepted everywhere: it changes only what a provider charges.
 */
export function refuseOthers(fields: Fields, known: readonly string[], path: string): void {
  const other = Object.keys(fields).find((name) => fields[name] != null && name !== 'cache_control' && !known.includes(name))
  if (other !== undefined) throw new Untranslatable(path === '' ? other : `${path}.${other}`, 'is not supported by the gateway')
}
