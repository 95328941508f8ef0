import { parse } from 'yaml'
import { DocumentError, type FrontMatter } from '../document.ts'

const LABELS = ['title', 'classification', 'regulations', 'acl'] as const
const OPENING = /^---[ \t]*\r?\n/
const CLOSING = /^(?:---|\.\.\.)[ \t]*\r?$/m
const LABEL_LINE = new RegExp(`^["']?(?:${[...LABELS, 'language', 'lang'].join('|')})["']?[ \\t]*:`, 'm')

/** Whether the text starts with a YAML block that contains a known label. */
export function hasFrontMatter(text: string): boolean {
  return OPENING.test(text) && LABEL_LINE.test(splitHead(text).yaml)
}

/**
 * Separates the YAML block from the text. Throws if a block with labels is invalid: the document would otherwise lose the label that
 * protects it. A block without labels is text between two rulers.
 */
export function splitFrontMatter(text: string): { readonly body: string; readonly values?: FrontMatter } {
  if (!hasFrontMatter(text)) return { body: text }
  const { yaml, rest } = splitHead(text)
  const parsed = rest === undefined ? undefined : parseYaml(yaml)
  if (rest === undefined || typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) {
    throw new DocumentError(
      'broken',
      'The front matter between the --- lines at the start is not valid YAML with `name: value` lines. Correct or remove it.',
    )
  }
  const values = Object.fromEntries(
    LABELS.flatMap((label) => (Object.hasOwn(parsed, label) ? [[label, (parsed as Record<string, unknown>)[label]]] : [])),
  )
  return { body: rest, values }
}

function splitHead(text: string): { readonly yaml: string; readonly rest?: string } {
  const inner = text.replace(OPENING, '')
  const closing = CLOSING.exec(inner)
  // Without a closing line, the first paragraph is the front matter.
  if (!closing) return { yaml: inner.split(/\n\s*\n/, 1)[0] ?? '' }
  return { yaml: inner.slice(0, closing.index), rest: inner.slice(closing.index + closing[0].length) }
}

function parseYaml(yaml: string): unknown {
  try {
    return parse(yaml, { schema: 'core', maxAliasCount: 20, prettyErrors: false })
  } catch {
    return undefined
  }
}
