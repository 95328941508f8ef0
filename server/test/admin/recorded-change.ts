import type { Json } from './client.ts'

export type Send = (method: string, path: string, json?: unknown) => Promise<Json>

/** A request of the admin API. Names in braces are fields of the given object: `PATCH /applications/{id}`. */
export interface Asked {
  readonly request: string
  readonly json?: unknown
  /** The path of the object that must exist: `applications`. Default: that of the request, if it names an id. */
  readonly given?: string
}

/** One change of the admin API and the audit record that it must leave. */
export interface RecordedChange extends Asked {
  readonly action: string
  readonly fields: readonly string[]
  /** Values that the record must not contain. */
  readonly hidden: readonly string[]
  /** The object id in the record. Default: that of the response, or of the given object. */
  readonly recordedId: string | RegExp | undefined
  /** A list that shows whether the change was made, with fields of the given object. */
  readonly listPath: string
}

const LISTS: Readonly<Record<string, string>> = {
  admin_token: '/tokens',
  key: '/applications/{application_id}/keys',
  knowledge_source: '/knowledge/sources',
  model: '/providers/acme/models',
}

export const change = (
  action: string,
  request: string,
  fields: readonly string[],
  hidden: readonly string[],
  json?: unknown,
  recordedId?: string | RegExp,
): RecordedChange => {
  const [noun = ''] = action.split('.')
  const listPath = `${LISTS[noun] ?? `/${noun.replaceAll('_', '-')}s`}?limit=100`
  return { action, request, fields, hidden, json, recordedId, listPath }
}
