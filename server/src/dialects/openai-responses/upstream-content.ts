import { type Fields, isObject, isSet } from '../../platform/lib/untrusted-json.ts'
import type { ChatMessage, ContentPart } from '../../shared/message.ts'
import { allowOnly, UntranslatableField } from '../untranslatable.ts'

/** `cache_control` is a hint for another provider's cache, and is left out. */
const PART = ['type', 'cache_control', 'prompt_cache_breakpoint']
export const inputContent = (content: ChatMessage['content'], at: string): string | readonly Fields[] =>
  Array.isArray(content) ? content.map((part, index) => inputPart(part, `${at}[${index}]`)) : ((content as string | null) ?? '')

function inputPart(part: ContentPart, at: string): Fields {
  const { prompt_cache_breakpoint } = part
  const breakpoint = isSet(prompt_cache_breakpoint) ? { prompt_cache_breakpoint } : {}
  switch (part.type) {
    case 'text':
      allowOnly(part, [...PART, 'text'], at)
      return { type: 'input_text', text: part.text ?? '', ...breakpoint }
    case 'image_url':
      return { ...imagePart(part, at), ...breakpoint }
    case 'file':
      return { ...filePart(part, at), ...breakpoint }
  }
  throw new UntranslatableField(`${at}.type`, 'invalid_messages')
}

function imagePart(part: ContentPart, at: string): Fields {
  allowOnly(part, [...PART, 'image_url'], at)
  const image: Fields = isObject(part.image_url) ? part.image_url : { url: part.image_url }
  allowOnly(image, ['url', 'detail'], `${at}.image_url`)
  if (typeof image.url !== 'string') throw new UntranslatableField(`${at}.image_url.url`, 'image_invalid')
  return { type: 'input_image', image_url: image.url, detail: image.detail ?? 'auto' }
}

function filePart(part: ContentPart, at: string): Fields {
  allowOnly(part, [...PART, 'file'], at)
  const { file } = part
  if (!isObject(file)) throw new UntranslatableField(`${at}.file`, 'image_invalid')
  allowOnly(file, ['file_data', 'filename', 'file_id'], `${at}.file`)
  const { filename, file_data, file_id } = file
  return {
    type: 'input_file',
    ...(isSet(filename) && { filename }),
    ...(isSet(file_data) && { file_data }),
    ...(isSet(file_id) && { file_id }),
  }
}

export const outputParts = (parts: readonly ContentPart[], at: string): readonly Fields[] =>
  parts.map((part, index) => outputPart(part, `${at}[${index}]`))

function outputPart(part: ContentPart, at: string): Fields {
  if (part.type === 'text') {
    allowOnly(part, [...PART, 'text'], at)
    return { type: 'output_text', text: part.text ?? '', annotations: [] }
  }
  if (part.type !== 'refusal') throw new UntranslatableField(`${at}.type`, 'invalid_messages')
  allowOnly(part, [...PART, 'refusal'], at)
  return { type: 'refusal', refusal: part.refusal }
}
