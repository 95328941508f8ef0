/** One body may have so many fields: a group's thousand contacts, and some more. */
const MAX_FIELDS = 2_000
const MAX_DEPTH = 8
const FORBIDDEN = new Set(['__proto__', 'constructor', 'prototype'])
const NAME = /^([^[\]]+)((?:\[[^[\]]*\])*)$/
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** A field that was given several times under its plain name: a list where the field is one, else an error. */
export class RepeatedText extends Array<string> {}

export interface FormPair {
  readonly name: string
  readonly value: string
}

const forms = new WeakSet<object>()

/** Whether fields come from a form, whose texts may stand for lists. */
export const isForm = (fields: unknown): boolean => typeof fields === 'object' && fields !== null && forms.has(fields)

/** Texts, lists of texts (`name[]`) and what they stand in. Numbered fields (`name[0]`) are an object; validation.ts makes lists of them. */
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

/** Nested fields are in brackets, raw or percent-encoded (MSG-BODY-2). Never throws. */
export const parseForm = (bytes: Uint8Array): ParsedForm => fieldsOf(() => pairsOf(decoder.decode(bytes)))

export const formOfPairs = (pairs: Iterable<FormPair>): ParsedForm => fieldsOf(() => pairs)

function* pairsOf(text: string): Generator<FormPair> {
  for (const pair of text.split('&')) {
    if (pair === '') continue
    const at = pair.indexOf('=')
    yield { name: decoded(at < 0 ? pair : pair.slice(0, at)), value: at < 0 ? '' : decoded(pair.slice(at + 1)) }
  }
}

function fieldsOf(read: () => Iterable<FormPair>): ParsedForm {
  try {
    const fields: FormFields = {}
    forms.add(fields)
    let left = MAX_FIELDS
    for (const { name, value } of read()) {
      if (left-- === 0) throw new Malformed(`The form has more than ${MAX_FIELDS} fields.`)
      put(fields, name, value)
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
  const path = [first, ...(brackets === '' ? [] : brackets.slice(1, -1).split('][', MAX_DEPTH))]
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
    if (before instanceof RepeatedText) before.push(value)
    else if (typeof before === 'string') parent[last] = RepeatedText.of(before, value) as RepeatedText
    else if (before !== undefined) throw new Malformed(`${first}: is given more than once.`, first)
    else parent[last] = value
  } else if (Array.isArray(before) && !(before instanceof RepeatedText)) before.push(value)
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
