import { OPS } from 'unpdf/pdfjs'
import type { Font, FontGlyph } from './font.ts'
import { type Box, intersect, isMatrix, multiply, transformBox } from './geometry.ts'
import type { Fill, Glyph, PageContent } from './glyph.ts'
import { subpathBoxes } from './paths.ts'
import { type GraphicsState, initialState, STATE_OPERATORS } from './state.ts'
import { showText } from './text.ts'

interface OperatorList {
  readonly fnArray: readonly number[]
  readonly argsArray: readonly unknown[]
}

interface PageOptions {
  /** The visible part of the page. */
  readonly view: Box
  readonly fontOf: (id: string) => Font
  /** Whether a layer is switched on. */
  readonly isLayerVisible: (group: unknown) => boolean
}

/** Reads the letters, filled shapes and pictures of a page from pdf.js' operators, in the order in which they are painted. */
export function readOperators({ fnArray, argsArray }: OperatorList, options: PageOptions): PageContent {
  const page = new PageReader(options)
  fnArray.forEach((operator, at) => {
    page.read(operator, (argsArray[at] ?? []) as readonly unknown[], at)
  })
  return page.content()
}

const FILLS = new Set<number>([
  OPS.fill,
  OPS.eoFill,
  OPS.fillStroke,
  OPS.eoFillStroke,
  OPS.closeFillStroke,
  OPS.closeEOFillStroke,
])

export const STROKES = new Set<unknown>([OPS.stroke, OPS.closeStroke])

type Operator = (page: PageReader, args: readonly unknown[], at: number) => void

const OPERATORS: Readonly<Record<number, Operator>> = {
  [OPS.save]: (page) => page.save(),
  [OPS.restore]: (page) => page.restore(),
  [OPS.clip]: (page) => page.clip(),
  [OPS.eoClip]: (page) => page.clip(),
  [OPS.constructPath]: (page, [operator, path, box], at) => page.path(Number(operator), path, box, at),
  [OPS.shadingFill]: (page, _, at) => page.shade(at),
  [OPS.showText]: (page, [items], at) => page.text(items as readonly (number | FontGlyph)[], at),
  [OPS.beginMarkedContent]: (page) => page.beginContent(),
  [OPS.beginMarkedContentProps]: (page, [tag, group]) => page.beginContent(tag === 'OC' ? group : undefined),
  [OPS.endMarkedContent]: (page) => page.endContent(),
  [OPS.paintFormXObjectBegin]: (page, [matrix, box]) => page.beginForm(matrix, box),
  [OPS.paintFormXObjectEnd]: (page) => page.endForm(),
  [OPS.beginGroup]: (page, [group]) => page.beginGroup(Boolean((group as { smask?: unknown } | null)?.smask)),
  [OPS.endGroup]: (page) => page.endForm(),
  [OPS.beginAnnotation]: (page, args) => page.beginAnnotation(args),
  [OPS.endAnnotation]: (page) => page.endAnnotation(),
}

class PageReader {
  readonly #options: PageOptions
  readonly #glyphs: Glyph[] = []
  readonly #fills: Fill[] = []
  readonly #pictures: Box[] = []
  readonly #saved: { state: GraphicsState; drawn: boolean }[] = []
  readonly #layers: boolean[] = []
  #state: GraphicsState
  #unmapped = 0
  #shapes = 0
  #clips = false
  /** Whether anything was drawn since the last `save`. */
  #drawn = true
  #annotation: string | undefined

  constructor(options: PageOptions) {
    this.#options = options
    this.#state = initialState(options.view)
  }

