import { Type } from 'typebox'
import type { ContentPart } from '../../shared/message.ts'
import { refuse, type Sources } from '../client-fields.ts'
import { anyList, anyObject, byType, type Fields, isObject, listOf, optionalText, reader, text } from './fields.ts'

/** `annotations`: of all parts, in the form of the chat API. */
export interface Content {
  /** Null: nothing but a refusal. */
  readonly content: string | readonly ContentPart[] | null
  readonly refusal?: string
  readonly annotations?: readonly Fields[]
}

interface ReadPart {
  readonly part: ContentPart
  readonly annotations?: readonly Fields[]
}

const CACHED = { prompt_cache_breakpoint: Type.Optional(anyObject) }
const readInputText = reader({ type: text, text, ...CACHED })
const readOutputText = reader({ type: text, text, annotations: Type.Optional(anyList), logprobs: Type.Optional(anyList) })
const readRefusal = reader({ type: text, refusal: text })
const FILE = { type: text, file_id: optionalText, ...CACHED }
const readImage = reader({ ...FILE, image_url: optionalText, detail: optionalText })
const readFile = reader({ ...FILE, file_data: optionalText, filename: optionalText, file_url: optionalText })
const readCitation = reader({
  type: Type.Literal('url_citation'),
  url: text,
  title: optionalText,
  start_index: Type.Optional(Type.Integer()),
  end_index: Type.Optional(Type.Integer()),
})

const PARTS: Readonly<Record<string, (part: unknown, at: string) => ReadPart>> = {
  input_text: (part, at) => {
    const { text, prompt_cache_breakpoint } = readInputText(part, at)
    return { part: { type: 'text', text, ...(prompt_cache_breakpoint && { prompt_cache_breakpoint }) } }
  },
  output_text: (part, at) => {
    const { text, annotations = [] } = readOutputText(part, at)
    return { part: { type: 'text', text }, annotations: annotations.map((item, i) => citation(item, `${at}.annotations[${i}]`)) }
  },
  refusal: (part, at) => ({ part: { type: 'refusal', refusal: readRefusal(part, at).refusal } }),
  input_image: image,
  input_file: file,
}

const STORED = 'is not supported: the gateway cannot scan a file that a provider stores; send its content'
const NOT_LOADED = 'is not supported, because the gateway loads no files; send the content as file_data'

function image(value: unknown, at: string): ReadPart {
  const { image_url: url, file_id, detail, prompt_cache_breakpoint } = readImage(value, at)
  if (file_id !== undefined) refuse(`${at}.file_id`, STORED)
  if (url === undefined) refuse(`${at}.image_url`, 'is required')
  const inner = { url, ...(detail !== undefined && { detail }) }
  return { part: { type: 'image_url', image_url: inner, ...(prompt_cache_breakpoint && { prompt_cache_breakpoint }) } }
}

function file(value: unknown, at: string): ReadPart {
  const { file_data, filename, file_id, file_url, prompt_cache_breakpoint } = readFile(value, at)
  if (file_id !== undefined) refuse(`${at}.file_id`, STORED)
  if (file_url !== undefined) refuse(`${at}.file_url`, NOT_LOADED)
  if (file_data === undefined) refuse(`${at}.file_data`, 'is required')
  const inner = { file_data, ...(filename !== undefined && { filename }) }
  return { part: { type: 'file', file: inner, ...(prompt_cache_breakpoint && { prompt_cache_breakpoint }) } }
}

function citation(value: unknown, at: string): Fields {
  if (!isObject(value) || value.type !== 'url_citation') {
    refuse(`${at}.type`, 'must be "url_citation": the gateway cannot pass on other annotations; leave them out')
  }
  const { type, ...url_citation } = readCitation(value, at)
  return { type, url_citation }
}

/** A single plain text becomes a string, which needs no extension of the Application. `to`: path of the chat message. */
export function readContent(value: unknown, at: string, to: string, sources: Sources): Content {
  if (typeof value === 'string') return { content: value }
  const read = listOf(value, at).map((part, index) => {
    const path = `${at}[${index}]`
    return { path, ...byType(PARTS, part, path, 'the gateway does not read other content')(part, path) }
  })
  const annotations = read.flatMap((part) => part.annotations ?? [])
  const refusals = read.filter(({ part }) => part.type === 'refusal')
  const [refusal] = refusals.length === 1 ? refusals : []
  const kept = read.filter((part) => part !== refusal)
  for (const [index, { path }] of kept.entries()) addSources(`${to}.content[${index}]`, path, sources)
  if (refusal) sources.set(`${to}.refusal`, `${refusal.path}.refusal`)
  const cited = read.find((part) => part.annotations && part.annotations.length > 0)
  if (cited) sources.set(`${to}.annotations`, `${cited.path}.annotations`)
  return {
    content: refusal && kept.length === 0 ? null : joined(kept.map(({ part }) => part)),
    ...(refusal && { refusal: String(refusal.part.refusal) }),
    ...(annotations.length > 0 && { annotations }),
  }
}

function joined(parts: readonly ContentPart[]): string | readonly ContentPart[] {
  const [part] = parts
  if (part === undefined) return ''
  const isPlainText = parts.length === 1 && part.type === 'text' && Object.keys(part).length === 2
  return isPlainText ? (part.text ?? '') : parts
}

function addSources(to: string, at: string, sources: Sources): void {
  for (const path of [to, `${to}.image_url`, `${to}.file`]) sources.set(path, at)
  sources.set(`${to}.image_url.url`, `${at}.image_url`)
}
