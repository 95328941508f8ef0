import { type Fields, isObject, isSet, textOf } from '../../platform/lib/untrusted-json.ts'
import { readEncoded } from '../../shared/encoded-text.ts'
import type { ChatMessage, ContentPart } from '../../shared/message.ts'
import { allowOnly, UntranslatableField } from '../untranslatable.ts'

type Source = Readonly<Record<string, string>>

type PartKinds = 'text' | 'text and files'

export const cacheControl = ({ cache_control }: Fields): Fields => (isObject(cache_control) ? { cache_control } : {})

/** An empty text is left out, because the API refuses it and it says nothing. */
export const textBlocks = (text: string, more: Fields = {}): readonly Fields[] =>
  text === '' ? [] : [{ type: 'text', text, ...more }]

export function contentBlocks(content: ChatMessage['content'], at: string, kinds: PartKinds): readonly Fields[] {
  if (typeof content === 'string') return textBlocks(content)
  return (content ?? []).flatMap((part, index) => partBlock(part, `${at}[${index}]`, kinds))
}

function partBlock(part: ContentPart, at: string, kinds: PartKinds): readonly Fields[] {
  switch (part.type) {
    case 'text':
      allowOnly(part, ['type', 'text', 'cache_control'], at)
      return textBlocks(part.text ?? '', cacheControl(part))
    case 'refusal':
      allowOnly(part, ['type', 'refusal'], at)
      if (isSet(part.refusal) && typeof part.refusal !== 'string')
        throw new UntranslatableField(`${at}.refusal`, 'invalid_messages')
      return textBlocks(textOf(part.refusal))
    case 'image_url':
      if (kinds === 'text and files') return [imageBlock(part, at)]
      break
    case 'file':
      if (kinds === 'text and files') return [documentBlock(part, at)]
      break
  }
  throw new UntranslatableField(`${at}.type`, 'invalid_messages')
}

/** The API always reads the full image, which is also what `auto` and `high` ask for. */
const DETAILS: ReadonlySet<unknown> = new Set([undefined, null, 'auto', 'high'])
const IMAGE_TYPES: ReadonlySet<string> = new Set(['image/jpeg', 'image/png', 'image/gif', 'image/webp'])

function imageBlock(part: ContentPart, at: string): Fields {
  allowOnly(part, ['type', 'image_url', 'cache_control'], at)
  const image: Fields = isObject(part.image_url) ? part.image_url : { url: part.image_url }
  allowOnly(image, ['url', 'detail'], `${at}.image_url`)
  if (!DETAILS.has(image.detail)) throw new UntranslatableField(`${at}.image_url.detail`, 'invalid_value')
  return { type: 'image', source: imageSource(image.url, `${at}.image_url.url`), ...cacheControl(part) }
}

function imageSource(url: unknown, at: string): Source {
  if (typeof url === 'string' && /^https?:\/\//i.test(url)) return { type: 'url', url }
  const file = readDataUrl(url)
  if (!file || !IMAGE_TYPES.has(file.type)) throw new UntranslatableField(at, 'image_invalid')
  return { type: 'base64', media_type: file.type, data: file.data }
}

function documentBlock(part: ContentPart, at: string): Fields {
  allowOnly(part, ['type', 'file', 'cache_control'], at)
  const file: Fields = isObject(part.file) ? part.file : {}
  allowOnly(file, ['file_data', 'filename'], `${at}.file`)
  const { filename } = file
  if (isSet(filename) && typeof filename !== 'string') throw new UntranslatableField(`${at}.file.filename`, 'invalid_value')
  return {
    type: 'document',
    source: documentSource(file.file_data, `${at}.file.file_data`),
    ...(typeof filename === 'string' && filename !== '' && { title: filename }),
    ...cacheControl(part),
  }
}

/** The first bytes of a PDF file, `%PDF-`, in base64. */
const PDF_START = 'JVBERi0'

function documentSource(value: unknown, at: string): Source {
  const isBarePdf = typeof value === 'string' && value.startsWith(PDF_START)
  const file = isBarePdf ? { type: 'application/pdf', data: value } : readDataUrl(value)
  if (file?.type === 'application/pdf') return { type: 'base64', media_type: file.type, data: file.data }
  // The text that detectors have read, whatever its encoding is.
  const read = file?.type === 'text/plain' && typeof value === 'string' ? readEncoded(value, true) : undefined
  if (file === undefined || read?.kind !== 'text') throw new UntranslatableField(at, 'image_invalid')
  return { type: 'text', media_type: file.type, data: read.text }
}

function readDataUrl(value: unknown): { readonly type: string; readonly data: string } | undefined {
  const match = typeof value === 'string' ? /^data:([^;,]+)(;charset=utf-8)?;base64,/i.exec(value) : null
  return match ? { type: (match[1] ?? '').toLowerCase(), data: (match.input ?? '').slice(match[0].length) } : undefined
}