  content(): PageContent {
    return { glyphs: this.#glyphs, fills: this.#fills, pictures: this.#pictures, shapes: this.#shapes, unmapped: this.#unmapped }
  }

  read(operator: number, args: readonly unknown[], at: number): void {
    const own = OPERATORS[operator]
    if (own) own(this, args, at)
    else STATE_OPERATORS[operator]?.(this.#state, args, this.#options.fontOf)
  }

  save(): void {
    this.#saved.push({ state: { ...this.#state }, drawn: this.#drawn })
    this.#drawn = false
  }

  /** pdf.js leaves out pictures (`maxImageSize`), and so a picture is a transformation after which nothing is drawn. */
  restore(): void {
    const before = this.#saved.pop()
    if (!before) return
    if (!this.#drawn && this.#state.matrix !== before.state.matrix) this.#picture()
    this.#state = before.state
    this.#drawn ||= before.drawn
  }

  clip(): void {
    this.#clips = true
  }

  path(operator: number, path: unknown, box: unknown, at: number): void {
    const data = (path as readonly unknown[] | undefined)?.[0]
    if (data instanceof Float32Array && box instanceof Float32Array && box.length === 4) {
      const whole = box as unknown as Box
      if (FILLS.has(operator) && this.#isShown() && this.#state.fillAlpha > 0) this.#fill(data, whole, at)
      if (STROKES.has(operator) && this.#isShown() && this.#state.strokeAlpha > 0) this.#bar(whole, at)
      if (this.#clips) this.#state.clip = intersect(this.#state.clip, transformBox(this.#state.matrix, whole))
    }
    this.#clips = false
    if (operator === OPS.endPath) return
    this.#drawn = true
    if (this.#isShown()) this.#shapes += 1
  }

  shade(at: number): void {
    this.#drawn = true
    this.#fills.push({ box: this.#state.clip, color: '', at, covers: false })
  }

  text(items: readonly (number | FontGlyph)[], at: number): void {
    this.#drawn = true
    if (!this.#state.painted) return
    const { glyphs, unmapped } = showText(items, this.#state, { at, annotation: this.#annotation, isShown: this.#isShown() })
    for (const glyph of glyphs) this.#glyphs.push(glyph)
    if (unmapped) this.#unmapped += 1
  }

  beginContent(layer?: unknown): void {
    this.#layers.push(layer === undefined || this.#options.isLayerVisible(layer))
  }

  endContent(): void {
    this.#layers.pop()
  }

  beginForm(matrix: unknown, box: unknown): void {
    this.save()
    this.#drawn = true
    const state = this.#state
    if (isMatrix(matrix)) state.matrix = multiply(state.matrix, matrix)
    if (box instanceof Float32Array) state.clip = intersect(state.clip, transformBox(state.matrix, box as unknown as Box))
  }

  endForm(): void {
    this.restore()
    this.#drawn = true
  }

  beginGroup(isMask: boolean): void {
    this.save()
    this.#drawn = true
    this.#state.painted &&= !isMask
  }

  beginAnnotation([id, box, outer, inner]: readonly unknown[]): void {
    this.save()
    this.#drawn = true
    this.#annotation = String(id)
    this.#state = initialState(intersect(this.#options.view, box as Box))
    if (isMatrix(outer) && isMatrix(inner)) this.#state.matrix = multiply(outer, inner)
  }

  endAnnotation(): void {
    this.restore()
    this.#annotation = undefined
  }

  #isShown(): boolean {
    return this.#state.painted && this.#layers.every(Boolean)
  }

  #picture(): void {
    this.#drawn = true
    const box = intersect(transformBox(this.#state.matrix, [0, 0, 1, 1]), this.#state.clip)
    if (this.#isShown() && box[2] > box[0] && box[3] > box[1]) this.#pictures.push(box)
  }

  /** A thick line is the background of a text. */
  #bar([left, bottom, right, top]: Box, at: number): void {
    const { matrix, clip, stroke, lineWidth } = this.#state
    const half = lineWidth / 2
    const isLine = right - left < lineWidth || top - bottom < lineWidth
    const box = intersect(transformBox(matrix, [left - half, bottom - half, right + half, top + half]), clip)
    if (isLine) this.#fills.push({ box, color: stroke, at, covers: false })
  }

  #fill(path: Float32Array, whole: Box, at: number): void {
    const { matrix, clip, fill, fillAlpha, opaque } = this.#state
    const isSolid = opaque && fillAlpha === 1 && fill !== '' && this.#annotation === undefined
    const isUpright = matrix[1] === 0 || matrix[0] === 0
    for (const { box, isRectangle } of subpathBoxes(path, whole)) {
      const shown = intersect(transformBox(matrix, box), clip)
      if (shown[2] <= shown[0] || shown[3] <= shown[1]) continue
      this.#fills.push({ box: shown, color: fill, at, covers: isSolid && isRectangle && isUpright })
    }
  }
}
