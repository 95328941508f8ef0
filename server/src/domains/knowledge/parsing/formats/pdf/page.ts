import { OPS } from 'unpdf/pdfjs'
import { type Annotation, readAnnotations } from './annotations.ts'
import type { FileReference } from './attachments.ts'
import { DEFAULT_FONT, type Font, fontOf } from './font.ts'
import type { Box } from './geometry.ts'
import { textOfFrame } from './layout.ts'
import { readOperators, STROKES } from './operators.ts'
import type { Page } from './pdf-document.ts'
import { framesOf } from './segments.ts'
import { visibleGlyphs } from './visible.ts'

export interface PageText {
  readonly text: string
  readonly files: readonly FileReference[]
  /** Numbers of what is not in the text: pieces of hidden text, pictures, runs of unknown letters. */
  readonly hidden: number
  readonly pictures: number
  readonly unmapped: number
  /** Number of lines and filled shapes. */
  readonly shapes: number
}

/** Reads what a reader sees on a page, then the comments. */
export async function readPage(page: Page, isLayerVisible: (group: unknown) => boolean): Promise<PageText> {
  forgetLines(page)
  const operators = await page.getOperatorList()
  const annotations = (await page.getAnnotations({ intent: 'any' })) as readonly Annotation[]
  const content = readOperators(operators, { view: page.view as unknown as Box, fontOf: fontsOf(page), isLayerVisible })
  const visible = visibleGlyphs(content)
  const read = readAnnotations(visible.glyphs, annotations, isLayerVisible)
  const blocks = [...framesOf(read.glyphs).map(textOfFrame), ...read.comments]
  page.cleanup()
  return {
    text: blocks.filter((block) => block !== '').join('\n\n'),
    files: read.files,
    hidden: visible.hidden + read.hidden,
    pictures: visible.pictures,
    unmapped: content.unmapped,
    shapes: content.shapes,
  }
}

function fontsOf({ commonObjs }: Page): (id: string) => Font {
  const fonts = new Map<string, Font>()
  return (id) => {
    const known = fonts.get(id)
    if (known) return known
    const font = commonObjs.has(id) ? fontOf(commonObjs.get(id)) : DEFAULT_FONT
    fonts.set(id, font)
    return font
  }
}

interface OperatorChunk {
  readonly fnArray: readonly number[]
  readonly argsArray: unknown[]
}

const LINE = [OPS.stroke, null, null]

/** Thinner lines, in units of the file, are never the background of a text. */
const THIN_LINE = 2

/** pdf.js collects all operators of a page in memory. A drawing has millions of lines, and where thin ones run is not needed. */
function forgetLines(page: Page): void {
  const collector = page as unknown as { _renderPageChunk: (chunk: OperatorChunk, state: unknown) => void }
  const collect = collector._renderPageChunk.bind(page)
  let isThin = true
  collector._renderPageChunk = (chunk, state) => {
    const { fnArray, argsArray } = chunk
    fnArray.forEach((operator, at) => {
      const args = argsArray[at] as readonly unknown[] | null
      const before = fnArray[at - 1]
      const isClip = at === 0 || before === OPS.clip || before === OPS.eoClip
      if (operator === OPS.setLineWidth) isThin = Number(args?.[0]) < THIN_LINE
      else if (operator === OPS.constructPath && isThin && !isClip && STROKES.has(args?.[0])) argsArray[at] = LINE
    })
    collect(chunk, state)
  }
}
