import type { FileReference } from './attachments.ts'
import { type Box, contains } from './geometry.ts'
import { centerOf, type Glyph } from './glyph.ts'

/** The fields of pdf.js' annotations that are read. */
export interface Annotation {
  readonly id: string
  readonly subtype: string
  readonly rect: readonly number[]
  readonly annotationFlags?: number
  readonly oc?: unknown
  readonly contentsObj?: { readonly str: string }
  readonly titleObj?: { readonly str: string }
  readonly url?: string
  readonly fieldType?: string
  readonly fieldValue?: unknown
  readonly password?: boolean
  readonly checkBox?: boolean
  readonly radioButton?: boolean
  readonly exportValue?: string
  readonly buttonValue?: string
  readonly multiLine?: boolean
  readonly options?: readonly { readonly exportValue: unknown; readonly displayValue: unknown }[]
  readonly fileId?: string
  readonly file?: { readonly filename: string }
}

export interface ReadAnnotations {
  /** The letters of the page with their links, the annotations' text, and the values of form fields. */
  readonly glyphs: readonly Glyph[]
  /** Comments of readers as Markdown. */
  readonly comments: readonly string[]
  readonly files: readonly FileReference[]
  /** Number of fields and comments that readers do not see. */
  readonly hidden: number
}

const HIDDEN = 2 | 32
const NO_COMMENT = new Set(['Link', 'Widget', 'Popup', 'FreeText'])

export function readAnnotations(
  glyphs: readonly Glyph[],
  annotations: readonly Annotation[],
  isLayerVisible: (group: unknown) => boolean,
): ReadAnnotations {
  const isSeen = ({ annotationFlags = 0, oc }: Annotation) => (annotationFlags & HIDDEN) === 0 && isLayerVisible(oc)
  const seen = annotations.filter(isSeen)
  const buttons = new Set(seen.filter(({ checkBox, radioButton }) => checkBox || radioButton).map(({ id }) => id))
  const kept = glyphs.filter(({ annotation }) => annotation === undefined || !buttons.has(annotation))
  const painted = new Set(kept.filter(({ text }) => text.trim() !== '').map(({ annotation }) => annotation))
  for (const { subtype, url, rect } of seen) if (subtype === 'Link' && url) setLinks(kept, url, boxOf(rect))
  const page = kept.filter(({ annotation }) => annotation === undefined)
  const values = seen.flatMap((annotation) => (painted.has(annotation.id) ? [] : valueGlyphs(annotation)))
  return {
    glyphs: [...page, ...besideLabels(page, [...kept.filter(({ annotation }) => annotation !== undefined), ...values])],
    comments: seen.flatMap(commentOf),
    files: seen.flatMap(({ fileId, file }) => (fileId && file ? [{ id: fileId, name: file.filename }] : [])),
    hidden: annotations.filter((annotation) => !isSeen(annotation) && (fieldText(annotation) ?? commentOf(annotation)[0])).length,
  }
}

const boxOf = ([x1 = 0, y1 = 0, x2 = 0, y2 = 0]: readonly number[]): Box => [
  Math.min(x1, x2),
  Math.min(y1, y2),
  Math.max(x1, x2),
  Math.max(y1, y2),
]

function setLinks(glyphs: readonly Glyph[], address: string, box: Box): void {
  if (!/^(?:https?|mailto|ftp|tel):/i.test(address)) return
  for (const glyph of glyphs) if (contains(box, ...centerOf(glyph))) glyph.link = address
}

/** The text of a field or a note on the page that has no picture of its own in the file. */
function fieldText(annotation: Annotation): string | undefined {
  const { subtype, fieldType, fieldValue, checkBox, radioButton, exportValue, buttonValue, password, options = [] } = annotation
  if (subtype === 'FreeText') return annotation.contentsObj?.str || undefined
  if (subtype !== 'Widget' || password) return undefined
  if (checkBox || radioButton) return fieldValue && fieldValue === (checkBox ? exportValue : buttonValue) ? '☒' : '☐'
  if (fieldType !== 'Tx' && fieldType !== 'Ch') return undefined
  const values = (Array.isArray(fieldValue) ? fieldValue : [fieldValue]).filter(
    (value) => typeof value === 'string' && value !== '',
  )
  const shown = values.map((value) => options.find((option) => option.exportValue === value)?.displayValue ?? value)
  return shown.length > 0 ? shown.join(', ') : undefined
}

/** Places a value where the reader sees it. Lines of a field with several lines begin at its top. */
function valueGlyphs(annotation: Annotation): readonly Glyph[] {
  const value = fieldText(annotation)
  if (value === undefined) return []
  const [left, bottom, right, top] = boxOf(annotation.rect)
  const lines = value.split(/\r\n?|\n/)
  const size = Math.min(Math.max((top - bottom) / Math.max(lines.length, 1) / 1.3, 4), 11)
  const isMultiple = annotation.multiLine || lines.length > 1
  const first = isMultiple ? top - size : (bottom + top) / 2 - 0.35 * size
  return lines.flatMap((text, index): Glyph[] =>
    text.trim() === ''
      ? []
      : [
          {
            text: text.replace(/\p{Cc}/gu, ' '),
            x: left,
            y: first - 1.2 * size * index,
            direction: [1, 0],
            size,
            width: Math.min(Math.max(right - left, size), text.length * size * 0.5),
            advance: Math.min(right - left, text.length * size * 0.5),
            at: Number.MAX_SAFE_INTEGER,
            color: '#000000',
            visibility: 'visible',
            annotation: annotation.id,
          },
        ],
  )
}

/** Gives each text of an annotation the order of its label at the left or the right, as if the file painted them together. */
function besideLabels(page: readonly Glyph[], glyphs: readonly Glyph[]): readonly Glyph[] {
  const order = new Map<string | undefined, number>()
  return glyphs.map((glyph) => {
    const isOnLine = ({ y, size }: Glyph) => Math.abs(y - glyph.y) < size
    const at =
      order.get(glyph.annotation) ??
      page.findLast((other) => other.x < glyph.x && isOnLine(other))?.at ??
      page.find((other) => other.x >= glyph.x && isOnLine(other))?.at
    if (at === undefined) return glyph
    order.set(glyph.annotation, at)
    return { ...glyph, at: at + 0.5 }
  })
}

function commentOf({ subtype, contentsObj, titleObj }: Annotation): readonly string[] {
  const text = contentsObj?.str.trim()
  if (!text || NO_COMMENT.has(subtype)) return []
  const author = titleObj?.str.trim()
  return [`> **Comment${author ? ` by ${author}` : ''}:** ${text.replace(/\s*[\r\n]\s*/g, ' ')}`]
}
