import { type Fields, isObject, isSet } from '../../platform/lib/untrusted-json.ts'

/** Mistral sends parts for models that reason (https://docs.mistral.ai/capabilities/reasoning/). Undefined: something would be lost. */
export function readContentParts(parts: readonly unknown[]) {
  let [content, reasoning_content] = ['', '']
  for (const part of parts) {
    if (isPart(part, 'thinking', THINKING_FIELDS) && Array.isArray(part.thinking)) {
      const thoughts = (part.thinking as unknown[]).map(textOfPart)
      if (thoughts.includes(undefined)) return undefined
      reasoning_content += thoughts.join('')
    } else {
      const text = textOfPart(part)
      if (text === undefined) return undefined
      content += text
    }
  }
  return { content, reasoning_content }
}

/** Undefined: the message has no such content, or a part that is not read. */
export function withTextContent(message: Fields): Fields | undefined {
  const { content, reasoning_content: known } = message
  const texts = Array.isArray(content) ? readContentParts(content) : undefined
  if (!texts || (known ?? '') !== '') return undefined
  return { ...message, content: texts.content, ...(texts.reasoning_content && { reasoning_content: texts.reasoning_content }) }
}

const TEXT_FIELDS = new Set(['type', 'text'])
/** `closed` says whether the thinking is complete. */
const THINKING_FIELDS = new Set(['type', 'thinking', 'closed'])

const isPart = (part: unknown, type: string, known: ReadonlySet<string>): part is Fields =>
  isObject(part) && part.type === type && Object.keys(part).every((name) => known.has(name) || !isSet(part[name]))

const textOfPart = (part: unknown): string | undefined =>
  isPart(part, 'text', TEXT_FIELDS) && typeof part.text === 'string' ? part.text : undefined
