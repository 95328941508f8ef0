import { OPS } from 'unpdf/pdfjs'
import { DEFAULT_FONT, type Font } from './font.ts'
import { type Box, IDENTITY, isMatrix, type Matrix, multiply } from './geometry.ts'

/** The state that the operators of a page change, and that `save` and `restore` keep. */
export interface GraphicsState {
  matrix: Matrix
  clip: Box
  fill: string
  stroke: string
  fillAlpha: number
  strokeAlpha: number
  /** Whether a shape hides what is below it: not if it is blended with it or has a mask. */
  opaque: boolean
  font: Font
  fontSize: number
  charSpacing: number
  wordSpacing: number
  horizontalScale: number
  leading: number
  rise: number
  renderMode: number
  lineWidth: number
  textMatrix: Matrix
  lineMatrix: Matrix
  /** False inside of a mask. */
  painted: boolean
}

export const initialState = (view: Box): GraphicsState => ({
  matrix: IDENTITY,
  clip: view,
  fill: '#000000',
  stroke: '#000000',
  fillAlpha: 1,
  strokeAlpha: 1,
  opaque: true,
  font: DEFAULT_FONT,
  fontSize: 0,
  charSpacing: 0,
  wordSpacing: 0,
  horizontalScale: 1,
  leading: 0,
  rise: 0,
  renderMode: 0,
  lineWidth: 1,
  textMatrix: IDENTITY,
  lineMatrix: IDENTITY,
  painted: true,
})

type StateOperator = (state: GraphicsState, args: readonly unknown[], fontOf: (id: string) => Font) => void

/** Operators that only change the state, by pdf.js' number. */
export const STATE_OPERATORS: Readonly<Record<number, StateOperator>> = {
  [OPS.transform]: (state, args) => {
    if (isMatrix(args)) state.matrix = multiply(state.matrix, args)
  },
  [OPS.setGState]: (state, [entries], fontOf) => setGraphicsState(state, entries as readonly Entry[], fontOf),
  [OPS.setFillRGBColor]: (state, [color]) => {
    state.fill = String(color)
  },
  [OPS.setStrokeRGBColor]: (state, [color]) => {
    state.stroke = String(color)
  },
  [OPS.setFillColorN]: (state) => {
    state.fill = ''
  },
  [OPS.setFillTransparent]: (state) => {
    state.fill = ''
  },
  [OPS.beginText]: (state) => setLine(state, IDENTITY),
  [OPS.setFont]: (state, [id, size], fontOf) => setFont(state, id, size, fontOf),
  [OPS.setCharSpacing]: (state, [spacing]) => {
    state.charSpacing = Number(spacing)
  },
  [OPS.setWordSpacing]: (state, [spacing]) => {
    state.wordSpacing = Number(spacing)
  },
  [OPS.setHScale]: (state, [percent]) => {
    state.horizontalScale = Number(percent) / 100
  },
  [OPS.setLineWidth]: (state, [width]) => {
    state.lineWidth = Number(width)
  },
  [OPS.setLeading]: (state, [leading]) => {
    state.leading = Number(leading)
  },
  [OPS.setTextRise]: (state, [rise]) => {
    state.rise = Number(rise)
  },
  [OPS.setTextRenderingMode]: (state, [mode]) => {
    state.renderMode = Number(mode)
  },
  [OPS.setTextMatrix]: (state, [matrix]) => {
    if (isMatrix(matrix)) setLine(state, matrix)
  },
  [OPS.moveText]: (state, [x, y]) => moveLine(state, Number(x), Number(y)),
  [OPS.setLeadingMoveText]: (state, [x, y]) => {
    state.leading = -Number(y)
    moveLine(state, Number(x), Number(y))
  },
  [OPS.nextLine]: (state) => moveLine(state, 0, -state.leading),
}

type Entry = readonly [key: string, value: unknown]

/** Applies the entries of an ExtGState dictionary. */
function setGraphicsState(state: GraphicsState, entries: readonly Entry[], fontOf: (id: string) => Font): void {
  for (const [key, value] of entries) {
    if (key === 'ca') state.fillAlpha = Number(value)
    else if (key === 'LW') state.lineWidth = Number(value)
    else if (key === 'CA') state.strokeAlpha = Number(value)
    else if (key === 'BM') state.opaque = value === 'source-over'
    else if (key === 'SMask' && value) state.opaque = false
    else if (key === 'Font' && Array.isArray(value)) setFont(state, value[0], value[1], fontOf)
  }
}

function setFont(state: GraphicsState, id: unknown, size: unknown, fontOf: (id: string) => Font): void {
  state.font = fontOf(String(id))
  state.fontSize = Number(size)
}

function setLine(state: GraphicsState, matrix: Matrix): void {
  state.textMatrix = matrix
  state.lineMatrix = matrix
}

const moveLine = (state: GraphicsState, x: number, y: number): void =>
  setLine(state, multiply(state.lineMatrix, [1, 0, 0, 1, x, y]))
