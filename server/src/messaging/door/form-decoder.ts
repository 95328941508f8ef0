/** One body may have so many fields: a group's thousand contacts, and some more. */
const MAX_FIELDS = 2_000
const MAX_DEPTH = 8
const FORBIDDEN = new Set(['__proto__', 'constructor', 'prototype'])
const NAME = /^([^[\]]+)((?:\[[^[\]]*\])*)$/
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Texts, lists of texts (`name[]`) and what they stand in. Numbered fields (`name[0]`) are an object; coerce.ts makes lists of them. */
export type FormValue = string | string[] | FormFields
export interface FormFields {
  [name: string]: FormValue
}

export type ParsedForm =
  | { readonly ok: true; readonly value: FormFields }
  | { readonly ok: false; readonly problem: string; readonly param?: string }

class Malformed extends Error {
  readonly param: string
  constructor(problem: string, param = '') {
    super(problem)
    this.param = param
  }
}

/**
 * `application/x-www-form-urlencoded` with nested fields in brackets, raw or percent-encoded (decisions.md §3, Bodies). A
 * field is given once; only `name[]` may be repeated. Never throws.
 */
export function parseForm(bytes: Uint8Array): ParsedForm {
  try {
    const fields: FormFields = {}
    let left = MAX_FIELDS
    for (const pair of decoder.decode(bytes).split('&')) {
      if (pair === '') continue
      if (left-- === 0) throw new Malformed(`The form has more than ${MAX_FIELDS} fields.`)
      const at = pair.indexOf('=')
      put(fields, decoded(at < 0 ? pair : pair.slice(0, at)), at < 0 ? '' : decoded(pair.slice(at + 1)))
    }
    return { ok: true, value: fields }
  } catch (error) {
    if (!(error instanceof Malformed)) return { ok: false, problem: 'The form is not UTF-8.' }
    return { ok: false, problem: error.message, ...(error.param && { param: error.param }) }
  }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    throw new Malformed('The form is not percent-encoded UTF-8.')
  }
}

function put(fields: FormFields, name: string, value: string): void {
  const [, first, brackets] = NAME.exec(name) ?? []
  if (first === undefined || brackets === undefined) throw new Malformed('A field has a malformed name.')
  const path = [first, ...[...brackets.matchAll(/\[([^[\]]*)\]/g)].map(([, part]) => part as string)]
  if (path.length > MAX_DEPTH) throw new Malformed('The form is nested too deeply.')
  const isList = path.at(-1) === ''
  if (isList) path.pop()
  if (path.includes('')) throw new Malformed('[] may only end the name of a field.')
  const forbidden = path.find((part) => FORBIDDEN.has(part))
  if (forbidden !== undefined) throw new Malformed(`The key ${forbidden} is not allowed.`)

  let parent = fields
  for (const part of path.slice(0, -1)) parent = child(parent, part, first)
  const last = path.at(-1) as string
  const before = Object.hasOwn(parent, last) ? parent[last] : undefined
  if (!isList) {
    if (before !== undefined) throw new Malformed(`${first}: is given more than once.`, first)
    parent[last] = value
  } else if (Array.isArray(before)) before.push(value)
  else if (before === undefined) parent[last] = [value]
  else throw new Malformed(`${first}: is given in more than one form.`, first)
}

function child(parent: FormFields, name: string, field: string): FormFields {
  const before = Object.hasOwn(parent, name) ? parent[name] : undefined
  if (before === undefined) {
    const made: FormFields = {}
    parent[name] = made
    return made
  }
  if (typeof before === 'string' || Array.isArray(before)) throw new Malformed(`${field}: is given in more than one form.`, field)
  return before
}
