import { parse } from 'yaml'
import { DocumentError, type FrontMatter } from '../document.ts'

const LABELS = ['title', 'classification', 'regulations', 'acl', 'language', 'lang'] as const
const OPENING = /^---[ \t]*\r?\n/
const CLOSING = /^(?:---|\.\.\.)[ \t]*\r?$/m
const LABEL_LINE = new RegExp(`^["']?(?:${LABELS.join('|')})["']?[ \\t]*:`, 'm')

/** Whether the text opens with a YAML block that says something we know. */
export function hasFrontMatter(text: string): boolean {
  return OPENING.test(text) && LABEL_LINE.test(head(text).yaml)
}

/**
 * Takes the YAML block off the front. One that names labels and cannot be understood is an error: a document would else lose
 * the label that protects it. A block without any is text between two rulers.
 */
export function splitFrontMatter(text: string): {
  readonly body: string
  readonly language?: unknown
  readonly values?: FrontMatter
} {
  if (!hasFrontMatter(text)) return { body: text }
  const { yaml, rest } = head(text)
  const parsed = rest === undefined ? undefined : parseYaml(yaml)
  if (rest === undefined || typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) {
    throw new DocumentError(
      'broken',
      'The front matter between the two lines of --- at the start is not valid YAML of `name: value` lines. Correct or remove it.',
    )
  }
  const { language, lang, ...values } = Object.fromEntries(
    LABELS.flatMap((label) => (Object.hasOwn(parsed, label) ? [[label, (parsed as Record<string, unknown>)[label]]] : [])),
  )
  return { body: rest, language: language ?? lang, values }
}

function head(text: string): { readonly yaml: string; readonly rest?: string } {
  const inner = text.replace(OPENING, '')
  const closing = CLOSING.exec(inner)
  // Never closed: the first paragraph is what was meant.
  if (!closing) return { yaml: inner.split(/\n\s*\n/, 1)[0] ?? '' }
  return { yaml: inner.slice(0, closing.index), rest: inner.slice(closing.index + closing[0].length) }
}

function parseYaml(yaml: string): unknown {
  try {
    return parse(yaml, { schema: 'core', maxAliasCount: 20 })
  } catch {
    return undefined
  }
}
